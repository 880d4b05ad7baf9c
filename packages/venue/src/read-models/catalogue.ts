import type {
  EngineEvent,
  EventListing,
  MarketListing,
  MarketPhase,
  MarketResolved,
  SeriesListing,
} from '@oddlot/engine';
import { present } from '@oddlot/units';
import type { AppliedBlock } from '../block/applied-block.ts';
import { authorityOf, isRequest } from '../block/request-command.ts';
import { RollingVolume, type RollingVolumeDump } from './rolling-volume.ts';

/** An event as it is shown: its texts, and the markets that belong to it. */
export type ListedEvent = {
  readonly eventId: number;
  listing: EventListing;
  readonly seriesSlug: string | null;
  readonly createdMs: number;
  /** In order of listing. */
  readonly instrumentIds: number[];
};

/** A market as it is shown, for as long as anybody may ask: the engine forgets it when it is paid. */
export type MarketRecord = {
  readonly instrumentId: number;
  readonly listing: MarketListing;
  readonly seriesSlug: string | null;
  phase: MarketPhase;
  /** R-series: the strike, once it is known. */
  strikeE8: number | null;
  /** YES price of the last trade; 0 before the first. */
  lastTrade: number;
  readonly volume: RollingVolume;
  resolution: ResolutionRecord | null;
};

/** R-settlement: the result and where it came from. */
export type ResolutionRecord = Pick<
  MarketResolved,
  'fraction' | 'by' | 'oracleOutcome' | 'evidence' | 'inputs'
> & {
  readonly resolvedMs: number;
  readonly height: number;
  /** Of the deployer's action; null when the series resolved by itself. */
  readonly txHash: string | null;
};

/**
 * Events, markets and series with their texts, made of what the engine says, settled ones included.
 * To be called for every block, in order, replayed ones included; rides along in snapshots.
 */
export class OutcomeCatalogue {
  readonly name = 'outcomes';
  readonly version = 1;
  readonly #events = new Map<string, ListedEvent>();
  readonly #markets = new Map<number, MarketRecord>();
  readonly #marketSlugs = new Map<string, number>();
  readonly #series = new Map<string, SeriesListing>();
  /** In order of listing, which is that of their start. */
  readonly #seriesMarkets = new Map<string, MarketRecord[]>();

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

  /** The markets of a series, earliest start first. */
  seriesMarkets(slug: string): readonly MarketRecord[] {
    return this.#seriesMarkets.get(slug) ?? [];
  }

  /** In order of listing. */
  listedEvents(): Iterable<ListedEvent> {
    return this.#events.values();
  }

  marketsOf(listed: ListedEvent): MarketRecord[] {
    return listed.instrumentIds.map((id) => present(this.#markets.get(id), 'a market of an event'));
  }

  onBlock(block: AppliedBlock): void {
    for (const event of block.result.events) this.#take(block, event);
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
        this.#of(event.instrumentId).resolution = resolutionOf(block, event);
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
  }
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

/** Of the deployer's action; the process itself and a series sign nothing. */
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
