import { splitEvents } from '@oddlot/translate/read-models/block-events';
import type { AppliedBlock } from '@oddlot/replica/block';
import {
  type EventWithMarkets,
  type ListedEvent,
  type MarketRecord,
  type OutcomeCatalogue,
  type ResolutionRecord,
  settledTime,
} from '@oddlot/translate/read-models/outcome-catalogue';
import type { MarketTextRecord, SettledEventRecord } from './block-rows.ts';
import { type EventListing, marketView, type State } from '@oddlot/engine';
import { present } from '@oddlot/units';
import { RollingVolume } from '@oddlot/translate/read-models/rolling-volume';

export function marketRecords(block: AppliedBlock): MarketTextRecord[] {
  const records: MarketTextRecord[] = [];
  for (const event of splitEvents(block).others) {
    if (event.type !== 'outcomeMarketListed') continue;
    records.push(textOf(event.instrumentId, event.market));
  }
  return records;
}

/**
 * Returns the texts of all markets in the catalogue, including those listed before the history
 * began (R-era).
 */
export function knownMarkets(catalogue: OutcomeCatalogue): MarketTextRecord[] {
  const records: MarketTextRecord[] = [];
  for (const listed of catalogue.listedEvents()) {
    for (const { instrumentId, listing } of catalogue.marketsOf(listed)) {
      records.push(textOf(instrumentId, listing));
    }
  }
  return records;
}

function textOf(
  instrumentId: number,
  listing: { readonly slug: string; readonly question: string; readonly eventSlug: string },
): MarketTextRecord {
  const { eventSlug, question: title, slug } = listing;
  return { instrumentId, slug, title, eventSlug };
}

/** The catalogue's plain data about an event whose markets are all paid out. */
type SettledEventBody = {
  readonly eventId: number;
  readonly seriesSlug: string | null;
  readonly createdMs: number;
  readonly listing: EventListing;
  readonly markets: readonly SettledMarketBody[];
};

type SettledMarketBody = Pick<
  MarketRecord,
  'instrumentId' | 'listing' | 'strikeE8' | 'lastTrade'
> & {
  readonly volume: string;
  readonly resolution: ResolutionRecord;
};

/**
 * Returns the rows of events whose last market was paid out by a block. The catalogue must have
 * received the block already.
 */
export function settledEventsOf(
  state: State,
  catalogue: OutcomeCatalogue,
  block: Pick<AppliedBlock, 'result'>,
): SettledEventRecord[] {
  const touched = new Set<ListedEvent>();
  for (const event of splitEvents(block).others) {
    if (event.type !== 'marketSettled') continue;
    const { listing } = present(catalogue.market(event.instrumentId), 'a market that was paid');
    touched.add(present(catalogue.listedEvent(listing.eventSlug), 'the event of a market'));
  }
  return paidRecords(state, catalogue, touched);
}

/**
 * Returns the rows of settled events that are in the catalogue or were just removed from it. These
 * rows are needed if the history begins with a state, because no block reports those events.
 */
export function settledEventsBefore(
  state: State,
  catalogue: OutcomeCatalogue,
): SettledEventRecord[] {
  return [
    ...catalogue.left.map(settledEventRecord),
    ...paidRecords(state, catalogue, catalogue.listedEvents()),
  ];
}

function paidRecords(
  state: State,
  catalogue: OutcomeCatalogue,
  events: Iterable<ListedEvent>,
): SettledEventRecord[] {
  return [...events]
    .filter((event) => isPaid(state, event))
    .map((event) => settledEventRecord({ event, markets: catalogue.marketsOf(event) }));
}

/** The engine removes a market when its last holder is paid. */
function isPaid(state: State, { instrumentIds }: ListedEvent): boolean {
  return (
    instrumentIds.length > 0 && instrumentIds.every((id) => marketView(state, id) === undefined)
  );
}

function settledEventRecord(settled: EventWithMarkets): SettledEventRecord {
  const { event, markets } = settled;
  const { createdMs, eventId, listing, seriesSlug } = event;
  const volume = markets.reduce((sum, market) => sum + market.volume.total, 0n);
  return {
    eventId,
    slug: listing.slug,
    seriesSlug,
    createdMs,
    startMs: listing.startMs,
    endMs: listing.endMs,
    settledMs: present(settledTime(settled), 'the settlement of a paid event'),
    volumeMicroUsdc: Number(volume),
    tags: listing.tags,
    markets: markets.map(({ instrumentId, listing: { slug, startMs } }) => ({
      instrumentId,
      slug,
      startMs,
    })),
    body: JSON.stringify(bodyOf(settled)),
  };
}

function bodyOf({ event, markets: records }: EventWithMarkets): SettledEventBody {
  const { createdMs, eventId, listing, seriesSlug } = event;
  const markets = records.map((market) => {
    const { instrumentId, lastTrade, resolution, strikeE8, volume } = market;
    return {
      instrumentId,
      listing: market.listing,
      strikeE8,
      lastTrade,
      volume: String(volume.total),
      resolution: present(resolution ?? undefined, 'the result of a paid market'),
    };
  });
  return { eventId, seriesSlug, createdMs, listing, markets };
}

export function settledEventOf({ body }: Pick<SettledEventRecord, 'body'>): EventWithMarkets {
  return eventOf(JSON.parse(body) as SettledEventBody);
}

function eventOf({ markets, ...body }: SettledEventBody): EventWithMarkets {
  const { seriesSlug } = body;
  const instrumentIds = markets.map(({ instrumentId }) => instrumentId);
  return {
    event: { ...body, instrumentIds },
    markets: markets.map(({ volume, ...market }) => ({
      ...market,
      seriesSlug,
      phase: 'resolved',
      // The last trade is more than a week old, so no hour is left in the rolling volume.
      volume: RollingVolume.restore({ hours: [], before: market.lastTrade, total: volume }),
    })),
  };
}
