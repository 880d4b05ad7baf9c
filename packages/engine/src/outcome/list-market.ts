import { formatDecimal, instrumentId, type InstrumentId, present, ZERO_USDC } from '@oddlot/units';
import { LevelBook } from '../book/level-book.ts';
import type {
  EventListing,
  MarketGrid,
  MarketListing,
  SeriesListing,
} from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Execution } from '../state/execution.ts';
import type { MarketDefinition, OutcomeMarket, PriceReference } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';
import { watchMarket } from './market-phase.ts';

const SIZE_DECIMALS_MAX = 4;
const RATE_DECIMALS = 8;

/** Lists an event for a deployer or a series. The caller must already have validated it. */
export function listEvent(
  execution: Execution,
  event: EventListing,
  seriesSlug: string | undefined,
): number {
  const { commandIndex, events, state } = execution;
  const { outcomes } = state;
  const eventId = event.eventId ?? freeEventId(state);
  outcomes.eventIds.add(eventId);
  outcomes.events.set(event.slug, {
    eventId,
    slug: event.slug,
    mutuallyExclusive: event.mutuallyExclusive,
    startMs: event.startMs,
    endMs: event.endMs,
    instrumentIds: [],
    resolved: 0,
    fractionSum: 0,
  });
  state.digest.text(event.slug);
  state.digest.number(eventId);
  state.digest.number(event.startMs);
  state.digest.number(event.endMs);
  state.digest.word(event.mutuallyExclusive ? 1 : 0);
  events.push({ type: 'outcomeEventListed', commandIndex, eventId, event, seriesSlug });
  return eventId;
}

export function listMarket(
  execution: Execution,
  market: MarketListing,
  series: SeriesListing | undefined,
): InstrumentId {
  const { commandIndex, events, state } = execution;
  const { outcomes } = state;
  const id = market.instrumentId ?? freeInstrumentId(state);
  const { eventSlug, slug, startMs, endMs } = market;
  const listed = createMarket(state, {
    ...gridOf(market),
    instrumentId: id,
    slug,
    eventSlug,
    startMs,
    endMs,
    seriesSlug: series?.slug,
    reference: referenceOf(series),
  });
  if (state.timeMs >= startMs) listed.phase = 'open';
  outcomes.marketSlugs.set(slug, id);
  present(outcomes.events.get(eventSlug), 'the event of a judged market').instrumentIds.push(id);
  watchMarket(state, listed);
  state.digest.text(JSON.stringify(listed.definition));
  const { phase } = listed;
  const what = { instrumentId: id, market, phase, seriesSlug: series?.slug };
  events.push({ type: 'outcomeMarketListed', commandIndex, ...what });
  return id;
}

function referenceOf(series: SeriesListing | undefined): PriceReference | undefined {
  if (series === undefined) return undefined;
  const { source, symbol, windowSeconds } = series;
  return { symbol, source, windowSeconds };
}

export function createMarket(state: State, definition: MarketDefinition): OutcomeMarket {
  const { outcomes } = state;
  const id = definition.instrumentId;
  const market: OutcomeMarket = {
    definition,
    unit: unitOf(definition.szDecimals),
    phase: 'upcoming',
    book: new LevelBook(state.pool, id),
    pairs: 0,
    locked: ZERO_USDC,
    lastTrade: 0,
    lastTradeMs: 0,
    strike: undefined,
    isJudged: false,
    resolution: undefined,
    holders: new Map(),
    unpaid: undefined,
  };
  outcomes.markets.set(id, market);
  // Ids usually increase, so the search for the position of a new one starts at the end.
  let at = outcomes.marketIds.length;
  while (at > 0 && (outcomes.marketIds[at - 1] ?? 0) > id) at--;
  outcomes.marketIds.splice(at, 0, id);
  return market;
}

function unitOf(szDecimals: number): number {
  return 10 ** (6 - szDecimals);
}

export function gridOf(listing: MarketGrid): MarketGrid {
  const { maxOrderSize, minOrderSize, orderDelayMs, priceTick, szDecimals, takerFeeE8 } = listing;
  return { maxOrderSize, minOrderSize, orderDelayMs, priceTick, szDecimals, takerFeeE8 };
}

function freeEventId({ outcomes }: State): number {
  while (isEventIdTaken(outcomes, outcomes.nextEventId)) outcomes.nextEventId += 1;
  return outcomes.nextEventId++;
}

function freeInstrumentId({ outcomes }: State): InstrumentId {
  while (isIdTaken(outcomes, outcomes.nextInstrumentId)) outcomes.nextInstrumentId += 1;
  return instrumentId(outcomes.nextInstrumentId++);
}

export function isEventIdTaken({ eventIds, past }: State['outcomes'], eventId: number): boolean {
  return eventIds.has(eventId) || past.hasEventId(eventId);
}

export function isIdTaken({ markets, settled }: State['outcomes'], id: number): boolean {
  return markets.has(id) || settled.has(id);
}

/** An invalid field in a listing, with its API name and the requirement it violates. */
export type ListingFault = { readonly field: string; readonly why: string };

/**
 * Returns the first error in a grid, or undefined. Bounds are reported in decimals, as in the API.
 */
export function gridFault(grid: MarketGrid): ListingFault | undefined {
  const { maxOrderSize, minOrderSize, orderDelayMs, priceTick, szDecimals, takerFeeE8 } = grid;
  if (!Number.isInteger(szDecimals) || szDecimals < 0 || szDecimals > SIZE_DECIMALS_MAX) {
    return { field: 'sizeDecimals', why: `must be 0 to ${SIZE_DECIMALS_MAX}` };
  }
  const unit = unitOf(szDecimals);
  if (priceTick < 1 || priceTick >= unit || unit % priceTick !== 0) {
    const least = formatDecimal(1, 6 - szDecimals);
    return { field: 'priceTick', why: `must be ${least} to 0.5 and divide 1 without a rest` };
  }
  const size = (lots: number): string => formatDecimal(lots, szDecimals);
  if (minOrderSize < 1) {
    return { field: 'minOrderSize', why: `must be ${size(1)} or a multiple of it` };
  }
  const largest = largestSize(unit);
  if (maxOrderSize < minOrderSize || maxOrderSize > largest) {
    const why = `must be ${size(minOrderSize)} to ${size(largest)}, in steps of ${size(1)}`;
    return { field: 'maxOrderSize', why };
  }
  if (takerFeeE8 < 0 || takerFeeE8 > LIMITS.outcomeFeeMaxE8) {
    const highest = formatDecimal(LIMITS.outcomeFeeMaxE8, RATE_DECIMALS);
    return { field: 'takerFeeRate', why: `must be 0 to ${highest}, at most 8 decimals` };
  }
  if (orderDelayMs < 0 || orderDelayMs > LIMITS.orderDelayMaxMs) {
    return { field: 'orderDelayMs', why: `must be 0 to ${LIMITS.orderDelayMaxMs}` };
  }
  return undefined;
}

function largestSize(unit: number): number {
  return Math.min(LIMITS.sizeMax, Math.floor(Number.MAX_SAFE_INTEGER / unit));
}
