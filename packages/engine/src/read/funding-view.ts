import { timeMs } from '@oddlot/units';
import { impactOf } from '../perp-orders/fillable.ts';
import { isSampled, nextFundingMs, predictedRateE10 } from '../perp/funding-forecast.ts';
import { premiumE10, shownImpact } from '../perp/funding.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import type { PerpView } from './views.ts';

/** The funding of a perp as traders see it now, from orders that could fill (R-fillable). */
export function fundingView(
  state: State,
  perp: Perp,
): Pick<PerpView, 'fundingRateE10' | 'premiumE10' | 'impactBid' | 'impactAsk' | 'nextFundingMs'> {
  const impactBid = impactOf(state, perp, true);
  const impactAsk = impactOf(state, perp, false);
  return {
    fundingRateE10: predictedRateE10(state, perp),
    premiumE10: isSampled(state, perp) ? premiumE10(perp, impactBid, impactAsk) : undefined,
    impactBid: shownImpact(impactBid),
    impactAsk: shownImpact(impactAsk),
    nextFundingMs: timeMs(nextFundingMs(state)),
  };
}
