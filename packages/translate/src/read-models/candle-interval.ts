import type { INTERVALS } from '@oddlot/protocol';

/** The functions in this file define candle intervals. All interval boundaries are in UTC. */

export type CandleInterval = (typeof INTERVALS)[number];

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The first Monday after the epoch, 1970-01-05. Weeks start on Mondays. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The lengths of all intervals except months, whose length varies. */
const STEPS: Readonly<Record<Exclude<CandleInterval, '1M'>, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '3d': 3 * DAY_MS,
  '1w': 7 * DAY_MS,
};

/** Returns the start of the candle that covers a time. */
export function startOf(interval: CandleInterval, timeMs: number): number {
  if (interval === '1M') return monthStart(timeMs, 0);
  const step = STEPS[interval];
  const origin = interval === '1w' ? FIRST_MONDAY_MS : 0;
  return Math.floor((timeMs - origin) / step) * step + origin;
}

/**
 * Returns the start of the candle that is `count` candles later, or earlier if `count` is negative.
 */
export function startAfter(interval: CandleInterval, startMs: number, count = 1): number {
  return interval === '1M' ? monthStart(startMs, count) : startMs + count * STEPS[interval];
}

/** Returns true if rows with this step can be combined into candles of the interval. */
export function isMadeOf(interval: CandleInterval, stepMs: number): boolean {
  return interval === '1M' ? DAY_MS % stepMs === 0 : STEPS[interval] % stepMs === 0;
}

function monthStart(timeMs: number, months: number): number {
  const date = new Date(timeMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
}
