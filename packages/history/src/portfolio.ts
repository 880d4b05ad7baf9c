import type { Address } from '@oddlot/units';
import type { AccountSums, Answer, Ask } from './history.ts';
import { LIMITS, type PortfolioWindow } from '@oddlot/protocol';

export type GainSources = {
  readonly nowMs: number;
  readonly sums: (user: Address) => AccountSums | null;
  readonly users: (from: number, limit: number) => readonly Address[];
  readonly valuesAt: (ask: Ask<'valuesAt'>) => Promise<Answer<'valuesAt'>>;
};

/**
 * Returns the profit and volume of accounts within windows, as shown in their portfolios, omitting
 * accounts that have neither.
 */
export async function accountGains(
  { accounts, windows }: Ask<'accountGains'>,
  { nowMs, sums, users: usersFrom, valuesAt }: GainSources,
): Promise<Answer<'accountGains'>> {
  const users = 'users' in accounts ? accounts.users : usersFrom(accounts.from, accounts.limit);
  const starts = windows.map((window) => windowStartMs(window, nowMs));
  const timesMs = starts.filter((each) => each !== undefined);
  const values = timesMs.length === 0 ? [] : await valuesAt({ users, timesMs });
  const rows = users.flatMap((user, at) => {
    const now = sums(user);
    if (now === null) return [];
    const gains = starts.map((startMs) => {
      const start = startMs === undefined ? NOTHING : values[at]?.[timesMs.indexOf(startMs)];
      const { volume } = start ?? NOTHING;
      return { pnl: pnlBetween(start ?? NOTHING, now), volume: now.volume - volume };
    });
    const isIdle = gains.every(({ pnl, volume }) => pnl === 0 && volume === 0);
    return isIdle ? [] : [{ user, value: now.value, gains }];
  });
  const isLast = 'users' in accounts || users.length < accounts.limit;
  return { rows, next: isLast ? null : accounts.from + users.length };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/**
 * The possible intervals between points: those at which values are stored. If the points do not fit
 * even at a week, the interval is doubled until they do.
 */
const POINT_STEPS_MS: readonly number[] = [
  ...[5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 8, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7].map((days) => days * DAY_MS),
];

/** The length of each window; the window `all` begins with the account. */
const SPANS_MS: Readonly<Record<Exclude<PortfolioWindow, 'all'>, number>> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};

export const NOTHING: AccountSums = {
  value: 0,
  moneyIn: 0,
  moneyOut: 0,
  volume: 0,
  fees: 0,
  funding: 0,
};

type Points = { readonly stepMs: number; readonly times: readonly number[] };

export function pointsOfWindow(window: Exclude<PortfolioWindow, 'all'>, endMs: number): Points {
  return pointsOf(endMs - SPANS_MS[window], endMs);
}

/**
 * Returns the times of points, as dense as the limit allows. The first point is the end of an
 * interval at or before the start; the last is `endMs`.
 */
export function pointsOf(startMs: number, endMs: number): Points {
  const { firstMs, stepMs } = firstPoint(startMs, endMs);
  const count = Math.ceil((endMs - firstMs) / stepMs);
  const borders = Array.from({ length: count }, (_, at) => firstMs + at * stepMs);
  return { stepMs, times: [...borders, endMs] };
}

function windowStartMs(window: PortfolioWindow, endMs: number): number | undefined {
  return window === 'all' ? undefined : firstPoint(endMs - SPANS_MS[window], endMs).firstMs;
}

function firstPoint(startMs: number, endMs: number): { stepMs: number; firstMs: number } {
  const bordersMax = LIMITS.portfolioPointsMax - 1;
  const firstOf = (stepMs: number): number => Math.max(0, startMs - (startMs % stepMs));
  const countOf = (stepMs: number): number => Math.ceil((endMs - firstOf(stepMs)) / stepMs);
  let stepMs = POINT_STEPS_MS.find((each) => countOf(each) <= bordersMax) ?? 7 * DAY_MS;
  while (countOf(stepMs) > bordersMax) stepMs *= 2;
  return { stepMs, firstMs: firstOf(stepMs) };
}

/** Returns the profit between two times in micro-USDC, excluding deposits and withdrawals. */
export function pnlBetween(start: AccountSums, end: AccountSums): number {
  const gained = end.value - start.value;
  return gained - (end.moneyIn - start.moneyIn) + (end.moneyOut - start.moneyOut);
}
