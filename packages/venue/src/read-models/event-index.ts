import type { EngineEvent, State } from '@oddlot/engine';
import { OUTCOME_ID_MIN } from '@oddlot/protocol';
import type { AppliedBlock } from '../block/applied-block.ts';
import type { EventRecord, OutcomeCatalogue } from './catalogue.ts';
import { eventStatus, type EventStatus } from './event-status.ts';
import { Liquidity } from './liquidity.ts';
import { type Place, SortedOrder } from './ranking.ts';

export type EventSort = 'volume' | 'trending' | 'liquidity' | 'newest' | 'endingSoon';

/** Which events, in which order. */
export type EventListQuery = {
  readonly sortBy: EventSort;
  readonly status: EventStatus | 'all';
  readonly tag: string | undefined;
};

/** Orders that are kept up to date at once; the one that was not asked for longest goes first. */
const ORDERS_MAX = 32;
/** An order with so many events to move is brought up to date without being asked for. */
const PENDING_MAX = 256;
const HOUR_MS = 3_600_000;

type Order = {
  readonly query: EventListQuery;
  readonly sorted: SortedOrder<EventRecord>;
  /** Events whose place may have changed. */
  readonly pending: Set<EventRecord>;
  /** Volume of a day is counted in whole hours. */
  hour: number;
};

/**
 * The events of the catalogue in every order that is asked for. An order is made when it is first
 * asked for; from then on blocks tell which events to move, and a page costs what is on it.
 */
export class EventIndex {
  readonly #catalogue: OutcomeCatalogue;
  readonly #state: () => State;
  readonly #liquidity: Liquidity;
  /** The one that was asked for last is the last in the map. */
  readonly #orders = new Map<string, Order>();
  /** Who asks for a tag that few events have pays for those few. Made when first asked for. */
  #byTag: Map<string, Set<EventRecord>> | undefined;

  constructor(catalogue: OutcomeCatalogue, state: () => State) {
    this.#catalogue = catalogue;
    this.#state = state;
    this.#liquidity = new Liquidity(state);
  }

  /** After the catalogue has seen the block. */
  onBlock(block: AppliedBlock): void {
    if (this.#orders.size === 0 && this.#byTag === undefined) return;
    const touched = new Set<EventRecord>();
    const rested = new Set<EventRecord>();
    for (const event of block.result.events) {
      const slug = this.#slugOf(event);
      const record = slug === undefined ? undefined : this.#catalogue.event(slug);
      if (record === undefined) continue;
      (event.type === 'orderUpdated' ? rested : touched).add(record);
      if (event.type === 'outcomeEventListed') this.#addTags(record);
    }
    if (touched.size === 0 && rested.size === 0) return;
    for (const order of this.#orders.values()) {
      for (const record of touched) order.pending.add(record);
      // Orders that come and go change nothing but the liquidity.
      if (order.query.sortBy === 'liquidity') {
        for (const record of rested) order.pending.add(record);
      }
      if (order.pending.size >= PENDING_MAX) this.#catchUp(order);
    }
  }

  page(
    query: EventListQuery,
    options: { after: Place | undefined; descending: boolean; limit: number },
  ): { readonly items: EventRecord[]; readonly next: Place | undefined } {
    return this.#orderOf(query).sorted.page(options);
  }

  /** What an event is sorted by. Beyond 2^53 micro-USDC neighbours may tie: it is only an order. */
  keyOf(sortBy: EventSort, event: EventRecord): number {
    const nowMs = this.#state().timeMs;
    switch (sortBy) {
      case 'newest':
        return event.createdMs;
      case 'endingSoon':
        return event.listing.endMs;
      case 'liquidity':
        return Number(this.liquidityOf(event));
      case 'volume':
        return Number(sum(this.#catalogue.marketsOf(event), ({ volume }) => volume.total));
      case 'trending': {
        const markets = this.#catalogue.marketsOf(event);
        return Number(sum(markets, ({ volume }) => volume.day(nowMs).notional));
      }
    }
  }

  /** Notional of all orders that rest in its markets, in micro-USDC. */
  liquidityOf(event: EventRecord): bigint {
    return sum(event.instrumentIds, (id) => this.#liquidity.of(id));
  }

  statusOf(event: EventRecord): EventStatus {
    return eventStatus(this.#catalogue.marketsOf(event).map(({ phase }) => phase));
  }

  #orderOf(query: EventListQuery): Order {
    const { sortBy, status, tag } = query;
    const name = JSON.stringify([sortBy, status, tag]);
    let order = this.#orders.get(name);
    if (order === undefined) order = this.#create(query);
    else if (sortBy === 'trending' && order.hour !== this.#hour()) this.#fill(order);
    else this.#catchUp(order);
    this.#orders.delete(name);
    this.#orders.set(name, order);
    if (this.#orders.size > ORDERS_MAX) {
      const [oldest] = this.#orders.keys();
      if (oldest !== undefined) this.#orders.delete(oldest);
    }
    return order;
  }

  #create(query: EventListQuery): Order {
    const order: Order = { query, sorted: new SortedOrder(), pending: new Set(), hour: 0 };
    this.#fill(order);
    return order;
  }

  #fill(order: Order): void {
    const entries = [];
    for (const item of this.#candidates(order.query)) {
      const key = this.#keyIn(order, item);
      if (key !== undefined) entries.push({ key, id: item.eventId, item });
    }
    order.sorted.reset(entries);
    order.pending.clear();
    order.hour = this.#hour();
  }

  #candidates({ tag }: EventListQuery): Iterable<EventRecord> {
    if (tag === undefined) return this.#catalogue.events();
    if (this.#byTag === undefined) {
      this.#byTag = new Map();
      for (const event of this.#catalogue.events()) this.#addTags(event);
    }
    return this.#byTag.get(tag) ?? [];
  }

  /** Tags that an event has lost stay here: what is listed is asked for its tags anyway. */
  #addTags(event: EventRecord): void {
    for (const tag of event.listing.tags) {
      const tagged = this.#byTag?.get(tag);
      if (tagged === undefined) this.#byTag?.set(tag, new Set([event]));
      else tagged.add(event);
    }
  }

  #catchUp(order: Order): void {
    for (const event of order.pending) {
      order.sorted.place(event.eventId, this.#keyIn(order, event), event);
    }
    order.pending.clear();
  }

  /** Undefined for an event that the order does not list. */
  #keyIn({ query }: Order, event: EventRecord): number | undefined {
    const { sortBy, status, tag } = query;
    if (tag !== undefined && !event.listing.tags.includes(tag)) return undefined;
    if (status !== 'all' && this.statusOf(event) !== status) return undefined;
    return this.keyOf(sortBy, event);
  }

  #hour(): number {
    return Math.floor(this.#state().timeMs / HOUR_MS);
  }

  /** The event that something happened to. */
  #slugOf(event: EngineEvent): string | undefined {
    switch (event.type) {
      case 'outcomeEventListed':
        return event.event.slug;
      case 'outcomeMarketListed':
        return event.market.eventSlug;
      case 'marketPhaseChanged':
      case 'outcomeTraded':
        return this.#catalogue.market(event.instrumentId)?.listing.eventSlug;
      case 'orderUpdated': {
        const { instrumentId } = event.order;
        if (instrumentId < OUTCOME_ID_MIN) return undefined;
        return this.#catalogue.market(instrumentId)?.listing.eventSlug;
      }
      default:
        return undefined;
    }
  }
}

function sum<Item>(items: readonly Item[], amountOf: (item: Item) => bigint): bigint {
  return items.reduce((total, item) => total + amountOf(item), 0n);
}
