import type { Hash, MicroUsdc } from '@oddlot/units';
import { DueQueue, Heap } from '../collections/heap.ts';
import { MapWithPast } from '../collections/maps.ts';
import { LIMITS } from '../messages/limits.ts';
import type { MarketEvent, OutcomeMarket, SettledMarket } from './outcome-market.ts';
import { PastEvents } from './past-events.ts';
import type { OrderRequest, PriceSource, Recurrence, SeriesListing } from '../messages/command.ts';

/** The state of outcome markets. */
export type Outcomes = {
  /** By slug. */
  readonly events: MapWithPast<string, MarketEvent>;
  /** Ids of events that are not in `past`. */
  readonly eventIds: Set<number>;
  nextEventId: number;
  nextInstrumentId: number;
  /** Markets that are not settled, by instrument id; iterated through `marketIds`, which is sorted. */
  readonly markets: Map<number, OutcomeMarket>;
  readonly marketIds: number[];
  readonly settled: MapWithPast<number, SettledMarket>;
  /** Instrument id by slug, settled ones included: a slug is used once. */
  readonly marketSlugs: MapWithPast<string, number>;
  /** Settled events in a compact form. */
  readonly past: PastEvents;
  /** The time at which fully paid events move to `past`, by the id of one of their markets. Not dumped. */
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

/** R-series: a rule that lists and resolves markets automatically. */
type Series = {
  listing: SeriesListing;
  /** Start of the next market to list. */
  nextStartMs: number;
};

const MINUTE_MS = 60_000;

const PERIOD_MS: Record<Recurrence, number> = {
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '1d': 1_440 * MINUTE_MS,
};

export function periodOf({ recurrence }: SeriesListing): number {
  return PERIOD_MS[recurrence];
}

/** When a series lists its next market; undefined while it is stopped. */
export function nextListingMs({ listing, nextStartMs }: Series): number | undefined {
  return listing.enabled ? nextStartMs - listing.listAhead * periodOf(listing) : undefined;
}

/** Samples of one reference price, enough for the TWAPs of R-series. */
export type PriceFeed = {
  readonly symbol: string;
  readonly source: PriceSource;
  /** Time of the newest observation, even if it does not count. */
  lastMs: number;
  /** The last timely observation of each second, oldest first; bounded. */
  readonly seconds: PricePoint[];
};

/** The last observation in the second that ends at a whole second. */
export type PricePoint = {
  readonly secondMs: number;
  readonly observedMs: number;
  readonly priceE8: number;
};

export function priceFeedKey(symbol: string, source: PriceSource): string {
  return `${symbol}/${source}`;
}

/** R-delay: an outcome order that was accepted and waits to reach the book. */
export type QueuedOrder = {
  /** By arrival. */
  readonly queueId: number;
  readonly accountIndex: number;
  readonly request: OrderRequest;
  /** Its action, and its index there. */
  readonly txHash: Hash;
  readonly index: number;
  readonly dueMs: number;
  readonly acceptedMs: number;
  /** Money of a buy; a sell has reserved its shares in the holding. */
  readonly reserve: MicroUsdc;
};

/** Queued orders by due time, then arrival: many wait when a market has a delay and a crowd. */
class DelayQueue {
  nextId = 1;
  readonly #orders = new Heap<QueuedOrder>((a, b) => byDue(a, b) < 0);
  /** Number of queued orders by action. */
  readonly #byAction = new Map<string, number>();

  get size(): number {
    return this.#orders.size;
  }

  /** Due time of the first order; undefined if the queue is empty. */
  get nextDueMs(): number | undefined {
    return this.#orders.first?.dueMs;
  }

  push(order: QueuedOrder): void {
    this.#orders.push(order);
    this.#byAction.set(order.txHash, (this.#byAction.get(order.txHash) ?? 0) + 1);
  }

  /** Takes the next order that is due; undefined when none is. */
  takeDue(timeMs: number): QueuedOrder | undefined {
    const { first } = this.#orders;
    if (first === undefined || first.dueMs > timeMs) return undefined;
    this.#orders.pop();
    const left = (this.#byAction.get(first.txHash) ?? 0) - 1;
    if (left > 0) this.#byAction.set(first.txHash, left);
    else this.#byAction.delete(first.txHash);
    return first;
  }

  /** Whether an order of the action waits. */
  hasAction(txHash: string): boolean {
    return this.#byAction.has(txHash);
  }

  /**
   * The queue of a fork starts empty: a fork executes commands, which add to the queue and never read it.
   */
  fork(): DelayQueue {
    const queue = new DelayQueue();
    queue.nextId = this.nextId;
    return queue;
  }

  /** Queued sells of an account, unordered. */
  *sellsOf(accountIndex: number): Iterable<QueuedOrder> {
    if (this.size === 0) return;
    for (const order of this.#orders.all()) {
      if (order.accountIndex === accountIndex && order.request.reduceOnly) yield order;
    }
  }

  /** By due time, then arrival. */
  all(): readonly QueuedOrder[] {
    return [...this.#orders.all()].sort(byDue);
  }
}

function byDue(a: QueuedOrder, b: QueuedOrder): number {
  return a.dueMs - b.dueMs || a.queueId - b.queueId;
}
