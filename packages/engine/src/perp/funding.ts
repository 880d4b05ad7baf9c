import { divFloor, divHalfUp, divTowardsZero, type MicroUsdc, microUsdc } from '@oddlot/units';
import type { LevelBook } from '../book/level-book.ts';
import { LIMITS } from '../messages/limits.ts';
import type { FundingParameters } from '../messages/parameters.ts';
import { HOUR_MS, SAMPLE_MS, SAMPLES_PER_HOUR } from '../state/sampled-hours.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import { parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** Funding premiums and rates are in units of 10^-10 (R-funding). */

const E10 = 10_000_000_000n;
const E10_PER_E8 = 100n;
/** The number of levels read at first; more are read if the book is thin. */
const LEVELS_START = 32;
const LEVELS_GROWTH = 8;

/** A price in price units as an exact fraction. */
export type ImpactPrice = { readonly numerator: bigint; readonly denominator: bigint };

/**
 * Returns the average price of a market order worth exactly `notional` micro-USDC against one side
 * of a book (if `isBuy`, against the bids). Levels count in full, best price first; only a fraction
 * of the last one counts, to complete the value. With `lots` taken before a level at `price` and
 * `left` still to be traded there, the price is notional / (lots + left / price). The result is
 * exact, so that a coarse price unit does not distort the premium. Returns undefined if the side is
 * too thin.
 */
export function impactPrice(
  book: LevelBook,
  isBuy: boolean,
  notional: number,
): ImpactPrice | undefined {
  for (let max = LEVELS_START; ; max *= LEVELS_GROWTH) {
    const levels = book.levels(isBuy, max);
    const found = averagePrice(levels, BigInt(notional));
    if (found !== undefined || levels.length < max) return found;
  }
}

/**
 * Returns the impact price for levels that the caller has already read, or undefined if they are
 * worth less than the notional.
 */
export function averagePrice(
  levels: readonly { readonly price: number; readonly size: number }[],
  notional: bigint,
): ImpactPrice | undefined {
  let left = notional;
  let lots = 0n;
  for (const level of levels) {
    const price = BigInt(level.price);
    const value = price * BigInt(level.size);
    if (value >= left) return { numerator: notional * price, denominator: lots * price + left };
    left -= value;
    lots += BigInt(level.size);
  }
  return undefined;
}

/** Returns an impact price for display, rounded half up to a whole price unit. */
export function shownImpact(price: ImpactPrice | undefined): number | undefined {
  return price === undefined ? undefined : Number(divHalfUp(price.numerator, price.denominator));
}

/** Returns the maximum distance of a sampled price from the oracle, in 10^-8. */
export function premiumCapE8(definition: { readonly premiumCapE8?: number }): number {
  return definition.premiumCapE8 ?? LIMITS.premiumCapE8;
}

/** The inputs to a premium in addition to the book's prices. */
type PremiumTerms = Pick<Perp, 'mark' | 'oracle'> & {
  readonly definition: { readonly premiumCapE8?: number };
};

/**
 * Returns (max(b − O, 0) − max(O − a, 0)) / O in 10^-10, rounded towards zero, with b =
 * min(impactBid, mark, (1 + cap) × O) and a = max(impactAsk, mark, (1 − cap) × O). The mark is on
 * one side of the oracle, so at most one of the two terms is above zero. A side that is too thin
 * contributes 0.
 */
export function premiumE10(
  { definition, mark, oracle }: PremiumTerms,
  impactBid: ImpactPrice | undefined,
  impactAsk: ImpactPrice | undefined,
): bigint {
  const impact = mark > oracle ? impactBid : impactAsk;
  if (impact === undefined) return 0n;
  const sign = mark > oracle ? 1n : -1n;
  const marked = sign * distanceE10({ numerator: BigInt(mark), denominator: 1n }, oracle);
  const away = sign * distanceE10(impact, oracle);
  const cap = BigInt(premiumCapE8(definition)) * E10_PER_E8;
  const nearest = [away, marked, cap].reduce((least, each) => (each < least ? each : least));
  return nearest > 0n ? sign * nearest : 0n;
}

function distanceE10({ numerator, denominator }: ImpactPrice, oracle: number): bigint {
  const base = BigInt(oracle) * denominator;
  return divTowardsZero((numerator - base) * E10, base);
}

/**
 * Returns P for an hour: the sum of its samples over 720, rounded towards zero. Missing samples
 * count as 0.
 */
export function hourPremiumE10(sum: bigint): bigint {
  return divTowardsZero(sum, BigInt(SAMPLES_PER_HOUR));
}

/**
 * Returns the hourly rate clamp(F8h / 8, ±max), with F8h = P + clamp(interest − P, ±damper). The
 * division by eight rounds ties towards plus infinity, even below zero, where `divHalfUp` would
 * round −73966.5 to −73967.
 */
export function fundingRateE10(premium: bigint, parameters: FundingParameters): number {
  const interest = BigInt(parameters.fundingInterestE10);
  const pull = clamp(interest - premium, BigInt(parameters.fundingDamperE10));
  const eighth = divFloor(2n * (premium + pull) + 8n, 16n);
  return Number(clamp(eighth, BigInt(parameters.fundingRateMaxE10)));
}

function clamp(value: bigint, limit: bigint): bigint {
  if (value > limit) return limit;
  return value < -limit ? -limit : value;
}

/** The paying side of an hour: its lots, and the insurance fund's share of them. */
export type PayingSide = { readonly lots: number; readonly ofFund: number };

/**
 * Returns the funding that a position receives for an hour, −size × oracle × rate; payments are
 * negative. The insurance fund does not pay funding, so a receiver gets only the share paid by the
 * other paying lots (R-insurance-fund). The amount is rounded once, towards minus infinity, which
 * rounds the payer's amount up and the receiver's down (R-rounding).
 */
export function fundingAmount(
  size: number,
  oracle: number,
  rateE10: number,
  paying: PayingSide,
): MicroUsdc {
  const exact = -BigInt(size) * BigInt(oracle) * BigInt(rateE10);
  if (exact <= 0n || paying.ofFund === 0) return microUsdc(divFloor(exact, E10));
  const share = exact * BigInt(paying.lots - paying.ofFund);
  return microUsdc(divFloor(share, E10 * BigInt(paying.lots)));
}

/**
 * Returns true if a premium is sampled now. Samples are not taken during a halt, while the oracle
 * is stale, from an empty book, or in the closing hour, when the mark is an average (R-delist). A
 * side that is too thin contributes 0.
 */
export function isSampled(state: State, perp: Perp): boolean {
  if (perp.halted || perp.closing !== undefined || perp.book.orderCount === 0) return false;
  return !isOracleStale(perp, state.timeMs, parametersOf(state).oracleStaleMs);
}

/**
 * Returns the rate for the current hour in 10^-10, assuming that its average does not change before
 * it ends. Missing samples count as 0, and if there are no samples, the rate is 0.
 */
export function predictedRateE10(state: State, perp: Perp): number {
  const { samples, sum } = perp.funding;
  if (samples === 0) return 0;
  const passed = Math.floor((state.timeMs % HOUR_MS) / SAMPLE_MS) + 1;
  return fundingRateE10(divTowardsZero(sum, BigInt(passed)), parametersOf(state));
}

export function nextFundingMs(state: State): number {
  return nextMultiple(state.timeMs, HOUR_MS);
}

/** Returns the first multiple of a step after a time. */
export function nextMultiple(timeMs: number, step: number): number {
  return timeMs - (timeMs % step) + step;
}
