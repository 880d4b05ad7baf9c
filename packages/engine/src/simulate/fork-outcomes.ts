import { present } from '@oddlot/units';
import type { OrderPool } from '../book/order-pool.ts';
import { LayeredMap } from '../collections/layered-map.ts';
import type { OutcomeHolding } from '../state/outcome-holding.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';
import type { Outcomes } from '../state/outcomes.ts';
import type { ObjectFields } from './object-fields.ts';

/**
 * The outcome markets of a fork. Signed commands trade on markets and queue orders; what deployers
 * and the clock alone change is shared.
 */
export function forkOutcomes(outcomes: Outcomes, pool: OrderPool): Outcomes {
  const parts: ObjectFields<Outcomes> = {
    events: outcomes.events,
    eventIds: outcomes.eventIds,
    markets: new LayeredMap(outcomes.markets, (market) => forkMarket(market, pool)),
    marketIds: outcomes.marketIds,
    settled: outcomes.settled,
    marketSlugs: outcomes.marketSlugs,
    past: outcomes.past,
    pastClock: outcomes.pastClock,
    series: outcomes.series,
    prices: outcomes.prices,
    queue: outcomes.queue.fork(),
    orderTx: new LayeredMap(outcomes.orderTx),
    phaseClock: outcomes.phaseClock,
    seriesClock: outcomes.seriesClock,
    settling: outcomes.settling,
  };
  return { ...outcomes, ...parts };
}

function forkMarket(market: OutcomeMarket, pool: OrderPool): OutcomeMarket {
  const parts: ObjectFields<OutcomeMarket> = {
    definition: market.definition,
    book: market.book.fork(pool),
    strike: market.strike,
    resolution: market.resolution,
    holders: new LayeredMap(market.holders),
    unpaid: market.unpaid,
  };
  return { ...market, ...parts };
}

/** What an account has in a market, tied to the market of the fork. */
export function copyOutcomeHolding(
  { market, no, orders, yes }: OutcomeHolding,
  markets: ReadonlyMap<number, OutcomeMarket>,
): OutcomeHolding {
  return {
    market: present(markets.get(market.definition.instrumentId), 'the market of a holding'),
    yes: { ...yes },
    no: { ...no },
    orders: { ...orders },
  };
}
