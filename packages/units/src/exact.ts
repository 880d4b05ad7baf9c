/**
 * Whole numbers between `number` and `bigint`, always exact. Money is bigint, but what an order moves
 * nearly always fits a number, and numbers multiply and divide several times as fast. Each function
 * here either has the exact result in numbers or says `undefined`, and its caller goes on in bigint.
 */

/** The scale of rates, 10^8. */
const SCALE = 100_000_000;
/** What may be divided by the scale: a quotient rounded up, times the scale, is still a safe number. */
const DIVIDEND_MAX = Number.MAX_SAFE_INTEGER - SCALE;
/** A factor below this times less than the scale is such a dividend. */
const FACTOR_MAX = 90_000_000;

const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const TWO_32 = 2 ** 32;

// The two halves of a bigint of 64 bits; nothing stays here from one call to the next.
const big = new BigInt64Array(1);
const halves = new Int32Array(big.buffer);
const unsignedHalves = new Uint32Array(big.buffer);
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const LOW = isLittleEndian ? 0 : 1;
const HIGH = isLittleEndian ? 1 : 0;

/** The bigint of a safe integer. `BigInt()` takes anything and takes its time. */
export function bigintOf(count: number): bigint {
  if (!Number.isSafeInteger(count)) return BigInt(count);
  halves[LOW] = count;
  halves[HIGH] = Math.floor(count / TWO_32);
  return big[0] ?? 0n;
}

/** The number of an amount; undefined when it is not a safe one. */
export function countOf(amount: bigint): number | undefined {
  if (amount > SAFE_MAX || amount < -SAFE_MAX) return undefined;
  big[0] = amount;
  return (halves[HIGH] ?? 0) * TWO_32 + (unsignedHalves[LOW] ?? 0);
}

/** ⌈count × factor / 10^8⌉ of two that are not negative. */
export function scaledUp(count: number, factor: number): number | undefined {
  if (count < 0 || factor < 0) return undefined;
  const product = count * factor;
  if (product <= DIVIDEND_MAX) return overScaleUp(product);
  if (count > DIVIDEND_MAX || factor > FACTOR_MAX) return undefined;
  // In two parts: so many times the scale, which divide without a rest, and what is left.
  const times = overScaleDown(count);
  return times * factor + overScaleUp((count - times * SCALE) * factor);
}

/** ⌊count × factor / 10^8⌋ of two that are not negative. */
export function scaledDown(count: number, factor: number): number | undefined {
  if (count < 0 || factor < 0) return undefined;
  const product = count * factor;
  if (product <= DIVIDEND_MAX) return overScaleDown(product);
  if (count > DIVIDEND_MAX || factor > FACTOR_MAX) return undefined;
  const times = overScaleDown(count);
  return times * factor + overScaleDown((count - times * SCALE) * factor);
}

/** True when a product of two counts is exact and can be divided by the scale. */
export function isScalable(product: number): boolean {
  return product <= DIVIDEND_MAX && product >= -DIVIDEND_MAX;
}

/** ⌈dividend / 10^8⌉. A quotient of safe numbers is rounded by less than what it is from a whole one. */
export function overScaleUp(dividend: number): number {
  return Math.ceil(dividend / SCALE);
}

/** ⌊dividend / 10^8⌋. */
export function overScaleDown(dividend: number): number {
  return Math.floor(dividend / SCALE);
}
