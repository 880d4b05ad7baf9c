import {
  type LargestTrades,
  type Leaderboard,
  LIMITS,
  type Liquidation,
  type OpenInterestRow,
  refusal,
} from '@oddlot/protocol';
import { RANKED_SPAN_MS, rankedList } from '@oddlot/history/rows/market-figures';
import { readCursor } from './cursor.ts';
import { type HistoryHandler, waitFor, waitForSpan, type HistoryQueries } from './handler.ts';
import { formatMoney } from '@oddlot/units';
import { byMost, isIdle } from './account-ranking.ts';

const liquidations: HistoryHandler<'liquidations', readonly Liquidation[]> = async (
  { cursors, history },
  query,
) => {
  const { coin, endTime, limit, startTime } = query;
  const read = readCursor(query, cursors);
  if (!read.ok) return read;
  const asked = {
    limit,
    ...(coin === undefined ? {} : { instrumentId: Number(coin) }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(endTime === undefined ? {} : { endTime }),
    ...(read.place === undefined ? {} : { cursor: read.place.at }),
  };
  const { answer, asOf } = await history.ask('liquidations', asked, waitForSpan(history, query));
  const { next, rows } = answer;
  return { ok: true, data: rows, asOf, next: next && { at: next } };
};

const DAY_MS = 86_400_000;
const WINDOW_DAYS = { day: 1, week: 7, month: 30 } as const;

/**
 * Lists the largest trades. Trades are ranked per fixed span of time, so the window begins where a
 * span begins.
 */
const largestTrades: HistoryHandler<'largestTrades', LargestTrades> = async (
  { history },
  query,
) => {
  const { accountType, coin, limit, window } = query;
  const lists =
    coin === undefined
      ? accountType.map((type) => rankedList(type))
      : [rankedList({ instrumentId: Number(coin) })];
  // The window depends on the last block of the history, so that block is queried first.
  const { asOf } = await history.ask('blocks', { limit: 1 }, waitFor(query));
  const fromMs = Math.max(0, asOf.timeMs - WINDOW_DAYS[window] * DAY_MS);
  const startMs = fromMs - (fromMs % RANKED_SPAN_MS);
  const asked = { lists, startMs, limit };
  const found = await history.ask('largestTrades', asked, { minHeight: asOf.height });
  const trades = [...found.answer];
  const data = { window, startTime: startMs, trades };
  return { ok: true, data, asOf: found.asOf };
};

const openInterestHistory: HistoryHandler<
  'openInterestHistory',
  readonly OpenInterestRow[]
> = async ({ history }, query) => {
  const { coin, endTime, startTime } = query;
  const asked = {
    instrumentId: Number(coin),
    startMs: startTime,
    endMs: endTime ?? Number.MAX_SAFE_INTEGER,
    limit: LIMITS.openInterestHistoryMax,
  };
  const { answer, asOf } = await history.ask('openInterest', asked, waitForSpan(history, query));
  return { ok: true, data: answer, asOf };
};

const HTTP_FORBIDDEN = 403;

/**
 * Lists the leading accounts in the order of the last ranking. The values are current and equal
 * those in the portfolio.
 */
const leaderboard: HistoryHandler<'leaderboard', Leaderboard> = async (
  { history, ranking },
  query,
) => {
  if (ranking === undefined) {
    const why = 'the operator of this venue has disabled the leaderboard';
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

export const MARKET_FIGURE_QUERIES = {
  liquidations,
  largestTrades,
  leaderboard,
  openInterestHistory,
} as const satisfies HistoryQueries;
