/**
 * The maximum length of decimal text (R-decimals-in), which has an optional minus sign, digits and
 * an optional fraction, but no exponent, plus sign or spaces. Parsing is exact: a value that does
 * not fit the scale is reported as inexact, never silently rounded.
 */

export const DECIMAL_LENGTH_MAX = 32;

const DECIMAL_PATTERN = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** A decimal value on a grid of `10^-decimals`. */
type ParsedDecimal = {
  /** The number of grid steps at or below the value (rounded towards minus infinity). */
  readonly floor: bigint;
  /** True if the value is on the grid, so that no rounding was needed. */
  readonly exact: boolean;
};

/** Returns true if the text is in the accepted form. */
export function isDecimalText(text: string): boolean {
  return text.length <= DECIMAL_LENGTH_MAX && DECIMAL_PATTERN.test(text);
}

/**
 * Parses decimal text as a count of `10^-decimals`; a negative `decimals` means multiples of ten.
 * Returns undefined if the text is not in the accepted form.
 */
export function parseDecimal(text: string, decimals: number): ParsedDecimal | undefined {
  if (!isDecimalText(text)) return undefined;
  const negative = text.charCodeAt(0) === 45;
  const point = text.indexOf('.');
  const whole = text.slice(negative ? 1 : 0, point < 0 ? undefined : point);
  const fraction = point < 0 ? '' : text.slice(point + 1);
  const digits = whole + fraction;
  // The value is digits × 10^-fraction.length, so the decimal point is shifted to the requested
  // scale.
  const shift = decimals - fraction.length;
  const magnitude = BigInt(digits);
  if (shift >= 0) {
    const scaled = magnitude * 10n ** BigInt(shift);
    return { floor: negative ? -scaled : scaled, exact: true };
  }
  const divisor = 10n ** BigInt(-shift);
  const quotient = magnitude / divisor;
  const exact = quotient * divisor === magnitude;
  const floor = negative ? -(exact ? quotient : quotient + 1n) : quotient;
  return { floor, exact };
}

/** Parses decimal text that must be on the grid; returns undefined if it is not. */
export function parseExact(text: string, decimals: number): bigint | undefined {
  const parsed = parseDecimal(text, decimals);
  return parsed?.exact === true ? parsed.floor : undefined;
}

/** Formats a count of `10^-decimals` as canonical text without trailing zeros; zero is "0". */
export function formatDecimal(value: number | bigint, decimals: number): string {
  const negative = value < 0;
  let digits = String(value);
  if (negative) digits = digits.slice(1);
  if (decimals <= 0) {
    if (digits === '0') return '0';
    return (negative ? '-' : '') + digits + '0'.repeat(-decimals);
  }
  if (digits.length <= decimals) digits = '0'.repeat(decimals - digits.length + 1) + digits;
  const split = digits.length - decimals;
  let end = digits.length;
  while (end > split && digits.charCodeAt(end - 1) === 48) end--;
  const text =
    end === split
      ? digits.slice(0, split)
      : `${digits.slice(0, split)}.${digits.slice(split, end)}`;
  return negative ? `-${text}` : text;
}
