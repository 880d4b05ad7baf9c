import { splitEvents } from './block-events.ts';
import {
  type EngineEvent,
  type EventListing,
  type MarketListing,
  type MarketPhase,
  type MarketResolved,
  marketView,
  type SeriesListing,
  type State,
} from '@oddlot/engine';
import { present } from '@oddlot/units';
import { type AppliedBlock, authorityOf, isRequest } from '@oddlot/replica/block';
import { DAY_MS } from './candle-interval.ts';
import { RollingVolume, type RollingVolumeDump } from './rolling-volume.ts';

/**
 * How long an event stays in memory after becoming final. After that, its last trade is too old for
 * the weekly volume, so its displayed data no longer changes.
 */
export const SETTLED_KEPT_MS = 7 * DAY_MS;

/** An event with its texts and the ids of its markets. */
export type ListedEvent = {
  readonly eventId: number;
  listing: EventListing;
  readonly seriesSlug: string | null;
  readonly createdMs: number;
  /** The ids in order of listing. */
  readonly instrumentIds: number[];
};

/**
 * The displayed data of a market. It is kept for longer than in the engine, which drops a market
 * after its payout.
 */
export type MarketRecord = {
  readonly instrumentId: number;
  readonly listing: MarketListing;
  readonly seriesSlug: string | null;
  phase: MarketPhase;
  /** The start price, for a market in a series; null until it is known (R-series). */
  strikeE8: number | null;
  /** The last trade's YES price; 0 before the first trade. */
  lastTrade: number;
  readonly volume: RollingVolume;
  resolution: ResolutionRecord | null;
};

/** An event with its markets in order of listing, from memory or from the history database. */
export type EventWithMarkets = {
  readonly event: ListedEvent;
  readonly markets: readonly MarketRecord[];
};

/** The result of a market and its source (R-settlement). */
export type ResolutionRecord = Pick<
  MarketResolved,
  'fraction' | 'by' | 'oracleOutcome' | 'evidence' | 'inputs'
> & {
  readonly resolvedMs: number;
  readonly height: number;
  /** The hash of the deployer's action; null if the series was resolved automatically. */
  readonly txHash: string | null;
};

/**
 * The events, markets and series with their texts, built from engine events and stored in
 * snapshots. Settled events are dropped after one week of block time; the history database has them
 * from their settlement. `onBlock` must be called for every block in order, including replayed
 * ones.
 */
export class OutcomeCatalogue {
  readonly name = 'outcomes';
  readonly version = 1;
  readonly #events = new Map<string, ListedEvent>();
  readonly #markets = new Map<number, MarketRecord>();
  readonly #marketSlugs = new Map<string, number>();
  readonly #series = new Map<string, SeriesListing>();
  /** The markets of a series in order of listing, which is also the order of their starts. */
  readonly #seriesMarkets = new Map<string, MarketRecord[]>();
  readonly #state: () => State;
  readonly #onLeave: (event: ListedEvent) => void;
  /** The events that the newest block dropped. */
  #left: EventWithMarkets[] = [];
  /** How long settled events stay in memory. */
  readonly retentionMs: number;
  /** The events whose markets are all resolved. */
  readonly #leaving = new LeavingEvents();

  /**
   * Creates an empty catalogue. When an event is dropped, `onLeave` is called while the event is
   * still present.
   */
  constructor(
    state: () => State,
    options: {
      readonly onLeave?: (event: ListedEvent) => void;
      readonly retentionMs?: number;
    } = {},
  ) {
    const { retentionMs = SETTLED_KEPT_MS, onLeave = () => undefined } = options;
    this.#state = state;
    this.#onLeave = onLeave;
    this.retentionMs = retentionMs;
  }

  listedEvent(slug: string): ListedEvent | undefined {
    return this.#events.get(slug);
  }

  market(instrumentId: number): MarketRecord | undefined {
    return this.#markets.get(instrumentId);
  }

  marketBySlug(slug: string): MarketRecord | undefined {
    const id = this.#marketSlugs.get(slug);
    return id === undefined ? undefined : this.#markets.get(id);
  }

  series(slug: string): SeriesListing | undefined {
    return this.#series.get(slug);
  }

  /** Returns the markets of a series, earliest start first. */
  seriesMarkets(slug: string): readonly MarketRecord[] {
    return this.#seriesMarkets.get(slug) ?? [];
  }

  /**
   * Returns the events that the newest block dropped, for code that processes the same block later.
   */
  get left(): readonly EventWithMarkets[] {
    return this.#left;
  }

  /** Returns all events in order of listing. */
  listedEvents(): Iterable<ListedEvent> {
    return this.#events.values();
  }

  marketsOf(listed: ListedEvent): MarketRecord[] {
    return listed.instrumentIds.map((id) => present(this.#markets.get(id), 'a market of an event'));
  }

  onBlock(block: AppliedBlock): void {
    for (const event of splitEvents(block).others) this.#take(block, event);
    this.#dropSettled(block);
  }

  #dropSettled(block: AppliedBlock): void {
    if (this.#left.length > 0) this.#left = [];
    const due = this.#leaving.takeDue(block.timeMs);
    if (due.length === 0) return;
    const paidNow = paidMarkets(block);
    for (const leaving of due) {
      const { slug, leaveMs } = leaving;
      const event = this.#events.get(slug);
      // If another market has been added in the meantime, the event is scheduled again when that
      // market is resolved.
      if (event === undefined || this.#leaveMs(event) !== leaveMs) continue;
      // Code that processes this block later needs the markets paid in the block.
      const isHeld = event.instrumentIds.some((id) => paidNow.has(id));
      if (this.#isPaid(event) && !isHeld) this.#drop(event);
      else this.#leaving.add(leaving);
    }
  }

  #leaveMs(event: ListedEvent): number | undefined {
    const settledMs = settledTime({ event, markets: this.marketsOf(event) });
    return settledMs === undefined ? undefined : settledMs + this.retentionMs;
  }

  #prepareToLeave(event: ListedEvent): void {
    const leaveMs = this.#leaveMs(event);
    if (leaveMs !== undefined) this.#leaving.add({ slug: event.listing.slug, leaveMs });
  }

  /**
   * Returns true if all markets have been paid: the engine drops a market when its last holder is
   * paid.
   */
  #isPaid({ instrumentIds }: ListedEvent): boolean {
    return instrumentIds.every((id) => marketView(this.#state(), id) === undefined);
  }

  #drop(event: ListedEvent): void {
    this.#onLeave(event);
    const markets = this.marketsOf(event);
    this.#left.push({ event, markets });
    for (const market of markets) {
      this.#markets.delete(market.instrumentId);
      this.#marketSlugs.delete(market.listing.slug);
      const others = this.#seriesMarkets.get(market.seriesSlug ?? '');
      others?.splice(others.indexOf(market), 1);
    }
    this.#events.delete(event.listing.slug);
  }

  #take(block: AppliedBlock, event: EngineEvent): void {
    switch (event.type) {
      case 'outcomeEventListed':
        this.#listEvent(block, event);
        break;
      case 'outcomeMarketListed':
        this.#listMarket(event);
        break;
      case 'outcomeSeriesListed':
        this.#series.set(event.series.slug, event.series);
        break;
      case 'marketPhaseChanged':
        this.#of(event.instrumentId).phase = event.to;
        break;
      case 'seriesStruck':
        this.#of(event.instrumentId).strikeE8 = event.strikeE8;
        break;
      case 'marketResolved':
        this.#resolve(block, event);
        break;
      case 'outcomeTraded': {
        const { price, size } = event;
        const market = this.#of(event.instrumentId);
        market.lastTrade = price;
        market.volume.record(block.timeMs, price, size, BigInt(price) * BigInt(size));
        break;
      }
      default:
        break;
    }
  }

  #resolve(block: AppliedBlock, event: MarketResolved): void {
    const market = this.#of(event.instrumentId);
    market.resolution = resolutionOf(block, event);
    this.#prepareToLeave(
      present(this.#events.get(market.listing.eventSlug), 'the event of a market'),
    );
  }

  #of(instrumentId: number): MarketRecord {
    return present(this.#markets.get(instrumentId), 'a market that was listed');
  }

  #listEvent(
    { timeMs }: AppliedBlock,
    { event, eventId, seriesSlug }: Extract<EngineEvent, { type: 'outcomeEventListed' }>,
  ): void {
    const known = this.#events.get(event.slug);
    if (known !== undefined) {
      known.listing = event;
      return;
    }
    this.#events.set(event.slug, {
      eventId,
      listing: event,
      seriesSlug: seriesSlug ?? null,
      createdMs: timeMs,
      instrumentIds: [],
    });
  }

  #listMarket({
    instrumentId,
    market,
    phase,
    seriesSlug,
  }: Extract<EngineEvent, { type: 'outcomeMarketListed' }>): void {
    this.#addMarket({
      instrumentId,
      listing: market,
      seriesSlug: seriesSlug ?? null,
      phase,
      strikeE8: null,
      lastTrade: 0,
      volume: new RollingVolume(),
      resolution: null,
    });
    const listed = present(this.#events.get(market.eventSlug), 'the event of a market');
    listed.instrumentIds.push(instrumentId);
  }

  #addMarket(market: MarketRecord): void {
    const { instrumentId, listing, seriesSlug } = market;
    this.#markets.set(instrumentId, market);
    this.#marketSlugs.set(listing.slug, instrumentId);
    if (seriesSlug === null) return;
    const others = this.#seriesMarkets.get(seriesSlug);
    if (others === undefined) this.#seriesMarkets.set(seriesSlug, [market]);
    else others.push(market);
  }

  dump(): CatalogueDump {
    return {
      events: [...this.#events.values()],
      markets: [...this.#markets.values()].map(({ volume, ...market }) => ({
        ...market,
        volume: volume.dump(),
      })),
      series: [...this.#series.values()],
    };
  }

  reset(): void {
    this.#events.clear();
    this.#markets.clear();
    this.#marketSlugs.clear();
    this.#series.clear();
    this.#seriesMarkets.clear();
    this.#leaving.clear();
    this.#left = [];
  }

  restore(data: unknown): void {
    const plain = data as CatalogueDump;
    for (const listed of plain.events) {
      const instrumentIds = [...listed.instrumentIds];
      this.#events.set(listed.listing.slug, { ...listed, instrumentIds });
    }
    for (const market of plain.markets) {
      const volume = RollingVolume.restore(market.volume);
      this.#addMarket({ ...market, volume });
    }
    for (const series of plain.series) this.#series.set(series.slug, series);
    for (const listed of this.#events.values()) this.#prepareToLeave(listed);
  }
}

/**
 * Returns the time from which an event is final, or undefined while a market is unresolved. From
 * then on, all its markets are resolved and no market can be added, because the event has ended or
 * is an exclusive event with results.
 */
export function settledTime({ event, markets }: EventWithMarkets): number | undefined {
  const { endMs, mutuallyExclusive } = event.listing;
  let latestMs = mutuallyExclusive ? 0 : endMs;
  for (const { resolution } of markets) {
    if (resolution === null) return undefined;
    latestMs = Math.max(latestMs, resolution.resolvedMs);
  }
  return markets.length === 0 ? undefined : latestMs;
}

function paidMarkets(block: AppliedBlock): Set<number> {
  const ids = new Set<number>();
  for (const event of splitEvents(block).others) {
    if (event.type === 'marketSettled') ids.add(event.instrumentId);
  }
  return ids;
}

function resolutionOf(block: AppliedBlock, event: MarketResolved): ResolutionRecord {
  const { by, commandIndex, evidence, fraction, inputs, oracleOutcome } = event;
  return {
    fraction,
    by,
    oracleOutcome,
    evidence,
    inputs,
    resolvedMs: block.timeMs,
    height: block.height,
    txHash: txHashOf(block, commandIndex),
  };
}

/**
 * Returns the hash of the deployer's action, or null for a resolution by the series, which is
 * unsigned.
 */
function txHashOf({ commands }: AppliedBlock, commandIndex: number): string | null {
  const command = commands[commandIndex]?.command;
  return command !== undefined && isRequest(command) ? authorityOf(command).txHash : null;
}

type CatalogueDump = {
  readonly events: readonly ListedEvent[];
  readonly markets: readonly (Omit<MarketRecord, 'volume'> & {
    readonly volume: RollingVolumeDump;
  })[];
  readonly series: readonly SeriesListing[];
};

export type EventStatus = 'upcoming' | 'open' | 'closed' | 'resolved';

/**
 * Derives the status of an event from its markets. An event without markets is still being listed,
 * so it is upcoming.
 */
export function eventStatus(phases: readonly MarketPhase[]): EventStatus {
  if (phases.length === 0) return 'upcoming';
  if (phases.every((phase) => phase === 'resolved')) return 'resolved';
  if (phases.some((phase) => phase === 'open' || phase === 'halted')) return 'open';
  return phases.includes('upcoming') ? 'upcoming' : 'closed';
}

/** An event, and the time at which it leaves memory unless it changes before then. */
type LeavingEvent = { readonly slug: string; readonly leaveMs: number };

/**
 * The events in the order in which they leave: by time and then slug, regardless of the order of
 * insertion.
 */
class LeavingEvents {
  /** The events in ascending order. */
  readonly #events: LeavingEvent[] = [];

  /** Inserts an event. The search starts at the end, because times usually increase. */
  add(leaving: LeavingEvent): void {
    let at = this.#events.length;
    while (at > 0 && isBefore(leaving, this.#events[at - 1])) at--;
    this.#events.splice(at, 0, leaving);
  }

  takeDue(nowMs: number): LeavingEvent[] {
    let count = 0;
    while ((this.#events[count]?.leaveMs ?? Infinity) <= nowMs) count += 1;
    return count === 0 ? [] : this.#events.splice(0, count);
  }

  clear(): void {
    this.#events.length = 0;
  }
}

function isBefore(one: LeavingEvent, other: LeavingEvent | undefined): boolean {
  if (other === undefined || one.leaveMs > other.leaveMs) return false;
  return one.leaveMs < other.leaveMs || one.slug < other.slug;
}
