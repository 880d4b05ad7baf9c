import { divHalfUp, formatDecimal, formatMoney, MONEY_DECIMALS } from '@oddlot/units';

/**
 * The price and size decimals of an instrument add up to the decimals of money, so a scale stores
 * only the size decimals.
 */
export type Scale = { readonly szDecimals: number };

/** Twice this number is still exact. */
const SMALL_MAX = 2 ** 52;

const RATIO_DECIMALS = 6;
const RATIO_ONE = 10n ** BigInt(RATIO_DECIMALS);
const RATE_DECIMALS = 8;
const FUNDING_DECIMALS = 10;

/**
 * The margin ratio shown for an account without risk, so that clients that compare the number treat
 * the account as safe.
 */
export const RATIO_SAFE = '999999';

export function priceDecimals(scale: Scale): number {
  return MONEY_DECIMALS - scale.szDecimals;
}

export function formatPrice(scale: Scale, value: number): string {
  return formatDecimal(value, priceDecimals(scale));
}

/** Formats a price given in half price units, the unit in which a mid price is exact. */
export function formatHalfPrice(scale: Scale, halves: number): string {
  return formatDecimal(5 * halves, priceDecimals(scale) + 1);
}

export function formatSize(scale: Scale, value: number): string {
  return formatDecimal(value, scale.szDecimals);
}

/** Converts a size to a JSON number, for the few API fields of that type. */
export function sizeAsNumber(scale: Scale, value: number): number {
  return JSON.parse(formatSize(scale, value)) as number;
}

/** Formats a rate given in units of 10^-8. */
export function formatRate(valueE8: number): string {
  return formatDecimal(valueE8, RATE_DECIMALS);
}

/** Formats a reference price given in units of 10^-8. */
export function formatReferencePrice(valueE8: number): string {
  return formatDecimal(valueE8, RATE_DECIMALS);
}

/** Formats a funding rate or premium given in units of 10^-10. */
export function formatRateE10(valueE10: number | bigint): string {
  return formatDecimal(valueE10, FUNDING_DECIMALS);
}

/**
 * Formats the average price of a notional in micro-USDC over a size in lots, rounded half up to six
 * decimals. The result has more decimals than a price unit, so that average × size stays close to
 * the notional.
 */
export function formatAveragePrice(
  scale: Scale,
  notional: bigint | number,
  size: bigint | number,
): string {
  if (Number(size) === 0) return '0';
  const exact = smallAverage(scale, Number(notional), Number(size));
  if (exact !== undefined) return formatMoney(exact);
  const value = magnitude(BigInt(notional));
  const count = magnitude(BigInt(size));
  // The quotient micro-USDC / (lots × 10^-szDecimals) is a price in micro-USDC, which has six
  // decimals.
  const { szDecimals } = scale;
  const average =
    szDecimals >= 0
      ? divHalfUp(value * 10n ** BigInt(szDecimals), count)
      : divHalfUp(value, count * 10n ** BigInt(-szDecimals));
  return formatMoney(average);
}

/**
 * Returns the same average with plain numbers, which are much cheaper, or undefined if an
 * intermediate value could be inexact.
 */
function smallAverage({ szDecimals }: Scale, notional: number, size: number): number | undefined {
  const value = Math.abs(notional) * (szDecimals >= 0 ? 10 ** szDecimals : 1);
  const count = Math.abs(size) * (szDecimals >= 0 ? 1 : 10 ** -szDecimals);
  if (value > SMALL_MAX || count > SMALL_MAX) return undefined;
  const rest = value % count;
  return (value - rest) / count + (2 * rest >= count ? 1 : 0);
}

/** Formats a ratio rounded half up to six decimals. The denominator must be positive. */
export function formatRatio(numerator: bigint, denominator: bigint): string {
  return formatDecimal(divHalfUp(numerator * RATIO_ONE, denominator), RATIO_DECIMALS);
}

/** Returns the number of decimals of a canonical decimal string. */
export function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
