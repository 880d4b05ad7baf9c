import type { Portfolio, PortfolioPoint, PortfolioWindow } from '@oddlot/protocol';
import { type Address, formatMoney } from '@oddlot/units';
import type { AccountSums, AsOf, History } from '@oddlot/history/history';
import { NOTHING, pnlBetween, pointsOf, pointsOfWindow } from '@oddlot/history/portfolio';
import type { AccountValueRecord } from '@oddlot/history/rows/block-rows';
import { waitFor, type HistoryHandler, type HistoryQueries } from './handler.ts';

/** The value of an account over a window: points at multiples of a step, and the current one. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The steps at which values are stored. */
const STEPS_MS = [5 * MINUTE_MS, HOUR_MS, DAY_MS] as const;

type Value = AccountSums & { readonly timeMs: number };

const portfolio: HistoryHandler<'portfolio', Portfolio> = async ({ history }, query) => {
  const { user, window } = query;
  const { answer, asOf } = await history.ask('accountSums', { user }, waitFor(query));
  const now: Value = { ...NOTHING, ...answer, timeMs: asOf.timeMs };
  const hasAccount = answer !== null;
  const { kept, times } = await valuesOf(history, { user, window, asOf, hasAccount });
  const data = portfolioOf(window, [...kept, now], times);
  return { ok: true, data, asOf };
};

type Values = {
  /** The times of the points. */
  readonly times: readonly number[];
  /** Oldest first; the first may precede the first point. */
  readonly kept: readonly AccountValueRecord[];
};

type Question = {
  readonly user: Address;
  readonly window: PortfolioWindow;
  readonly asOf: AsOf;
  readonly hasAccount: boolean;
};

async function valuesOf(
  history: History,
  { asOf, hasAccount, user, window }: Question,
): Promise<Values> {
  const endMs = asOf.timeMs;
  const read = async (startMs: number, stepMs: number, untilMs = endMs) => {
    const asked = { user, stepMs, startMs, endMs: untilMs };
    // A history that lost data since the sums were read contains less.
    return (await history.ask('accountValues', asked, { minHeight: asOf.height })).answer;
  };
  if (window !== 'all') {
    const { stepMs, times } = pointsOfWindow(window, endMs);
    return { times, kept: await read(times[0] ?? endMs, stepFor(stepMs)) };
  }
  const days = await read(0, DAY_MS);
  // The account began within the day before its first full one.
  const firstDayMs = days[0]?.timeMs ?? endMs;
  const [first] = await read(Math.max(0, firstDayMs - DAY_MS), STEPS_MS[0], firstDayMs);
  if (first === undefined && !hasAccount) return { times: [endMs], kept: [] };
  // Its first value is that of the first step after its beginning, or does not exist yet.
  const startMs = first === undefined ? endMs : first.timeMs - STEPS_MS[0];
  const { stepMs, times } = pointsOf(startMs, endMs);
  const step = stepFor(stepMs);
  return { times, kept: step === DAY_MS ? days : await read(times[0] ?? endMs, step) };
}

/** The coarsest stored step that is not coarser than the points. */
function stepFor(everyMs: number): number {
  return STEPS_MS.findLast((stepMs) => stepMs <= everyMs) ?? STEPS_MS[0];
}

/** Between two records, an account has the values of the first. */
function portfolioOf(
  window: PortfolioWindow,
  values: readonly Value[],
  times: readonly number[],
): Portfolio {
  let at = -1;
  const valueAt = (timeMs: number): AccountSums => {
    while ((values[at + 1]?.timeMs ?? Infinity) <= timeMs) at++;
    return values[at] ?? NOTHING;
  };
  const held = times.map((timeMs) => ({ timeMs, value: valueAt(timeMs) }));
  // The first point of the whole history precedes the first deposit; a new account has only the
  // current point.
  const start = held.length === 1 ? NOTHING : (held[0]?.value ?? NOTHING);
  const last = held.at(-1)?.value ?? NOTHING;
  return {
    window,
    deposits: formatMoney(last.moneyIn - start.moneyIn),
    withdrawals: formatMoney(last.moneyOut - start.moneyOut),
    points: held.map(({ timeMs, value }) => pointOf(timeMs, value, start)),
  };
}

function pointOf(timeMs: number, value: AccountSums, start: AccountSums): PortfolioPoint {
  return {
    time: timeMs,
    accountValue: formatMoney(value.value),
    pnl: formatMoney(pnlBetween(start, value)),
    volume: formatMoney(value.volume - start.volume),
    fees: formatMoney(value.fees - start.fees),
    funding: formatMoney(value.funding - start.funding),
  };
}

export const PORTFOLIO_QUERIES = {
  portfolio,
} as const satisfies HistoryQueries;
