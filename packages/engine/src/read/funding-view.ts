import { timeMs } from '@oddlot/units';
import { impactOf } from '../perp-orders/fillable.ts';
import { isSampled, nextFundingMs, predictedRateE10 } from '../perp/funding-forecast.ts';
import { type ImpactPrice, premiumE10, shownImpact } from '../perp/funding.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import type { PerpView } from './views.ts';

type Impacts = {
  readonly height: number;
  readonly version: number;
  readonly bid: ImpactPrice | undefined;
  readonly ask: ImpactPrice | undefined;
};

/** By book: forks of the state have books of their own. */
const known = new WeakMap<Perp['book'], Impacts>();

/** The funding of a perp as traders see it now, from orders that could fill (R-fillable). */
export function fundingView(
  state: State,
  perp: Perp,
): Pick<PerpView, 'fundingRateE10' | 'premiumE10' | 'impactBid' | 'impactAsk' | 'nextFundingMs'> {
  const { ask, bid } = impactsOf(state, perp);
  return {
    fundingRateE10: predictedRateE10(state, perp),
    premiumE10: isSampled(state, perp) ? premiumE10(perp, bid, ask) : undefined,
    impactBid: shownImpact(bid),
    impactAsk: shownImpact(ask),
    nextFundingMs: timeMs(nextFundingMs(state)),
  };
}

/** Orders are tested once a block and book, not with every read. */
function impactsOf(state: State, perp: Perp): Impacts {
  const { height } = state;
  const { version } = perp.book;
  const found = known.get(perp.book);
  if (found?.height === height && found.version === version) return found;
  const bid = impactOf(state, perp, true);
  const impacts = { height, version, bid, ask: impactOf(state, perp, false) };
  known.set(perp.book, impacts);
  return impacts;
}
