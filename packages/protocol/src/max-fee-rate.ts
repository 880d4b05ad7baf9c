import { parseDecimal, rateE8, type RateE8 } from '@oddlot/units';

/** What a rate may be: the least that the unit holds, and the most that anybody may approve. */
export const MAX_FEE_RATE = { min: '0.000001%', max: '1%' } as const;

/** Decimals of a percentage that a rate in units of 10^-8 can hold. */
const PERCENT_DECIMALS = 6;
const ONE_PERCENT = 1_000_000n;

/**
 * Reads `"0.05%"` as a rate, rounded down; undefined unless it is above 0 and at most 1 %. A rate
 * too small for the unit rounds to 0 and is refused, since it would approve nothing.
 */
export function parseMaxFeeRate(text: string): RateE8 | undefined {
  if (!/^[0-9]+(?:\.[0-9]+)?%$/.test(text)) return undefined;
  const percent = parseDecimal(text.slice(0, -1), PERCENT_DECIMALS);
  if (percent === undefined || percent.floor <= 0n) return undefined;
  const above = percent.floor > ONE_PERCENT || (percent.floor === ONE_PERCENT && !percent.exact);
  return above ? undefined : rateE8(Number(percent.floor));
}
