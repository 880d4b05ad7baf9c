import type { Hash } from '@oddlot/units';
import { DueQueue } from '../collections/due-queue.ts';
import { LIMITS } from '../messages/limits.ts';
import { DelayQueue } from './delay-queue.ts';
import type { MarketEvent } from './market-event.ts';
import type { OutcomeMarket, SettledMarket } from './outcome-market.ts';
import type { PriceFeed } from './price-feed.ts';
import type { Series } from './series.ts';

/** Everything about outcome markets that the engine keeps. */
export type Outcomes = {
  /** By slug. */
  readonly events: Map<string, MarketEvent>;
  readonly eventIds: Set<number>;
  nextEventId: number;
  nextInstrumentId: number;
  /** Markets that are not settled, by instrument id; iterated through `marketIds`, which is sorted. */
  readonly markets: Map<number, OutcomeMarket>;
  readonly marketIds: number[];
  readonly settled: Map<number, SettledMarket>;
  /** Instrument id by slug, settled ones included: a slug is used once. */
  readonly marketSlugs: Map<string, number>;
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
  return {
    events: new Map(),
    eventIds: new Set(),
    nextEventId: 1,
    nextInstrumentId: LIMITS.perpIdEnd,
    markets: new Map(),
    marketIds: [],
    settled: new Map(),
    marketSlugs: new Map(),
    series: new Map(),
    prices: new Map(),
    queue: new DelayQueue(),
    orderTx: new Map(),
    phaseClock: new DueQueue(),
    seriesClock: new DueQueue(),
    settling: [],
  };
}
