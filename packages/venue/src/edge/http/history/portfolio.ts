import {
  LIMITS,
  type Portfolio,
  type PortfolioPoint,
  type PortfolioWindow,
} from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { AccountSums, AsOf, History } from '../../../history/history.ts';
import type { AccountValueRecord } from '../../../history/rows/block-rows.ts';
import { formatMoney } from '../../../translate/format.ts';
import { waitFor, type HistoryHandler } from './handler.ts';

/** What an account was worth over a window: evenly spaced points, of which the last is now. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The borders at which values are kept. */
const STEPS_MS = [5 * MINUTE_MS, HOUR_MS, DAY_MS] as const;

/** How far the points of a window lie apart; `all` reaches back to the beginning. */
const WINDOWS: Readonly<
  Record<Exclude<PortfolioWindow, 'all'>, { spanMs: number; everyMs: number }>
> = {
  day: { spanMs: DAY_MS, everyMs: 5 * MINUTE_MS },
  week: { spanMs: 7 * DAY_MS, everyMs: HOUR_MS },
  month: { spanMs: 30 * DAY_MS, everyMs: 2 * HOUR_MS },
};

type Value = AccountSums & { readonly timeMs: number };

const NOTHING: AccountSums = { value: 0, moneyIn: 0, moneyOut: 0, volume: 0, fees: 0, funding: 0 };

export const portfolio: HistoryHandler<'portfolio', Portfolio> = async ({ history }, query) => {
  const { user, window } = query;
  const { answer, asOf } = await history.ask('accountSums', { user }, waitFor(query));
  const now: Value = { ...NOTHING, ...answer, timeMs: asOf.timeMs };
  const values = await valuesOf(history, { user, window, asOf });
  const data = portfolioOf(
    window,
    [...values.kept, now],
    timesOf(values.startMs, now.timeMs, values.everyMs),
  );
  return { ok: true, data, asOf, rows: values.kept.length };
};

type Values = {
  readonly startMs: number;
  readonly everyMs: number;
  /** Oldest first; the first may be from before the start. */
  readonly kept: readonly AccountValueRecord[];
};

type Question = { readonly user: Address; readonly window: PortfolioWindow; readonly asOf: AsOf };

async function valuesOf(history: History, { asOf, user, window }: Question): Promise<Values> {
  const endMs = asOf.timeMs;
  const read = async (startMs: number, stepMs: number, untilMs = endMs) => {
    const asked = { user, stepMs, startMs, endMs: untilMs };
    return (await history.ask('accountValues', asked, { minHeight: 0 })).answer;
  };
  if (window !== 'all') {
    const { everyMs, spanMs } = WINDOWS[window];
    const startMs = Math.max(0, endMs - spanMs);
    return { startMs, everyMs, kept: await read(startMs, stepFor(everyMs)) };
  }
  const days = await read(0, DAY_MS);
  // The account began within the day before its first full one.
  const firstDayMs = days[0]?.timeMs ?? endMs;
  const earliest = await read(Math.max(0, firstDayMs - DAY_MS), STEPS_MS[0], firstDayMs);
  const startMs = earliest[0]?.timeMs ?? firstDayMs;
  const everyMs = Math.max(
    STEPS_MS[0],
    Math.ceil((endMs - startMs) / (LIMITS.portfolioPointsMax - 1)),
  );
  const stepMs = stepFor(everyMs);
  return { startMs, everyMs, kept: stepMs === DAY_MS ? days : await read(startMs, stepMs) };
}

/** The coarsest kept step that is no coarser than the points, or else the finest. */
function stepFor(everyMs: number): number {
  return STEPS_MS.findLast((stepMs) => stepMs <= everyMs) ?? STEPS_MS[0];
}

/** From the end back to the start, so that the last one is now. */
function timesOf(startMs: number, endMs: number, everyMs: number): number[] {
  const count = Math.floor((endMs - startMs) / everyMs) + 1;
  const kept = Math.max(1, Math.min(LIMITS.portfolioPointsMax, count));
  return Array.from({ length: kept }, (_, index) => endMs - (kept - 1 - index) * everyMs);
}

/** Between two records an account is taken as it was at the first of them. */
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
  // The whole life of an account is measured from before its first deposit.
  const start = window === 'all' ? NOTHING : (held[0]?.value ?? NOTHING);
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
