import {
  type InfoQueryOf,
  type OutcomeEventMeta,
  type OutcomeEventPage,
  type OutcomeMarketMeta,
  type OutcomeTrading,
  refusal,
} from '@oddlot/protocol';
import {
  eventStatus,
  type EventWithMarkets,
  type ListedEvent,
  type MarketRecord,
} from '../read-models/outcome-catalogue.ts';
import { type PageOptions, type Place, Ranking } from '../read-models/listed-event-index.ts';
import {
  answer,
  eventIn,
  eventsNeeded,
  type InfoAnswer,
  type InfoContext,
  marketIn,
  marketsNeeded,
  OUTCOME_CHANNEL,
  type PastNeeds,
  type StateQueries,
} from './info-context.ts';
import {
  type EventPage,
  isSought,
  listNeeds,
  listPage,
  matchOf,
  SEARCHED_EVENTS,
} from './outcome-list.ts';
import { listOf, PROCESS_SEAL } from '../cursor-seal.ts';
import type { State } from '@oddlot/engine';
import { formatMoney } from '@oddlot/units';
import {
  decimalsOf,
  formatHalfPrice,
  formatPrice,
  formatRate,
  formatReferencePrice,
  formatSize,
} from '../format.ts';
import {
  decidedBy,
  priceOrNull,
  resolutionStatus,
  settlementFraction,
  type ShownMarket,
  shownMarket,
  strikeStatus,
  winningLeg,
} from './outcome-market.ts';

type Query = InfoQueryOf<'outcomeMeta'>;
type Context = InfoContext;

function outcomeMeta(
  context: Context,
  query: Query,
): InfoAnswer<OutcomeEventMeta | OutcomeEventPage> {
  if (query.eventSlug !== undefined) return eventBySlug(context, query, query.eventSlug);
  const options = pageOptions(context, query);
  if (options === 'invalid') {
    const details = { field: query.cursorField, got: query.cursor ?? null };
    return { ok: false, error: refusal('invalidCursor', [], details) };
  }
  const only = matchedMarkets(context, query);
  const page =
    only === undefined
      ? listPage(context, query, options)
      : ownersOf(context, query, only).page(options);
  const { items, next } = isSought(query) ? foundIn(context, query, page) : page;
  const shown = query.markets === 'matched' ? only : undefined;
  return answer({
    events: items.map((event) => shownEvent(context, event, shown)),
    next_cursor: next === undefined ? null : cursorOf(context, query, next),
  });
}

/**
 * Returns the history needed, only for queries that include resolved events, because only those
 * leave memory.
 */
const outcomeMetaNeeds: PastNeeds<'outcomeMeta'> = (context, query) => {
  const { eventSlug, status } = query;
  if (status !== 'resolved' && status !== 'all') return undefined;
  if (eventSlug !== undefined) return eventsNeeded(context, [eventSlug]);
  const options = pageOptions(context, query);
  if (options === 'invalid') return undefined;
  const ids = matchedMarkets(context, query);
  return ids === undefined ? listNeeds(context, query, options) : marketsNeeded(context, [...ids]);
};

function pageOptions(context: Context, query: Query): PageOptions | 'invalid' {
  const after = readCursor(context, query);
  if (after === 'invalid') return 'invalid';
  const limit = isSought(query) ? SEARCHED_EVENTS : query.limit;
  return { after, limit, descending: isDescending(query) };
}

/**
 * Filters a searched range of events. If more events match than fit on a page, the next page starts
 * after the last one shown.
 */
function foundIn({ markets }: Context, query: Query, stretch: EventPage): EventPage {
  const found = stretch.items.filter(matchOf(query));
  const items = found.slice(0, query.limit);
  const last = items.at(-1);
  if (found.length === items.length || last === undefined) return { items, next: stretch.next };
  return { items, next: [markets.listedEvents.keyOf(query.sortBy, last), last.event.eventId] };
}

function eventBySlug(
  context: Context,
  { status, tag }: Query,
  slug: string,
): InfoAnswer<OutcomeEventMeta> {
  const found = eventIn(context, slug);
  if (found === undefined || !hasStatus(found, status) || !hasTag(found, tag)) {
    const details = { field: 'eventSlug', got: slug };
    return { ok: false, error: refusal('eventNotFound', [], details) };
  }
  return answer(shownEvent(context, found));
}

function shownEvent(
  { markets: { listedEvents }, state }: Context,
  event: EventWithMarkets,
  only?: ReadonlySet<number>,
): OutcomeEventMeta {
  return eventMeta(state, event, listedEvents.liquidityOf(event.event), only);
}

/** Returns the ids of the markets that the query names by slug or id. Unknown slugs are omitted. */
function matchedMarkets(
  { state }: Context,
  { instrumentIds, marketSlugs }: Query,
): Set<number> | undefined {
  if (marketSlugs === undefined && instrumentIds === undefined) return undefined;
  const found = (marketSlugs ?? []).map((slug) => state.outcomes.marketSlugs.get(slug));
  return new Set([...found.filter((id) => id !== undefined), ...(instrumentIds ?? [])]);
}

/** Ranks the events of the given markets, without duplicates. */
function ownersOf(
  context: Context,
  { sortBy, status, tag }: Query,
  ids: ReadonlySet<number>,
): Ranking<EventWithMarkets> {
  const owners = new Ranking<EventWithMarkets>();
  for (const id of ids) {
    const owner = marketIn(context, id)?.listing.eventSlug;
    const event = owner === undefined ? undefined : eventIn(context, owner);
    if (event === undefined || !hasTag(event, tag) || !hasStatus(event, status)) continue;
    owners.place(event.event.eventId, context.markets.listedEvents.keyOf(sortBy, event), event);
  }
  return owners;
}

function hasStatus({ markets }: EventWithMarkets, status: Query['status']): boolean {
  return status === 'all' || eventStatus(markets.map(({ phase }) => phase)) === status;
}

function hasTag({ event }: EventWithMarkets, tag: string | undefined): boolean {
  return tag === undefined || event.listing.tags.includes(tag);
}

/** Sorting by ending time is always ascending; the other orders are descending by default. */
function isDescending({ sortBy, sortOrder }: Query): boolean {
  return sortBy !== 'endingSoon' && sortOrder !== 'asc';
}

/** Builds a cursor with the end of the page and a seal that makes it invalid for other lists. */
function cursorOf({ cursors = PROCESS_SEAL }: Context, query: Query, [key, id]: Place): string {
  const text = JSON.stringify([`${key}@${cursors(listName(query), [key, id])}`, id]);
  return Buffer.from(text).toString('base64url');
}

function readCursor(context: Context, query: Query): Place | 'invalid' | undefined {
  if (query.cursor === undefined) return undefined;
  const [sortKey, id] = parseCursor(query.cursor);
  const [key] = typeof sortKey === 'string' ? sortKey.split('@') : [];
  const place: Place = [Number(key === '' ? undefined : key), Number(id)];
  // Only the exact text issued by the venue for this list is valid.
  return cursorOf(context, query, place) === query.cursor ? place : 'invalid';
}

function parseCursor(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) && value.length === 2 ? value : [];
  } catch {
    return [];
  }
}

/**
 * Returns a name for the list. The name is the same whether the default sort order is implicit or
 * given explicitly.
 */
function listName(query: Query): string {
  return listOf({ ...query, sortOrder: query.sortOrder ?? 'desc' });
}

/**
 * Builds the record of an event. `only` restricts the listed markets, but the totals include all of
 * them. The liquidity is the notional of resting orders in micro-USDC.
 */
function eventMeta(
  state: State,
  { event, markets: records }: EventWithMarkets,
  liquidity: bigint,
  only?: ReadonlySet<number>,
): OutcomeEventMeta {
  const markets = records.map((record) => shownMarket(state, record));
  const listed = markets.filter(({ record }) => only?.has(record.instrumentId) ?? true);
  return {
    ...eventTexts(event),
    status: eventStatus(records.map(({ phase }) => phase)),
    trading: eventTrading(records.map((record) => marketTrading(state, record))),
    volume: eventVolume(state.timeMs, markets),
    liquidity: formatMoney(liquidity),
    open_interest: eventInterest(markets),
    settlement: eventSettlement(records),
    markets: listed.map((market) => marketMeta(state, market)),
  };
}

type EventTexts = Omit<
  OutcomeEventMeta,
  'status' | 'trading' | 'volume' | 'liquidity' | 'open_interest' | 'settlement' | 'markets'
>;

function eventTexts({ createdMs, eventId, listing, seriesSlug }: ListedEvent): EventTexts {
  return {
    event_id: eventId,
    slug: listing.slug,
    title: listing.title,
    description: listing.description,
    category: listing.category,
    tags: [...listing.tags],
    image: listing.image,
    icon: listing.icon,
    series_slug: seriesSlug,
    exchange_id: OUTCOME_CHANNEL,
    mutually_exclusive: listing.mutuallyExclusive,
    start_time: listing.startMs,
    end_time: listing.endMs,
    created_time: createdMs,
  };
}

function eventTrading(markets: readonly OutcomeTrading[]): OutcomeTrading {
  return {
    enabled: markets.some(({ enabled }) => enabled),
    accepting_orders: markets.some(({ accepting_orders }) => accepting_orders),
    halted: markets.length > 0 && markets.every(({ halted }) => halted),
    order_delay_ms: Math.max(0, ...markets.map(({ order_delay_ms }) => order_delay_ms)),
  };
}

function eventVolume(nowMs: number, markets: readonly ShownMarket[]): OutcomeEventMeta['volume'] {
  return {
    total: formatMoney(sum(markets, ({ record }) => record.volume.total)),
    day: formatMoney(sum(markets, ({ day }) => day.notional)),
    week: formatMoney(sum(markets, ({ record }) => record.volume.week(nowMs))),
  };
}

/**
 * Adds up the markets' open interest as money, because their lot sizes can differ. A pair is worth
 * 1.00.
 */
function eventInterest(markets: readonly ShownMarket[]): string {
  return formatMoney(sum(markets, ({ live, unit }) => BigInt(live?.pairs ?? 0) * BigInt(unit)));
}

function eventSettlement(markets: readonly MarketRecord[]): OutcomeEventMeta['settlement'] {
  const resolvedMs = markets.flatMap(({ resolution }) =>
    resolution === null ? [] : [resolution.resolvedMs],
  );
  const isResolved = markets.length > 0 && resolvedMs.length === markets.length;
  return {
    resolution_status: isResolved ? 'resolved' : 'prepared',
    resolved_time: isResolved ? Math.max(...resolvedMs) : null,
  };
}

function marketMeta(state: State, market: ShownMarket): OutcomeMarketMeta {
  const { day, live, record, scale } = market;
  const { resolution, volume } = record;
  return {
    ...definitionOf(record),
    phase: record.phase,
    trading: marketTrading(state, record),
    pricing: pricing(market),
    volume: { total: formatMoney(volume.total), day: formatMoney(day.notional) },
    open_interest: formatSize(scale, live?.pairs ?? 0),
    underlying: underlying(state, record),
    settlement: {
      resolution_status: resolutionStatus(record),
      winning_outcome: winningLeg(market),
      settlement_fraction: settlementFraction(market),
      ...(record.seriesSlug === null ? {} : { decided_by: decidedBy(state, record) }),
      oracle_outcome: resolution?.oracleOutcome ?? null,
      resolved_time: resolution?.resolvedMs ?? null,
    },
  };
}

type MarketDefinitionMeta = Omit<
  OutcomeMarketMeta,
  'phase' | 'trading' | 'pricing' | 'volume' | 'open_interest' | 'underlying' | 'settlement'
>;

/** Each market's constant fields, formatted only once. */
const DEFINITIONS = new WeakMap<MarketRecord, MarketDefinitionMeta>();

function definitionOf(record: MarketRecord): MarketDefinitionMeta {
  const known = DEFINITIONS.get(record);
  if (known !== undefined) return known;
  const { listing } = record;
  const tick = formatPrice(listing, listing.priceTick);
  const definition: MarketDefinitionMeta = {
    instrument_id: record.instrumentId,
    market_id: String(record.instrumentId),
    slug: listing.slug,
    question: listing.question,
    group_title: listing.groupTitle,
    description: listing.description,
    resolution_source: listing.resolutionSource,
    outcomes: [...listing.outcomes],
    event_slug: listing.eventSlug,
    start_time: listing.startMs,
    end_time: listing.endMs,
    price_tick: tick,
    price_decimals: decimalsOf(tick),
    size_decimals: listing.szDecimals,
    min_order_size: formatSize(listing, listing.minOrderSize),
    max_order_size: formatSize(listing, listing.maxOrderSize),
    taker_fee_rate: formatRate(listing.takerFeeE8),
    maker_fee_rate: '0',
    fee_exponent: 1,
  };
  DEFINITIONS.set(record, definition);
  return definition;
}

function marketTrading(state: State, { listing, phase }: MarketRecord): OutcomeTrading {
  const isGateClosed = state.gates[OUTCOME_CHANNEL].mode === 'closed';
  return {
    enabled: phase === 'upcoming' || phase === 'open' || phase === 'halted',
    accepting_orders: phase === 'open' && !isGateClosed,
    halted: phase === 'halted',
    order_delay_ms: listing.orderDelayMs,
  };
}

function pricing(market: ShownMarket): OutcomeMarketMeta['pricing'] {
  const { halves, live, record, scale, unit } = market;
  const { previousClose } = market.day;
  return {
    yes_price: formatHalfPrice(scale, halves),
    no_price: formatHalfPrice(scale, 2 * unit - halves),
    best_bid: priceOrNull(scale, live?.bestBid),
    best_ask: priceOrNull(scale, live?.bestAsk),
    last_price: priceOrNull(scale, record.lastTrade),
    // If there is no price from a day ago, the change is shown as zero.
    change_24h: previousClose === 0 ? '0' : formatHalfPrice(scale, halves - 2 * previousClose),
  };
}

function underlying(state: State, record: MarketRecord): OutcomeMarketMeta['underlying'] {
  const { listing, seriesSlug, strikeE8 } = record;
  if (listing.underlying === null) return null;
  const { priceToBeat, source, symbol } = listing.underlying;
  const strike = strikeE8 === null ? null : formatReferencePrice(strikeE8);
  return {
    symbol,
    source,
    price_to_beat: priceToBeat ?? strike,
    ...(seriesSlug === null ? {} : { strike_status: strikeStatus(state, record) }),
  };
}

function sum<Item>(items: readonly Item[], amountOf: (item: Item) => bigint): bigint {
  return items.reduce((total, item) => total + amountOf(item), 0n);
}

export const OUTCOME_EVENT_QUERIES = {
  outcomeMeta: { answer: outcomeMeta, needs: outcomeMetaNeeds },
} as const satisfies StateQueries;
