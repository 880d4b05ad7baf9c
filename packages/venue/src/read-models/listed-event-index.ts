import type { EngineEvent, State } from '@oddlot/engine';
import { OUTCOME_ID_MIN } from '@oddlot/protocol';
import type { AppliedBlock } from '../block/applied-block.ts';
import type { EventWithMarkets, ListedEvent, OutcomeCatalogue } from './outcome-catalogue.ts';
import { eventStatus, type EventStatus } from './event-status.ts';
import { Liquidity } from './liquidity.ts';
import { type PageOptions, type Place, Ranking } from './ranking.ts';

export type EventSort = 'volume' | 'trending' | 'liquidity' | 'newest' | 'endingSoon';

/** Which events, in which order. */
type EventListQuery = {
  readonly sortBy: EventSort;
  readonly status: EventStatus | 'all';
  readonly tag: string | undefined;
};

/** Rankings that are kept up to date at once; the one that was not asked for longest goes first. */
const RANKINGS_MAX = 32;
/** A ranking with so many events to move is brought up to date without being asked for. */
const PENDING_MAX = 256;
const HOUR_MS = 3_600_000;

type KeptRanking = {
  readonly query: EventListQuery;
  readonly ranking: Ranking<ListedEvent>;
  /** Events whose place may have changed. */
  readonly pending: Set<ListedEvent>;
  /** Volume of a day is counted in whole hours. */
  hour: number;
};

/**
 * The events of the catalogue in every order that is asked for. A ranking is made when it is first
 * asked for; from then on blocks tell which events to move, and a page costs what is on it.
 */
export class ListedEventIndex {
  readonly #catalogue: OutcomeCatalogue;
  readonly #state: () => State;
  readonly #liquidity: Liquidity;
  /** The one that was asked for last is the last in the map. */
  readonly #rankings = new Map<string, KeptRanking>();
  /** Who asks for a tag that few events have pays for those few. Made when first asked for. */
  #byTag: Map<string, Set<ListedEvent>> | undefined;

  constructor(catalogue: OutcomeCatalogue, state: () => State) {
    this.#catalogue = catalogue;
    this.#state = state;
    this.#liquidity = new Liquidity(state);
  }

  /** After the catalogue has seen the block. */
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
    for (const kept of this.#rankings.values()) {
      for (const record of touched) kept.pending.add(record);
      // Orders that come and go change nothing but the liquidity.
      if (kept.query.sortBy === 'liquidity') {
        for (const record of rested) kept.pending.add(record);
      }
      if (kept.pending.size >= PENDING_MAX) this.#catchUp(kept);
    }
  }

  /** Takes out an event that the catalogue lets go of. */
  forget(event: ListedEvent): void {
    for (const { pending, ranking } of this.#rankings.values()) {
      pending.delete(event);
      ranking.place(event.eventId, undefined, event);
    }
    // Those of tags that it has lost too.
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

  /** What an event is sorted by. Beyond 2^53 micro-USDC neighbours may tie: it is only a ranking. */
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

  /** Notional of all orders that rest in its markets, in micro-USDC. */
  liquidityOf(event: ListedEvent): bigint {
    return sum(event.instrumentIds, (id) => this.#liquidity.of(id));
  }

  statusOf(event: ListedEvent): EventStatus {
    return eventStatus(this.#catalogue.marketsOf(event).map(({ phase }) => phase));
  }

  #rankingOf(query: EventListQuery): KeptRanking {
    const { sortBy, status, tag } = query;
    const name = JSON.stringify([sortBy, status, tag]);
    let kept = this.#rankings.get(name);
    if (kept === undefined) kept = this.#create(query);
    else if (sortBy === 'trending' && kept.hour !== this.#hour()) this.#fill(kept);
    else this.#catchUp(kept);
    this.#rankings.delete(name);
    this.#rankings.set(name, kept);
    if (this.#rankings.size > RANKINGS_MAX) {
      const [oldest] = this.#rankings.keys();
      if (oldest !== undefined) this.#rankings.delete(oldest);
    }
    return kept;
  }

  #create(query: EventListQuery): KeptRanking {
    const kept: KeptRanking = { query, ranking: new Ranking(), pending: new Set(), hour: 0 };
    this.#fill(kept);
    return kept;
  }

  #fill(kept: KeptRanking): void {
    const entries = [];
    for (const item of this.#candidates(kept.query)) {
      const key = this.#keyIn(kept, item);
      if (key !== undefined) entries.push({ key, id: item.eventId, item });
    }
    kept.ranking.reset(entries);
    kept.pending.clear();
    kept.hour = this.#hour();
  }

  #candidates({ tag }: EventListQuery): Iterable<ListedEvent> {
    if (tag === undefined) return this.#catalogue.listedEvents();
    if (this.#byTag === undefined) {
      this.#byTag = new Map();
      for (const event of this.#catalogue.listedEvents()) this.#addTags(event);
    }
    return this.#byTag.get(tag) ?? [];
  }

  /** Tags that an event has lost stay here: what is listed is asked for its tags anyway. */
  #addTags(event: ListedEvent): void {
    for (const tag of event.listing.tags) {
      const tagged = this.#byTag?.get(tag);
      if (tagged === undefined) this.#byTag?.set(tag, new Set([event]));
      else tagged.add(event);
    }
  }

  #catchUp(kept: KeptRanking): void {
    for (const event of kept.pending) {
      kept.ranking.place(event.eventId, this.#keyIn(kept, event), event);
    }
    kept.pending.clear();
  }

  /** Undefined for an event that the ranking does not list. */
  #keyIn({ query }: KeptRanking, event: ListedEvent): number | undefined {
    const { sortBy, status, tag } = query;
    if (tag !== undefined && !event.listing.tags.includes(tag)) return undefined;
    if (status !== 'all' && this.statusOf(event) !== status) return undefined;
    return this.keyOf(sortBy, { event, markets: this.#catalogue.marketsOf(event) });
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
