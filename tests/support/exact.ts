/**
 * Exact decimals for expected values. One unit is 10^-24, so that price × size × rate is exact. The
 * names of the division functions state the rounding direction.
 */

const DIGITS = 24;
const ONE = 10n ** BigInt(DIGITS);

export type Exact = bigint;

export function exact(text: string | number): Exact {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(text));
  if (!match) throw new Error(`Not a decimal: ${JSON.stringify(text)}`);
  const [, sign, whole, fraction = ''] = match;
  if (fraction.length > DIGITS) throw new Error(`Too long: ${text}`);
  const units = BigInt(whole! + fraction.padEnd(DIGITS, '0'));
  return sign ? -units : units;
}

/** Returns the canonical decimal text, without trailing zeros. */
export function show(value: Exact): string {
  const digits = (value < 0n ? -value : value).toString().padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}${fraction ? `.${fraction}` : ''}`;
}

/** Returns the product. Throws if it needs more decimals than the scale has. */
export function times(a: Exact, b: Exact): Exact {
  if ((a * b) % ONE !== 0n) throw new Error(`Inexact product of ${show(a)} and ${show(b)}`);
  return (a * b) / ONE;
}

export function down(value: Exact, step: Exact): Exact {
  const rest = value % step;
  return value - (rest < 0n ? rest + step : rest);
}

export function roundedUp(value: Exact, step: Exact): Exact {
  return -down(-value, step);
}

/** Returns `value / divisor`, rounded up to a multiple of `step`. */
export function dividedUp(value: Exact, divisor: number, step: Exact): Exact {
  return roundedUp((value + BigInt(divisor) - 1n) / BigInt(divisor), step);
}

export function sum(values: readonly Exact[]): Exact {
  return values.reduce((total, value) => total + value, 0n);
}

export function absolute(value: Exact): Exact {
  return value < 0n ? -value : value;
}

/** One micro-USDC, the unit of money (R-units). */
export const MICRO = exact('0.000001');
