import { timeMs } from '@oddlot/units';
import type { State } from '../state.ts';
import type { PerpView } from '../read/views.ts';
import { impactPrice, shownImpact } from './funding.ts';
import { currentPremium, nextFundingMs, predictedRateE10 } from './funding-clock.ts';
import type { Perp } from './perp.ts';

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
