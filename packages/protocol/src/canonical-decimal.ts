import { DECIMAL_LENGTH_MAX, formatDecimal, parseExact } from '@oddlot/units';

/** A decimal, or a percentage, without superfluous zeros; any other text as it is. */
export function canonicalDecimal(text: string): string {
  const unit = text.endsWith('%') ? '%' : '';
  const digits = unit === '' ? text : text.slice(0, -1);
  const value = parseExact(digits, DECIMAL_LENGTH_MAX);
  return value === undefined ? text : formatDecimal(value, DECIMAL_LENGTH_MAX) + unit;
}
