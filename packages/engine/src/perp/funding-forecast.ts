import { divTowardsZero } from '@oddlot/units';
import { parametersOf } from '../state/execution.ts';
import { HOUR_MS, SAMPLE_MS } from '../state/funding-hour.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { fundingRateE10 } from './funding.ts';

/**
 * Whether a premium is sampled: not during a halt, a stale oracle or the closing hour, whose mark is an
 * average (R-delist), and not from an empty book. A side that is too thin contributes 0.
 */
export function isSampled(state: State, perp: Perp): boolean {
  if (perp.halted || perp.closing !== undefined || perp.book.orderCount === 0) return false;
  return !isOracleStale(perp, state.timeMs, parametersOf(state).oracleStaleMs);
}

/**
 * What the hour in progress would pay if its average so far held to its end; missing samples count
 * 0. Without any sample it pays nothing. 10^-10.
 */
export function predictedRateE10(state: State, perp: Perp): number {
  const { samples, sum } = perp.funding;
  if (samples === 0) return 0;
  const passed = Math.floor((state.timeMs % HOUR_MS) / SAMPLE_MS) + 1;
  return fundingRateE10(divTowardsZero(sum, BigInt(passed)), parametersOf(state));
}

/** When the hour in progress falls due. */
export function nextFundingMs(state: State): number {
  return nextMultiple(state.timeMs, HOUR_MS);
}

/** The first multiple of a step that lies after a time. */
export function nextMultiple(timeMs: number, step: number): number {
  return timeMs - (timeMs % step) + step;
}
