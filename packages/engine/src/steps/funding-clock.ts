import { divTowardsZero, present } from '@oddlot/units';
import {
  fundingRateE10,
  HOUR_MS,
  hourPremiumE10,
  impactPrice,
  premiumE10,
  SAMPLE_MS,
} from '../perp/funding.ts';
import { parametersOf } from '../state/execution.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';

/**
 * When premiums are sampled and funding falls due. Instants are multiples of 5 s of consensus time,
 * hours multiples of an hour; the sample at the hour itself opens the new hour, so an hour has 720.
 * A block that passes several instants takes one sample, for the latest of them: nobody knows how
 * the books would have stood at the others, which count 0 (R-funding-gaps).
 */

/** The samples of the hour in progress, and what the hour before it owes. */
export type FundingHour = {
  /** Σ samples, 10^-10. */
  sum: bigint;
  samples: number;
  /** Set and paid within one block, so never dumped. */
  due: DueFunding | undefined;
};

/** An hour that pays: when it fell due, at which oracle and rate. */
export type DueFunding = {
  readonly dueMs: number;
  readonly oracle: number;
  /** 10^-10. */
  readonly rateE10: number;
};

/**
 * Looks at the instants between the last block and this one, before the operator's commands change
 * anything: the oracle then in force and a halt are those that the last block left. Of several
 * hours passed only the first can have samples; those without any pay nothing.
 */
export function passInstants(state: State, previousMs: number): void {
  const dueMs = nextMultiple(previousMs, HOUR_MS);
  const firstMs = Math.max(
    nextMultiple(previousMs, SAMPLE_MS),
    nextMultiple(state.timeMs - HOUR_MS, SAMPLE_MS),
  );
  if (firstMs >= state.timeMs) return;
  for (const perp of listedPerps(state)) {
    if (dueMs < state.timeMs) closeHour(state, perp, dueMs);
    for (let at = firstMs; at < state.timeMs; at += SAMPLE_MS) recordOracle(state, perp, at);
  }
}

/**
 * Step (3), after the marks: an hour that ends with this very block closes with what its operator's
 * commands left in force; then the sample of the latest instant passed is taken, from the books as
 * the last block left them.
 */
export function sampleBooks(state: State, previousMs: number): void {
  const { timeMs } = state;
  const latestMs = timeMs - (timeMs % SAMPLE_MS);
  if (latestMs <= previousMs) return;
  for (const perp of listedPerps(state)) {
    if (timeMs % HOUR_MS === 0) closeHour(state, perp, timeMs);
    if (latestMs === timeMs) recordOracle(state, perp, timeMs);
    const premium = currentPremium(state, perp);
    if (premium === undefined) continue;
    perp.funding.sum += premium;
    perp.funding.samples += 1;
    state.digest.amount(premium);
  }
}

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

function closeHour(state: State, perp: Perp, dueMs: number): void {
  const { funding } = perp;
  const parameters = parametersOf(state);
  const isStill = perp.halted || isOracleStale(perp, dueMs, parameters.oracleStaleMs);
  if (funding.samples > 0 && !isStill) {
    const rateE10 = fundingRateE10(hourPremiumE10(funding.sum), parameters);
    funding.due = { dueMs, oracle: perp.oracle, rateE10 };
  }
  funding.sum = 0n;
  funding.samples = 0;
}

function recordOracle(state: State, perp: Perp, instantMs: number): void {
  if (isOracleStale(perp, instantMs, parametersOf(state).oracleStaleMs)) return;
  perp.twap.record(instantMs, perp.oracle);
}

function listedPerps(state: State): Perp[] {
  return state.perpIds
    .map((id) => present(state.perps.get(id), 'a listed perp'))
    .filter((perp) => !perp.delisted);
}

/** The first multiple of a step that lies after a time. */
function nextMultiple(timeMs: number, step: number): number {
  return timeMs - (timeMs % step) + step;
}
