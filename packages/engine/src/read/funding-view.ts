import { timeMs } from '@oddlot/units';
import { currentPremium, nextFundingMs, predictedRateE10 } from '../perp/funding-forecast.ts';
import { impactPrice, shownImpact } from '../perp/funding.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import type { PerpView } from './views.ts';

/** The funding of a perp as traders see it now. */
export function fundingView(
  state: State,
  perp: Perp,
): Pick<PerpView, 'fundingRateE10' | 'premiumE10' | 'impactBid' | 'impactAsk' | 'nextFundingMs'> {
  const { impactNotionalMicroUsdc } = perp.definition;
  return {
    fundingRateE10: predictedRateE10(state, perp),
    premiumE10: currentPremium(state, perp),
    impactBid: shownImpact(impactPrice(perp.book, true, impactNotionalMicroUsdc)),
    impactAsk: shownImpact(impactPrice(perp.book, false, impactNotionalMicroUsdc)),
    nextFundingMs: timeMs(nextFundingMs(state)),
  };
}
