/**
 * Decimal text (R-decimals-in): optional minus, digits, optional fraction; no exponent, no plus, no
 * blanks, at most 32 characters. Parsed exactly: a value that does not fit the scale is an answer
 * that says so, never a rounded number.
 */

/** The longest decimal text that is read. */
export const DECIMAL_LENGTH_MAX = 32;

const DECIMAL_PATTERN = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** What a decimal text is on a grid of `10^-decimals`. */
type ParsedDecimal = {
  /** The count of grid steps at or below the value (towards minus infinity). */
  readonly floor: bigint;
  /** True when the value lies on the grid, so that `floor` is the value itself. */
  readonly exact: boolean;
};

/** True for text in the accepted form. */
export function isDecimalText(text: string): boolean {
  return text.length <= DECIMAL_LENGTH_MAX && DECIMAL_PATTERN.test(text);
}

/**
 * Reads a decimal text as a count of `10^-decimals`; a negative `decimals` means multiples of ten.
 * Undefined when the text is not in the accepted form.
 */
export function parseDecimal(text: string, decimals: number): ParsedDecimal | undefined {
  if (!isDecimalText(text)) return undefined;
  const negative = text.charCodeAt(0) === 45;
  const point = text.indexOf('.');
  const whole = text.slice(negative ? 1 : 0, point < 0 ? undefined : point);
  const fraction = point < 0 ? '' : text.slice(point + 1);
  const digits = whole + fraction;
  // The value is digits × 10^-fraction.length; move the point to the scale that was asked for.
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

/** Reads a decimal text that must lie on the grid; undefined otherwise. */
export function parseExact(text: string, decimals: number): bigint | undefined {
  const parsed = parseDecimal(text, decimals);
  return parsed?.exact === true ? parsed.floor : undefined;
}

/** Canonical text of a count of `10^-decimals`: no trailing zeros, at least "0". */
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
