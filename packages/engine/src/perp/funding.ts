import { divFloor, divHalfUp, divTowardsZero, microUsdc, type MicroUsdc } from '@oddlot/units';
import type { LevelBook } from '../book/level-book.ts';
import type { FundingParameters } from '../messages/parameters.ts';
import { SAMPLES_PER_HOUR } from '../state/funding-hour.ts';

/** The arithmetic of R-funding. Premiums and rates count 10^-10; nothing here holds state. */

const E10 = 10_000_000_000n;
/** Levels read at first; a thin book is read further. */
const LEVELS_START = 32;
const LEVELS_GROWTH = 8;

/** A price in price units as an exact fraction. */
type ImpactPrice = { readonly numerator: bigint; readonly denominator: bigint };

/**
 * The average price of a market order worth exactly `notional` micro-USDC against one side of a
 * book (`isBuy`: the bids, which such an order sells into). Whole levels are taken best first, of
 * the last one the fraction that completes the value: with `lots` taken before a level at `price`
 * and `left` still to be traded there, notional / (lots + left / price). Kept exact, so that a
 * coarse price unit does not blur the premium. Undefined when the side is too thin.
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

function averagePrice(
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

/** An impact price as it is shown: a whole price unit, half up. */
export function shownImpact(price: ImpactPrice | undefined): number | undefined {
  return price === undefined ? undefined : Number(divHalfUp(price.numerator, price.denominator));
}

/**
 * (max(impactBid − O, 0) − max(O − impactAsk, 0)) / O in 10^-10, towards zero. A side too thin adds
 * nothing. The bid's impact is below the ask's, so at most one of the two terms is above zero.
 */
export function premiumE10(
  oracle: number,
  impactBid: ImpactPrice | undefined,
  impactAsk: ImpactPrice | undefined,
): bigint {
  const above = impactBid === undefined ? 0n : distanceE10(impactBid, oracle);
  if (above > 0n) return above;
  const below = impactAsk === undefined ? 0n : distanceE10(impactAsk, oracle);
  return below < 0n ? below : 0n;
}

function distanceE10({ numerator, denominator }: ImpactPrice, oracle: number): bigint {
  const base = BigInt(oracle) * denominator;
  return divTowardsZero((numerator - base) * E10, base);
}

/** P of an hour: the sum of its samples over 720, towards zero; missing ones so count 0. */
export function hourPremiumE10(sum: bigint): bigint {
  return divTowardsZero(sum, BigInt(SAMPLES_PER_HOUR));
}

/**
 * F8h = P + clamp(interest − P, ±damper); the rate of an hour is clamp(F8h / 8, ±max). The eighth
 * rounds half up, that is a tie goes towards plus infinity, below zero too: `divHalfUp` would send
 * −73966.5 to −73967.
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

/**
 * What a position collects for an hour, −size × oracle × rate; paid is negative. Rounded towards
 * minus infinity: the payer's amount up, the receiver's down (R-rounding).
 */
export function fundingAmount(size: number, oracle: number, rateE10: number): MicroUsdc {
  return microUsdc(divFloor(-BigInt(size) * BigInt(oracle) * BigInt(rateE10), E10));
}
