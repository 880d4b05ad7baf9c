import {
  LIMITS,
  type Portfolio,
  type PortfolioPoint,
  type PortfolioWindow,
} from '@oddlot/protocol';
import { type Address, formatMoney } from '@oddlot/units';
import type { AccountSums, AsOf, History } from '../../../history/history.ts';
import type { AccountValueRecord } from '../../../history/rows/block-rows.ts';
import { waitFor, type HistoryHandler } from './handler.ts';

/** What an account was worth over a window: points at borders of a step, and now. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The borders at which values are kept. */
const STEPS_MS = [5 * MINUTE_MS, HOUR_MS, DAY_MS] as const;
/** How far points may lie apart, so that values are kept for all of them; weeks are doubled. */
const POINT_STEPS_MS: readonly number[] = [
  ...[5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 8, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7].map((days) => days * DAY_MS),
];

/** How far a window reaches back; `all` does to the beginning. */
const SPANS_MS: Readonly<Record<Exclude<PortfolioWindow, 'all'>, number>> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};

type Value = AccountSums & { readonly timeMs: number };

const NOTHING: AccountSums = { value: 0, moneyIn: 0, moneyOut: 0, volume: 0, fees: 0, funding: 0 };

export const portfolio: HistoryHandler<'portfolio', Portfolio> = async ({ history }, query) => {
  const { user, window } = query;
  const { answer, asOf } = await history.ask('accountSums', { user }, waitFor(query));
  const now: Value = { ...NOTHING, ...answer, timeMs: asOf.timeMs };
  const hasAccount = answer !== null;
  const { kept, times } = await valuesOf(history, { user, window, asOf, hasAccount });
  const data = portfolioOf(window, [...kept, now], times);
  return { ok: true, data, asOf, rows: kept.length };
};

type Values = {
  /** Of the points. */
  readonly times: readonly number[];
  /** Oldest first; the first may be from before the first point. */
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
    // A history that was lost since it told the sums knows less.
    return (await history.ask('accountValues', asked, { minHeight: asOf.height })).answer;
  };
  if (window !== 'all') {
    const { stepMs, times } = pointsOf(endMs - SPANS_MS[window], endMs);
    return { times, kept: await read(times[0] ?? endMs, stepFor(stepMs)) };
  }
  const days = await read(0, DAY_MS);
  // The account began within the day before its first full one.
  const firstDayMs = days[0]?.timeMs ?? endMs;
  const [first] = await read(Math.max(0, firstDayMs - DAY_MS), STEPS_MS[0], firstDayMs);
  if (first === undefined && !hasAccount) return { times: [endMs], kept: [] };
  // Its first value is that of the first border behind its beginning, or still to come.
  const startMs = first === undefined ? endMs : first.timeMs - STEPS_MS[0];
  const { stepMs, times } = pointsOf(startMs, endMs);
  const step = stepFor(stepMs);
  return { times, kept: step === DAY_MS ? days : await read(times[0] ?? endMs, step) };
}

/** The coarsest kept step that is no coarser than the points. */
function stepFor(everyMs: number): number {
  return STEPS_MS.findLast((stepMs) => stepMs <= everyMs) ?? STEPS_MS[0];
}

/** From the border at or before the start on, as close together as there may be points; then now. */
function pointsOf(startMs: number, endMs: number): { stepMs: number; times: readonly number[] } {
  const bordersMax = LIMITS.portfolioPointsMax - 1;
  const firstOf = (stepMs: number): number => Math.max(0, startMs - (startMs % stepMs));
  const countOf = (stepMs: number): number => Math.ceil((endMs - firstOf(stepMs)) / stepMs);
  let stepMs = POINT_STEPS_MS.find((each) => countOf(each) <= bordersMax) ?? 7 * DAY_MS;
  while (countOf(stepMs) > bordersMax) stepMs *= 2;
  const firstMs = firstOf(stepMs);
  const borders = Array.from({ length: countOf(stepMs) }, (_, at) => firstMs + at * stepMs);
  return { stepMs, times: [...borders, endMs] };
}

/** Between two records an account is as it was at the first of them. */
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
  // The first point of a whole life is from before its first deposit; who has no life has only now.
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
  const gained = value.value - start.value;
  const broughtIn = value.moneyIn - start.moneyIn;
  const takenOut = value.moneyOut - start.moneyOut;
  return {
    time: timeMs,
    accountValue: formatMoney(value.value),
    pnl: formatMoney(gained - broughtIn + takenOut),
    volume: formatMoney(value.volume - start.volume),
    fees: formatMoney(value.fees - start.fees),
    funding: formatMoney(value.funding - start.funding),
  };
}
