import type { Hash, MicroUsdc } from '@oddlot/units';
import { DueQueue, Heap } from '../collections/heap.ts';
import { MapWithPast } from '../collections/maps.ts';
import { LIMITS } from '../messages/limits.ts';
import type { MarketEvent, OutcomeMarket, SettledMarket } from './outcome-market.ts';
import { PastEvents } from './past-events.ts';
import type { OrderRequest, PriceSource, Recurrence, SeriesListing } from '../messages/command.ts';

export type Outcomes = {
  readonly events: MapWithPast<string, MarketEvent>;
  /** The ids of the events that have not been moved to `past`. */
  readonly eventIds: Set<number>;
  nextEventId: number;
  nextInstrumentId: number;
  /**
   * The unsettled markets by instrument id, iterated in the order of `marketIds`, which is sorted.
   */
  readonly markets: Map<number, OutcomeMarket>;
  readonly marketIds: number[];
  readonly settled: MapWithPast<number, SettledMarket>;
  /** The instrument ids by slug, including settled markets, because a slug can never be reused. */
  readonly marketSlugs: MapWithPast<string, number>;
  /** The settled events in a compact form. */
  readonly past: PastEvents;
  /**
   * The times at which fully paid events move to `past`, by the id of one of their markets. Not
   * dumped.
   */
  readonly pastClock: DueQueue;
  /** The series by slug, iterated in that order. */
  readonly series: Map<string, Series>;
  /** The price samples by `priceFeedKey`. */
  readonly prices: Map<string, PriceFeed>;
  readonly queue: DelayQueue;
  /** The hashes of the actions that placed the live outcome orders, by order id. */
  readonly orderTx: Map<number, Hash>;
  /**
   * The times at which markets open and close. `seriesClock` has the times at which series markets
   * get their strike and resolve.
   */
  readonly phaseClock: DueQueue;
  readonly seriesClock: DueQueue;
  /** The ids of the markets whose holders are being paid, in order of resolution. */
  readonly settling: number[];
};

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

/** A rule that lists and resolves markets automatically (R-series). */
type Series = {
  listing: SeriesListing;
  /** The start of the next market to list. */
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

/**
 * Returns the time at which a series lists its next market, or undefined while the series is
 * stopped.
 */
export function nextListingMs({ listing, nextStartMs }: Series): number | undefined {
  return listing.enabled ? nextStartMs - listing.listAhead * periodOf(listing) : undefined;
}

/**
 * The samples of one reference price, kept long enough for the time-weighted average prices of
 * R-series.
 */
export type PriceFeed = {
  readonly symbol: string;
  readonly source: PriceSource;
  /** The time of the newest observation, including observations that do not count. */
  lastMs: number;
  /** The last timely observation of each second, oldest first, limited in number. */
  readonly seconds: PricePoint[];
};

/** The last observation in the second that ends at `secondMs`. */
export type PricePoint = {
  readonly secondMs: number;
  readonly observedMs: number;
  readonly priceE8: number;
};

export function priceFeedKey(symbol: string, source: PriceSource): string {
  return `${symbol}/${source}`;
}

/** An accepted outcome order that is waiting out its delay before entering the book (R-delay). */
export type QueuedOrder = {
  /** The id of the queue entry; ids increase in order of arrival. */
  readonly queueId: number;
  readonly accountIndex: number;
  readonly request: OrderRequest;
  /** The hash of the action that placed the order, and the index of the order in that action. */
  readonly txHash: Hash;
  readonly index: number;
  readonly dueMs: number;
  readonly acceptedMs: number;
  /** The money reserved for a buy; a sell's shares are reserved in the holding. */
  readonly reserve: MicroUsdc;
};

/**
 * The queued orders by due time and arrival, in a heap because many orders can be waiting in a busy
 * market with a delay.
 */
class DelayQueue {
  nextId = 1;
  readonly #orders = new Heap<QueuedOrder>((a, b) => byDue(a, b) < 0);
  /** The number of queued orders by the hash of their action. */
  readonly #byAction = new Map<string, number>();

  get size(): number {
    return this.#orders.size;
  }

  /** The due time of the first order, or undefined if the queue is empty. */
  get nextDueMs(): number | undefined {
    return this.#orders.first?.dueMs;
  }

  push(order: QueuedOrder): void {
    this.#orders.push(order);
    this.#byAction.set(order.txHash, (this.#byAction.get(order.txHash) ?? 0) + 1);
  }

  /** Removes and returns the first order that is due, or returns undefined. */
  takeDue(timeMs: number): QueuedOrder | undefined {
    const { first } = this.#orders;
    if (first === undefined || first.dueMs > timeMs) return undefined;
    this.#orders.pop();
    const left = (this.#byAction.get(first.txHash) ?? 0) - 1;
    if (left > 0) this.#byAction.set(first.txHash, left);
    else this.#byAction.delete(first.txHash);
    return first;
  }

  hasAction(txHash: string): boolean {
    return this.#byAction.has(txHash);
  }

  /**
   * Returns a queue for a fork. It starts empty, because a fork executes only commands, which add
   * to the queue but never read it.
   */
  fork(): DelayQueue {
    const queue = new DelayQueue();
    queue.nextId = this.nextId;
    return queue;
  }

  /** Yields an account's queued sells in no particular order. */
  *sellsOf(accountIndex: number): Iterable<QueuedOrder> {
    if (this.size === 0) return;
    for (const order of this.#orders.all()) {
      if (order.accountIndex === accountIndex && order.request.reduceOnly) yield order;
    }
  }

  /** Returns all queued orders, sorted by due time and arrival. */
  all(): readonly QueuedOrder[] {
    return [...this.#orders.all()].sort(byDue);
  }
}

function byDue(a: QueuedOrder, b: QueuedOrder): number {
  return a.dueMs - b.dueMs || a.queueId - b.queueId;
}
