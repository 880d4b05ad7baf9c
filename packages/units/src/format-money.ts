import { formatDecimal } from './decimal.ts';
import { MONEY_DECIMALS } from './quantity.ts';

/** Money as canonical decimal text, given in micro-USDC. */
export function formatMoney(value: bigint | number): string {
  return formatDecimal(value, MONEY_DECIMALS);
}
