import { parseDecimal } from '@oddlot/units';

const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const SHORT_TEXT_MAX = 16;
const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];

/**
 * Converts a decimal to grid units, rounded down. Larger values are clamped to the largest safe
 * integer, which every rule rejects.
 */
export function count(text: string, decimals: number): { value: number; exact: boolean } {
  const short = shortCount(text, decimals);
  if (short >= 0) return { value: short, exact: true };
  const parsed = parseDecimal(text, decimals);
  if (parsed === undefined) throw new TypeError(`not a decimal: ${text}`);
  if (parsed.floor > SAFE_MAX) return { value: Number.MAX_SAFE_INTEGER, exact: parsed.exact };
  if (parsed.floor < -SAFE_MAX) return { value: -Number.MAX_SAFE_INTEGER, exact: parsed.exact };
  return { value: Number(parsed.floor), exact: parsed.exact };
}

/**
 * Converts a short decimal that is on the grid, or returns -1 if the general conversion is needed.
 * This function avoids bigints, which would cost more than the rest of the translation combined.
 */
function shortCount(text: string, decimals: number): number {
  if (text.length > SHORT_TEXT_MAX) return -1;
  let value = 0;
  let point = text.length - 1;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit >= 0 && digit <= 9) value = value * 10 + digit;
    else if (text.charCodeAt(index) === 46 && index > 0 && point === text.length - 1) point = index;
    else return -1;
  }
  const scale = POWERS[decimals - (text.length - 1 - point)];
  if (scale === undefined) return -1;
  return Number.isSafeInteger(value * scale) ? value * scale : -1;
}

/**
 * Converts a price to grid units, rounded half up, because a reference price can have more decimals
 * than the venue's grid.
 */
export function nearestCount(text: string, decimals: number): number {
  const { value } = count(text, decimals + 1);
  return Math.floor((value + 5) / 10);
}

/**
 * Converts a decimal from an operator, or returns -1 if it is not on the grid. Definitions must not
 * be rounded silently, and every rule rejects -1 and names the field.
 */
export function exactCount(text: string, decimals: number): number {
  const { value, exact } = count(text, decimals);
  return exact && value < Number.MAX_SAFE_INTEGER ? value : -1;
}
