import type { State } from '@oddlot/engine';
import {
  type InfoQueryOf,
  type OutcomeResolution,
  type OutcomeResolutionInputs,
  type OutcomeSeriesTimeline,
  type OutcomeTimelineItem,
  receiptHash,
  refusal,
} from '@oddlot/protocol';
import { divHalfUp } from '@oddlot/units';
import type { MarketRecord, ResolutionRecord } from '../read-models/outcome-catalogue.ts';
import { formatHalfPrice, formatReferencePrice } from '../format.ts';
import type { Place } from '../read-models/listed-event-index.ts';
import {
  answer,
  type InfoContext,
  type InfoHandler,
  instrumentNotFound,
  marketIn,
  marketsNeeded,
  type PastNeeds,
  settledBeforeMs,
  type StateQueries,
} from './info-context.ts';
import {
  decidedBy,
  resolutionStatus,
  settlementFraction,
  shownMarket,
  strikeStatus,
  winningLeg,
} from './outcome-market.ts';

/** Lists the markets of a series, newest start first, including those listed ahead. */
const outcomeSeriesTimeline: InfoHandler<'outcomeSeriesTimeline', OutcomeSeriesTimeline> = (
  context,
  query,
) => {
  const { markets, state } = context;
  const { limit, seriesSlug } = query;
  const series = markets.catalogue.series(seriesSlug);
  if (series === undefined) {
    const details = { field: 'seriesSlug', got: seriesSlug };
    return { ok: false, error: refusal('seriesUnknown', [seriesSlug], details) };
  }
  const found = [...newestStarts(context, query), ...pastStarts(context, query)];
  const shown = found.toSorted((a, b) => b.listing.startMs - a.listing.startMs).slice(0, limit);
  const items = shown.map((record) => timelineItem(state, record));
  const hasMore = found.length > items.length;
  const records = markets.catalogue.seriesMarkets(seriesSlug);
  const running = records[countUntil(records, state.timeMs + 1) - 1];
  const isRunning = running !== undefined && state.timeMs < running.listing.endMs;
  const current = isRunning ? timelineItem(state, running) : null;
  const { recurrence, symbol: underlying, title, windowSeconds } = series;
  const windowMs = windowSeconds * 1_000;
  return answer({ seriesSlug, title, underlying, recurrence, windowMs, current, items, hasMore });
};

type TimelineQuery = InfoQueryOf<'outcomeSeriesTimeline'>;

/**
 * Returns the history needed. Markets end before they are settled, so any that have left memory
 * started before the limit.
 */
const timelineNeeds: PastNeeds<'outcomeSeriesTimeline'> = (context, query) => {
  const { markets, past } = context;
  const { after = -1, before, limit, seriesSlug } = query;
  if (past !== undefined || markets.catalogue.series(seriesSlug) === undefined) return undefined;
  const borderMs = settledBeforeMs(context);
  const oldest = newestStarts(context, query)[limit];
  if (after >= borderMs || (oldest !== undefined && oldest.listing.startMs >= borderMs)) {
    return undefined;
  }
  const place: Place | undefined = before === undefined ? undefined : [before, 0];
  const list = { sortBy: 'start', descending: true, tag: undefined, seriesSlug } as const;
  return { list: { ...list, after: place, limit: limit + 1, settledBeforeMs: borderMs } };
};

/** Returns the markets in memory, including one more than requested if there are more. */
function newestStarts({ markets }: InfoContext, query: TimelineQuery): MarketRecord[] {
  const { after = -1, before = Infinity, limit, seriesSlug } = query;
  const records = markets.catalogue.seriesMarkets(seriesSlug);
  // The starts are in ascending order: `to` is the first start at or after `before`, and `from` is
  // the first start later than `after`.
  const to = countUntil(records, before);
  const from = countUntil(records, after + 1);
  return records.slice(Math.max(from, to - limit - 1), to).reverse();
}

function pastStarts({ markets, past }: InfoContext, { after = -1 }: TimelineQuery): MarketRecord[] {
  const events = past?.list?.events ?? [];
  return events
    .filter(({ event }) => markets.catalogue.listedEvent(event.listing.slug) === undefined)
    .flatMap((event) => event.markets)
    .filter(({ listing }) => listing.startMs > after);
}

function countUntil(records: readonly MarketRecord[], timeMs: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((records[middle]?.listing.startMs ?? Infinity) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

function timelineItem(state: State, record: MarketRecord): OutcomeTimelineItem {
  const market = shownMarket(state, record);
  const { listing, resolution, strikeE8 } = record;
  const settle = resolution?.inputs?.settle;
  return {
    eventSlug: listing.eventSlug,
    marketSlug: listing.slug,
    instrumentId: record.instrumentId,
    startTime: listing.startMs,
    endTime: listing.endMs,
    openPrice: strikeE8 === null ? null : formatReferencePrice(strikeE8),
    closePrice: settle === undefined ? null : average(settle),
    strikeStatus: strikeStatus(state, record),
    resolutionStatus: resolutionStatus(record),
    decidedBy: decidedBy(state, record),
    winningOutcome: winningLeg(market),
    probability: formatHalfPrice(market.scale, market.halves),
  };
}

/** Returns the record from which clients can recompute the result (R-settlement). */
const outcomeResolution: InfoHandler<'outcomeResolution', OutcomeResolution> = (
  context,
  { instrumentId },
) => {
  const record = marketIn(context, instrumentId);
  if (record === undefined) return instrumentNotFound('instrumentId', instrumentId);
  const market = shownMarket(context.state, record);
  const { resolution } = record;
  const receipt = {
    instrumentId,
    resolutionStatus: resolutionStatus(record),
    settlementFraction: settlementFraction(market),
    winningOutcome: winningLeg(market),
    resolvedTime: resolution?.resolvedMs ?? null,
    block: resolution?.height ?? null,
    by: resolution?.by ?? null,
    txHash: resolution?.txHash ?? null,
    oracleOutcome: resolution?.oracleOutcome ?? null,
    evidence: resolution?.evidence ?? null,
    inputs: inputsOf(resolution),
  };
  return answer({ ...receipt, receiptHash: resolution === null ? null : receiptHash(receipt) });
};

const resolutionNeeds: PastNeeds<'outcomeResolution'> = (context, { instrumentId }) =>
  marketsNeeded(context, [instrumentId]);

/** The formula is part of the record, so the result can be verified from the record alone. */
const FORMULA =
  'settlementFraction = 1 if sum(settleSamples) * count(strikeSamples) >= sum(strikeSamples) * count(settleSamples), else 0';

function inputsOf(resolution: ResolutionRecord | null): OutcomeResolutionInputs | null {
  if (resolution === null || resolution.inputs === null) return null;
  const { settle, source, strike, symbol, windowMs } = resolution.inputs;
  return {
    symbol,
    source,
    windowMs,
    strike: average(strike),
    settle: average(settle),
    strikeSamples: strike.samples.map(sample),
    settleSamples: settle.samples.map(sample),
    formula: FORMULA,
  };
}

type Samples = NonNullable<ResolutionRecord['inputs']>['strike'];

/**
 * Formats the average price, rounded half up. The result itself is determined by the exact sums.
 */
function average({ samples, sumE8 }: Samples): string {
  return formatReferencePrice(Number(divHalfUp(BigInt(sumE8), BigInt(samples.length))));
}

function sample({ atMs, priceE8 }: Samples['samples'][number]): { t: number; px: string } {
  return { t: atMs, px: formatReferencePrice(priceE8) };
}

export const OUTCOME_SERIES_QUERIES = {
  outcomeSeriesTimeline: { answer: outcomeSeriesTimeline, needs: timelineNeeds },
  outcomeResolution: { answer: outcomeResolution, needs: resolutionNeeds },
} as const satisfies StateQueries;
