import { divTowardsZero } from '@oddlot/units';
import { parametersOf } from '../state/execution.ts';
import { HOUR_MS, SAMPLE_MS } from '../state/funding-hour.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { fundingRateE10, impactPrice, premiumE10 } from './funding.ts';

/**
 * The premium of the book as it stands, 10^-10; undefined where no sample is taken: a halt, a stale
 * oracle, or no book at all. A book whose sides are too thin has a premium of 0.
 */
export function currentPremium(state: State, perp: Perp): bigint | undefined {
  const { book } = perp;
  const { oracleStaleMs } = parametersOf(state);
  if (perp.halted || isOracleStale(perp, state.timeMs, oracleStaleMs)) return undefined;
  if (book.orderCount === 0) return undefined;
  const { impactNotionalMicroUsdc } = perp.definition;
  return premiumE10(
    perp.oracle,
    impactPrice(book, true, impactNotionalMicroUsdc),
    impactPrice(book, false, impactNotionalMicroUsdc),
  );
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
