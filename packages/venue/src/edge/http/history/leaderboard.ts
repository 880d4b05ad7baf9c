import { refusal, type Leaderboard } from '@oddlot/protocol';
import { formatMoney } from '@oddlot/units';
import { byMost, isIdle } from './account-ranking.ts';
import { waitFor, type HistoryHandler } from './handler.ts';

const HTTP_FORBIDDEN = 403;

/** Who leads is known from the last comparison; what is told of each is of now, and the same that its portfolio says. */
export const leaderboard: HistoryHandler<'leaderboard', Leaderboard> = async (
  { history, ranking },
  query,
) => {
  if (ranking === undefined) {
    const why = 'the operator of this venue has switched the leaderboard off';
    return { ok: false, error: refusal('notAllowed', [], { why }, HTTP_FORBIDDEN) };
  }
  const { limit, sortBy, window } = query;
  const ranked = await ranking.latest(waitFor(query));
  const users = ranked.leaders(window, sortBy);
  const asked = { accounts: { users }, windows: [window] };
  const minHeight = Math.max(ranked.height, query.minHeight ?? 0);
  const { answer, asOf } = await history.ask('accountGains', asked, { minHeight });
  const rows = answer.rows
    .flatMap(({ gains, user, value }) => gains.map((gain) => ({ ...gain, user, value })))
    .filter((row) => !isIdle(row))
    .sort(byMost(sortBy))
    .slice(0, limit)
    .map(({ pnl, user, value, volume }) => ({
      user,
      accountValue: formatMoney(value),
      pnl: formatMoney(pnl),
      volume: formatMoney(volume),
    }));
  const data = { window, sortBy, rankedTime: ranked.timeMs, rows };
  return { ok: true, data, asOf };
};
