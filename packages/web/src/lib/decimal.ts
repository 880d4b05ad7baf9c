import { divFloor, divHalfUp, divTowardsZero, formatDecimal, isDecimalText } from '@oddlot/units';

/**
 * Arithmetic on decimal text. The text is parsed to a bigint and a scale, because money and prices
 * are never floats.
 */

const QUOTIENT_DECIMALS = 18;

export function isDecimal(text: string | null | undefined): text is string {
  return typeof text === 'string' && isDecimalText(text);
}

export function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

export function add(left: string, right: string): string {
  const { a, b, decimals } = aligned(left, right);
  return formatDecimal(a + b, decimals);
}

export function subtract(left: string, right: string): string {
  const { a, b, decimals } = aligned(left, right);
  return formatDecimal(a - b, decimals);
}

export function multiply(left: string, right: string): string {
  const [a, b] = [read(left), read(right)];
  return formatDecimal(a.count * b.count, a.decimals + b.decimals);
}

/** Divides and rounds towards zero. Returns undefined for a zero divisor. */
export function divide(
  left: string,
  right: string,
  decimals: number = QUOTIENT_DECIMALS,
): string | undefined {
  const { a, b } = aligned(left, right);
  if (b === 0n) return undefined;
  return formatDecimal(divTowardsZero(a * 10n ** BigInt(decimals), b), decimals);
}

export function compare(left: string, right: string): number {
  const { a, b } = aligned(left, right);
  return a < b ? -1 : a > b ? 1 : 0;
}

export function sign(text: string): -1 | 0 | 1 {
  const { count } = read(text);
  return count < 0n ? -1 : count > 0n ? 1 : 0;
}

export function negate(text: string): string {
  const { count, decimals } = read(text);
  return formatDecimal(-count, decimals);
}

export function magnitude(text: string): string {
  return sign(text) < 0 ? negate(text) : text;
}

export function smaller(left: string, right: string): string {
  return compare(left, right) <= 0 ? left : right;
}

export function larger(left: string, right: string): string {
  return compare(left, right) >= 0 ? left : right;
}

export function sum(texts: Iterable<string>): string {
  let total = '0';
  for (const text of texts) total = add(total, text);
  return total;
}

type Rounding = 'down' | 'nearest';

/**
 * Rounds to a number of decimals. `down` rounds towards minus infinity, and `nearest` rounds halves
 * away from zero.
 */
export function roundTo(text: string, decimals: number, rounding: Rounding = 'nearest'): string {
  const { count, decimals: own } = read(text);
  if (own <= decimals) return formatDecimal(count, own);
  const step = 10n ** BigInt(own - decimals);
  const isDown = rounding === 'down';
  return formatDecimal(isDown ? divFloor(count, step) : divHalfUp(count, step), decimals);
}

export function onStep(text: string, step: string, rounding: Rounding = 'nearest'): string {
  const { a, b, decimals } = aligned(text, step);
  if (b <= 0n) return text;
  const steps = rounding === 'down' ? divFloor(a, b) : divHalfUp(a, b);
  return formatDecimal(steps * b, decimals);
}

export function toPixels(text: string): number {
  return Number(text);
}

/** The pattern has no length limit, because products are longer than inputs. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

function read(text: string): { readonly count: bigint; readonly decimals: number } {
  if (!DECIMAL.test(text)) throw new Error(`Not a decimal text: ${text}`);
  return { count: BigInt(text.replace('.', '')), decimals: decimalsOf(text) };
}

function aligned(left: string, right: string): { a: bigint; b: bigint; decimals: number } {
  const [a, b] = [read(left), read(right)];
  const decimals = Math.max(a.decimals, b.decimals);
  return {
    a: a.count * 10n ** BigInt(decimals - a.decimals),
    b: b.count * 10n ** BigInt(decimals - b.decimals),
    decimals,
  };
}
