import type { Portfolio, PortfolioPoint, PortfolioWindow } from '@oddlot/protocol';
import { type Address, formatMoney } from '@oddlot/units';
import type { AccountSums, AsOf, History } from '@oddlot/history/history';
import { NOTHING, pnlBetween, pointsOf, pointsOfWindow } from '@oddlot/history/portfolio';
import type { AccountValueRecord } from '@oddlot/history/rows/block-rows';
import { waitFor, type HistoryHandler, type HistoryQueries } from './handler.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The intervals at which the history stores account values. */
const STEPS_MS = [5 * MINUTE_MS, HOUR_MS, DAY_MS] as const;

type Value = AccountSums & { readonly timeMs: number };

const portfolio: HistoryHandler<'portfolio', Portfolio> = async ({ history }, query) => {
  const { user, window } = query;
  const { answer, asOf } = await history.ask('accountSums', { user }, waitFor(query));
  const now: Value = { ...NOTHING, ...answer, timeMs: asOf.timeMs };
  const hasAccount = answer !== null;
  const { stored, times } = await valuesOf(history, { user, window, asOf, hasAccount });
  const data = portfolioOf(window, [...stored, now], times);
  return { ok: true, data, asOf };
};

type Values = {
  readonly times: readonly number[];
  /** The stored values, oldest first. The first value can be older than the first point. */
  readonly stored: readonly AccountValueRecord[];
};

type PortfolioRequest = {
  readonly user: Address;
  readonly window: PortfolioWindow;
  readonly asOf: AsOf;
  readonly hasAccount: boolean;
};

async function valuesOf(
  history: History,
  { asOf, hasAccount, user, window }: PortfolioRequest,
): Promise<Values> {
  const endMs = asOf.timeMs;
  const read = async (startMs: number, stepMs: number, untilMs = endMs) => {
    const asked = { user, stepMs, startMs, endMs: untilMs };
    // The history must include the block of these sums: a history that has lost data has an older
    // block.
    return (await history.ask('accountValues', asked, { minHeight: asOf.height })).answer;
  };
  if (window !== 'all') {
    const { stepMs, times } = pointsOfWindow(window, endMs);
    return { times, stored: await read(times[0] ?? endMs, stepFor(stepMs)) };
  }
  const days = await read(0, DAY_MS);
  // The account was created during the day before its first stored day.
  const firstDayMs = days[0]?.timeMs ?? endMs;
  const [first] = await read(Math.max(0, firstDayMs - DAY_MS), STEPS_MS[0], firstDayMs);
  if (first === undefined && !hasAccount) return { times: [endMs], stored: [] };
  // The first value is stored at the first interval boundary after the account was created. A new
  // account has no stored value yet.
  const startMs = first === undefined ? endMs : first.timeMs - STEPS_MS[0];
  const { stepMs, times } = pointsOf(startMs, endMs);
  const step = stepFor(stepMs);
  return { times, stored: step === DAY_MS ? days : await read(times[0] ?? endMs, step) };
}

/** Returns the longest stored interval that is no longer than the distance between points. */
function stepFor(everyMs: number): number {
  return STEPS_MS.findLast((stepMs) => stepMs <= everyMs) ?? STEPS_MS[0];
}

/** Computes the value at each point. Between two records, the values of the earlier one apply. */
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
  // In the all-time window, the first point precedes the first deposit. A new account has only the
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
