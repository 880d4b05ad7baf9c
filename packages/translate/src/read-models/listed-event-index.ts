import { type EngineEvent, marketLiquidity, marketView, type State } from '@oddlot/engine';
import { OUTCOME_ID_MIN } from '@oddlot/protocol';
import type { AppliedBlock } from '@oddlot/replica/block';
import {
  type EventStatus,
  eventStatus,
  type EventWithMarkets,
  type ListedEvent,
  type OutcomeCatalogue,
} from './outcome-catalogue.ts';

export type EventSort = 'volume' | 'trending' | 'liquidity' | 'newest' | 'endingSoon';

type EventListQuery = {
  readonly sortBy: EventSort;
  readonly status: EventStatus | 'all';
  readonly tag: string | undefined;
};

/** The maximum number of rankings. The least recently used ranking is dropped first. */
const RANKINGS_MAX = 32;
/** The number of pending events at which a ranking is updated even if it is not queried. */
const PENDING_MAX = 256;
const HOUR_MS = 3_600_000;

type CachedRanking = {
  readonly query: EventListQuery;
  readonly ranking: Ranking<ListedEvent>;
  /** The events whose position may have changed since the last update. */
  readonly pending: Set<ListedEvent>;
  /**
   * The hour of the last complete update. The daily volume is counted in whole hours, so a new hour
   * can move every event.
   */
  hour: number;
};

/**
 * Ranks the catalogue's events in every requested order. A ranking is built when first queried.
 * Later blocks only mark the events that move, so the cost of a page is proportional to its length.
 */
export class ListedEventIndex {
  readonly #catalogue: OutcomeCatalogue;
  readonly #state: () => State;
  readonly #liquidity: Liquidity;
  /** The most recently used ranking is the last in the map. */
  readonly #rankings = new Map<string, CachedRanking>();
  /**
   * The events by tag, built on the first query with a tag. A query for a rare tag then takes time
   * in proportion to the number of events with that tag.
   */
  #byTag: Map<string, Set<ListedEvent>> | undefined;

  constructor(catalogue: OutcomeCatalogue, state: () => State) {
    this.#catalogue = catalogue;
    this.#state = state;
    this.#liquidity = new Liquidity(state);
  }

  /** Marks the events to move. Must be called after the catalogue has processed the block. */
  onBlock(block: AppliedBlock): void {
    if (this.#rankings.size === 0 && this.#byTag === undefined) return;
    const touched = new Set<ListedEvent>();
    const rested = new Set<ListedEvent>();
    for (const event of block.result.events) {
      const slug = this.#slugOf(event);
      const record = slug === undefined ? undefined : this.#catalogue.listedEvent(slug);
      if (record === undefined) continue;
      (event.type === 'orderUpdated' ? rested : touched).add(record);
      if (event.type === 'outcomeEventListed') this.#addTags(record);
    }
    if (touched.size === 0 && rested.size === 0) return;
    for (const maintained of this.#rankings.values()) {
      for (const record of touched) maintained.pending.add(record);
      // Placing and cancelling orders affects only the liquidity.
      if (maintained.query.sortBy === 'liquidity') {
        for (const record of rested) maintained.pending.add(record);
      }
      if (maintained.pending.size >= PENDING_MAX) this.#catchUp(maintained);
    }
  }

  forget(event: ListedEvent): void {
    for (const { pending, ranking } of this.#rankings.values()) {
      pending.delete(event);
      ranking.place(event.eventId, undefined, event);
    }
    // The event may also be listed under tags that it no longer has.
    for (const [tag, tagged] of this.#byTag ?? []) {
      if (tagged.delete(event) && tagged.size === 0) this.#byTag?.delete(tag);
    }
    for (const id of event.instrumentIds) this.#liquidity.forget(id);
  }

  page(
    query: EventListQuery,
    options: PageOptions,
  ): { readonly items: ListedEvent[]; readonly next: Place | undefined } {
    return this.#rankingOf(query).ranking.page(options);
  }

  /**
   * Returns the sort key of an event. Above 2^53 micro-USDC, different values can have equal keys,
   * which is acceptable for a ranking.
   */
  keyOf(sortBy: EventSort, { event, markets }: EventWithMarkets): number {
    const nowMs = this.#state().timeMs;
    switch (sortBy) {
      case 'newest':
        return event.createdMs;
      case 'endingSoon':
        return event.listing.endMs;
      case 'liquidity':
        return Number(this.liquidityOf(event));
      case 'volume':
        return Number(sum(markets, ({ volume }) => volume.total));
      case 'trending':
        return Number(sum(markets, ({ volume }) => volume.day(nowMs).notional));
    }
  }

  /** Returns the notional of all resting orders in an event's markets, in micro-USDC. */
  liquidityOf(event: ListedEvent): bigint {
    return sum(event.instrumentIds, (id) => this.#liquidity.of(id));
  }

  statusOf(event: ListedEvent): EventStatus {
    return eventStatus(this.#catalogue.marketsOf(event).map(({ phase }) => phase));
  }

  #rankingOf(query: EventListQuery): CachedRanking {
    const { sortBy, status, tag } = query;
    const name = JSON.stringify([sortBy, status, tag]);
    let maintained = this.#rankings.get(name);
    if (maintained === undefined) maintained = this.#create(query);
    else if (sortBy === 'trending' && maintained.hour !== this.#hour()) this.#fill(maintained);
    else this.#catchUp(maintained);
    this.#rankings.delete(name);
    this.#rankings.set(name, maintained);
    if (this.#rankings.size > RANKINGS_MAX) {
      const [oldest] = this.#rankings.keys();
      if (oldest !== undefined) this.#rankings.delete(oldest);
    }
    return maintained;
  }

  #create(query: EventListQuery): CachedRanking {
    const maintained: CachedRanking = {
      query,
      ranking: new Ranking(),
      pending: new Set(),
      hour: 0,
    };
    this.#fill(maintained);
    return maintained;
  }

  #fill(maintained: CachedRanking): void {
    const entries = [];
    for (const item of this.#candidates(maintained.query)) {
      const key = this.#keyIn(maintained, item);
      if (key !== undefined) entries.push({ key, id: item.eventId, item });
    }
    maintained.ranking.reset(entries);
    maintained.pending.clear();
    maintained.hour = this.#hour();
  }

  #candidates({ tag }: EventListQuery): Iterable<ListedEvent> {
    if (tag === undefined) return this.#catalogue.listedEvents();
    if (this.#byTag === undefined) {
      this.#byTag = new Map();
      for (const event of this.#catalogue.listedEvents()) this.#addTags(event);
    }
    return this.#byTag.get(tag) ?? [];
  }

  /**
   * An event also stays listed under its former tags, because queries check its current tags
   * anyway.
   */
  #addTags(event: ListedEvent): void {
    for (const tag of event.listing.tags) {
      const tagged = this.#byTag?.get(tag);
      if (tagged === undefined) this.#byTag?.set(tag, new Set([event]));
      else tagged.add(event);
    }
  }

  #catchUp(maintained: CachedRanking): void {
    for (const event of maintained.pending) {
      maintained.ranking.place(event.eventId, this.#keyIn(maintained, event), event);
    }
    maintained.pending.clear();
  }

  /** Returns the key of an event, or undefined if it is not in the ranking. */
  #keyIn({ query }: CachedRanking, event: ListedEvent): number | undefined {
    const { sortBy, status, tag } = query;
    if (tag !== undefined && !event.listing.tags.includes(tag)) return undefined;
    if (status !== 'all' && this.statusOf(event) !== status) return undefined;
    return this.keyOf(sortBy, { event, markets: this.#catalogue.marketsOf(event) });
  }

  #hour(): number {
    return Math.floor(this.#state().timeMs / HOUR_MS);
  }

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

/** A position in a ranking: a key, and an id that is unique among the items. */
export type Place = readonly [key: number, id: number];

export type PageOptions = {
  readonly after: Place | undefined;
  readonly descending: boolean;
  readonly limit: number;
};

type Entry<Item> = { readonly key: number; readonly id: number; readonly item: Item };

/**
 * Items sorted by key and then by id. A position is found by binary search, so the cost of a page
 * is proportional to its length. Moving an item shifts part of one array.
 */
export class Ranking<Item> {
  /** The entries in ascending order. */
  #entries: Entry<Item>[] = [];
  readonly #keys = new Map<number, number>();

  get size(): number {
    return this.#entries.length;
  }

  /** Replaces all items in one step, which is faster than inserting them one by one. */
  reset(entries: readonly Entry<Item>[]): void {
    this.#entries = entries.toSorted((a, b) => a.key - b.key || a.id - b.id);
    this.#keys.clear();
    for (const { id, key } of entries) this.#keys.set(id, key);
  }

  /** Moves an item to the position of its key, or removes it if the key is undefined. */
  place(id: number, key: number | undefined, item: Item): void {
    const old = this.#keys.get(id);
    if (old === key) return;
    if (old !== undefined) this.#entries.splice(this.#countBelow([old, id]), 1);
    if (key === undefined) {
      this.#keys.delete(id);
      return;
    }
    this.#entries.splice(this.#countBelow([key, id]), 0, { key, id, item });
    this.#keys.set(id, key);
  }

  /**
   * Returns the items after a position, or from the start, in either direction, with the position
   * of the last one.
   */
  page(options: PageOptions): { readonly items: Item[]; readonly next: Place | undefined } {
    const { after, descending, limit } = options;
    const count = this.#entries.length;
    // The remaining items are those from `from` up to, but not including, `to`.
    const from = descending || after === undefined ? 0 : this.#countUpTo(after);
    const to = descending && after !== undefined ? this.#countBelow(after) : count;
    const page = descending
      ? this.#entries.slice(Math.max(from, to - limit), to).reverse()
      : this.#entries.slice(from, Math.min(to, from + limit));
    const last = page.at(-1);
    const hasMore = to - from > page.length;
    return {
      items: page.map(({ item }) => item),
      next: hasMore && last !== undefined ? [last.key, last.id] : undefined,
    };
  }

  #countBelow([key, id]: Place): number {
    return this.#count((entry) => entry.key < key || (entry.key === key && entry.id < id));
  }

  #countUpTo([key, id]: Place): number {
    return this.#count((entry) => entry.key < key || (entry.key === key && entry.id <= id));
  }

  /**
   * Counts the leading entries that satisfy a predicate. Once an entry does not satisfy it, no
   * later entry may.
   */
  #count(holds: (entry: Entry<Item>) => boolean): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && holds(entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The liquidity of outcome markets, recomputed only for books that have changed. */
class Liquidity {
  readonly #state: () => State;
  readonly #known = new Map<number, { readonly version: number; readonly amount: bigint }>();

  constructor(state: () => State) {
    this.#state = state;
  }

  /** Returns the notional of all orders in a market, in micro-USDC. */
  of(instrumentId: number): bigint {
    const version = marketView(this.#state(), instrumentId)?.bookVersion;
    if (version === undefined) {
      this.#known.delete(instrumentId);
      return 0n;
    }
    const known = this.#known.get(instrumentId);
    if (known?.version === version) return known.amount;
    const amount = marketLiquidity(this.#state(), instrumentId);
    this.#known.set(instrumentId, { version, amount });
    return amount;
  }

  forget(instrumentId: number): void {
    this.#known.delete(instrumentId);
  }
}
