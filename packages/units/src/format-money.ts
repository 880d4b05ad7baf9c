import { formatDecimal } from './decimal.ts';
import { MONEY_DECIMALS } from './quantity.ts';

/** Formats micro-USDC as canonical decimal text in USDC. */
export function formatMoney(value: bigint | number): string {
  return formatDecimal(value, MONEY_DECIMALS);
}
