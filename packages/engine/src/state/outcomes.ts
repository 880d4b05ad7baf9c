import type { Hash } from '@oddlot/units';
import { DueQueue } from '../collections/due-queue.ts';
import { MapWithPast } from '../collections/map-with-past.ts';
import { LIMITS } from '../messages/limits.ts';
import { DelayQueue } from './delay-queue.ts';
import type { MarketEvent } from './market-event.ts';
import type { OutcomeMarket, SettledMarket } from './outcome-market.ts';
import { PastEvents } from './past-events.ts';
import type { PriceFeed } from './price-feed.ts';
import type { Series } from './series.ts';

/** Everything about outcome markets that the engine keeps. */
export type Outcomes = {
  /** By slug. */
  readonly events: MapWithPast<string, MarketEvent>;
  /** Of events that are not past. */
  readonly eventIds: Set<number>;
  nextEventId: number;
  nextInstrumentId: number;
  /** Markets that are not settled, by instrument id; iterated through `marketIds`, which is sorted. */
  readonly markets: Map<number, OutcomeMarket>;
  readonly marketIds: number[];
  readonly settled: MapWithPast<number, SettledMarket>;
  /** Instrument id by slug, settled ones included: a slug is used once. */
  readonly marketSlugs: MapWithPast<string, number>;
  /** What is left of events that are over, in little room. */
  readonly past: PastEvents;
  /** When events all of whose markets are paid are over, by the id of such a market. Not dumped. */
  readonly pastClock: DueQueue;
  /** By slug, iterated in that order. */
  readonly series: Map<string, Series>;
  /** By `priceFeedKey`. */
  readonly prices: Map<string, PriceFeed>;
  readonly queue: DelayQueue;
  /** The action that each live outcome order came with, by order id. */
  readonly orderTx: Map<number, Hash>;
  /** When markets open and close, and when those of a series are struck and resolved. */
  readonly phaseClock: DueQueue;
  readonly seriesClock: DueQueue;
  /** Markets whose holders are being paid, in the order of their resolution. */
  readonly settling: number[];
};

/** No markets, no prices. */
export function createOutcomes(): Outcomes {
  const past = new PastEvents();
  return {
    events: new MapWithPast({ get: (slug) => past.event(slug), values: () => past.events() }),
    eventIds: new Set(),
    nextEventId: 1,
    nextInstrumentId: LIMITS.perpIdEnd,
    markets: new Map(),
    marketIds: [],
    settled: new MapWithPast({ get: (id) => past.market(id), values: () => past.markets() }),
    marketSlugs: new MapWithPast({
      get: (slug) => past.marketIdOf(slug),
      values: () => past.marketIds(),
    }),
    past,
    pastClock: new DueQueue(),
    series: new Map(),
    prices: new Map(),
    queue: new DelayQueue(),
    orderTx: new Map(),
    phaseClock: new DueQueue(),
    seriesClock: new DueQueue(),
    settling: [],
  };
}
