import { divHalfUp, formatDecimal, formatMoney, MONEY_DECIMALS } from '@oddlot/units';

/**
 * Formats the engine's integers as decimal text. Text is canonical: no trailing zeros, at least
 * "0". Unset values are the empty string, which is up to the caller.
 */

/** The size decimals of an instrument; price and size decimals add up to the decimals of money. */
export type Scale = { readonly szDecimals: number };

const RATIO_DECIMALS = 6;
const RATIO_ONE = 10n ** BigInt(RATIO_DECIMALS);
/** Decimals of rates and of reference prices. */
const RATE_DECIMALS = 8;
const FUNDING_DECIMALS = 10;

/** The margin ratio of an account without risk: clients that compare numbers treat it as safe. */
export const RATIO_SAFE = '999999';

export function priceDecimals(scale: Scale): number {
  return MONEY_DECIMALS - scale.szDecimals;
}

/** Formats a price given in price units. */
export function formatPrice(scale: Scale, value: number): string {
  return formatDecimal(value, priceDecimals(scale));
}

/** Formats a price given in half price units, so that a mid is exact. */
export function formatHalfPrice(scale: Scale, halves: number): string {
  return formatDecimal(5 * halves, priceDecimals(scale) + 1);
}

/** Formats a size given in lots; it may be signed. */
export function formatSize(scale: Scale, value: number): string {
  return formatDecimal(value, scale.szDecimals);
}

/** A size as a JSON number, for the few API fields of that type. */
export function sizeAsNumber(scale: Scale, value: number): number {
  return JSON.parse(formatSize(scale, value)) as number;
}

/** Formats a rate given in 10^-8. */
export function formatRate(valueE8: number): string {
  return formatDecimal(valueE8, RATE_DECIMALS);
}

/** Formats a reference price given in 10^-8. */
export function formatReferencePrice(valueE8: number): string {
  return formatDecimal(valueE8, RATE_DECIMALS);
}

/** Formats a funding rate or premium given in 10^-10. */
export function formatRateE10(valueE10: number | bigint): string {
  return formatDecimal(valueE10, FUNDING_DECIMALS);
}

/**
 * The average price of a notional (micro-USDC) over a size (lots), to six decimals, half up. It has
 * more decimals than a price unit, so that average × size equals the notional.
 */
export function formatAveragePrice(
  scale: Scale,
  notional: bigint | number,
  size: bigint | number,
): string {
  if (BigInt(size) === 0n) return '0';
  const value = magnitude(BigInt(notional));
  const count = magnitude(BigInt(size));
  // micro-USDC / (lots × 10^-szDecimals) is micro-USDC per whole unit, which has six decimals.
  const { szDecimals } = scale;
  const average =
    szDecimals >= 0
      ? divHalfUp(value * 10n ** BigInt(szDecimals), count)
      : divHalfUp(value, count * 10n ** BigInt(-szDecimals));
  return formatMoney(average);
}

/** A ratio to six decimals, half up. The denominator is positive. */
export function formatRatio(numerator: bigint, denominator: bigint): string {
  return formatDecimal(divHalfUp(numerator * RATIO_ONE, denominator), RATIO_DECIMALS);
}

/** The number of decimals of a canonical text. */
export function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
