import { isDecimal, roundTo, sign } from '../../../lib/decimal.ts';
import { number, usdc } from '../../../lib/format.ts';

/** The most that can be put in, in words: money in whole cents that are there; undefined where there is nothing. */
export function mostOf(most: string | undefined, unit: 'money' | 'shares'): string | undefined {
  if (!isDecimal(most)) return undefined;
  const whole = unit === 'money' ? roundTo(most, 2, 'down') : most;
  if (sign(whole) <= 0) return undefined;
  return unit === 'money' ? usdc(whole) : number(whole);
}
