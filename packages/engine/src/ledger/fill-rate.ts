import { rateE8, type RateE8 } from '@oddlot/units';
import type { FeeTier } from '../messages/fee-tier.ts';

/** What a fill pays: the lower of the account's tier and the instrument's own rate. */
export function fillRate(
  tier: FeeTier,
  instrument: { readonly makerFeeE8: number; readonly takerFeeE8: number },
  role: 'maker' | 'taker',
): RateE8 {
  return role === 'maker'
    ? rateE8(Math.min(tier.makerFeeE8, instrument.makerFeeE8))
    : rateE8(Math.min(tier.takerFeeE8, instrument.takerFeeE8));
}
