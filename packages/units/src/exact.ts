/**
 * The denominator of rates. The functions in this file compute exactly with integers of type
 * `number` and `bigint`. Money is bigint, but the amounts for one order nearly always fit in a
 * number, and numbers are several times as fast to multiply and divide. Each function returns the
 * exact result using numbers, or `undefined` if the caller has to continue in bigint.
 */

const SCALE = 100_000_000;
/**
 * The largest dividend for which the quotient by the scale, rounded up and multiplied by the scale
 * again, is still a safe integer.
 */
const DIVIDEND_MAX = Number.MAX_SAFE_INTEGER - SCALE;
/** The largest factor whose product with a number below the scale is at most `DIVIDEND_MAX`. */
const FACTOR_MAX = 90_000_000;

const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const TWO_32 = 2 ** 32;

// These arrays are views of the two halves of a 64-bit bigint; they do not keep a value between
// calls.
const big = new BigInt64Array(1);
const halves = new Int32Array(big.buffer);
const unsignedHalves = new Uint32Array(big.buffer);
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const LOW = isLittleEndian ? 0 : 1;
const HIGH = isLittleEndian ? 1 : 0;

/** Converts a safe integer to bigint faster than `BigInt()` does. */
export function bigintOf(count: number): bigint {
  if (!Number.isSafeInteger(count)) return BigInt(count);
  halves[LOW] = count;
  halves[HIGH] = Math.floor(count / TWO_32);
  return big[0] ?? 0n;
}

/** Converts an amount to a number, or returns undefined if it is not a safe integer. */
export function countOf(amount: bigint): number | undefined {
  if (amount > SAFE_MAX || amount < -SAFE_MAX) return undefined;
  big[0] = amount;
  return (halves[HIGH] ?? 0) * TWO_32 + (unsignedHalves[LOW] ?? 0);
}

/**
 * Returns ⌈count × factor / 10^8⌉ for non-negative arguments, or undefined if it is not exact in
 * numbers.
 */
export function scaledUp(count: number, factor: number): number | undefined {
  if (count < 0 || factor < 0) return undefined;
  const product = count * factor;
  if (product <= DIVIDEND_MAX) return overScaleUp(product);
  if (count > DIVIDEND_MAX || factor > FACTOR_MAX) return undefined;
  // The count is split into a multiple of the scale, which divides evenly, and a remainder.
  const times = overScaleDown(count);
  return times * factor + overScaleUp((count - times * SCALE) * factor);
}

/**
 * Returns ⌊count × factor / 10^8⌋ for non-negative arguments, or undefined if it is not exact in
 * numbers.
 */
export function scaledDown(count: number, factor: number): number | undefined {
  if (count < 0 || factor < 0) return undefined;
  const product = count * factor;
  if (product <= DIVIDEND_MAX) return overScaleDown(product);
  if (count > DIVIDEND_MAX || factor > FACTOR_MAX) return undefined;
  const times = overScaleDown(count);
  return times * factor + overScaleDown((count - times * SCALE) * factor);
}

/** Returns true if a product of two counts is exact and can be divided by the scale. */
export function isScalable(product: number): boolean {
  return product <= DIVIDEND_MAX && product >= -DIVIDEND_MAX;
}

/**
 * Returns ⌈dividend / 10^8⌉. The result is exact, because a quotient of safe numbers has a rounding
 * error smaller than its distance from the next integer.
 */
export function overScaleUp(dividend: number): number {
  return Math.ceil(dividend / SCALE);
}

/** Returns ⌊dividend / 10^8⌋. */
export function overScaleDown(dividend: number): number {
  return Math.floor(dividend / SCALE);
}
