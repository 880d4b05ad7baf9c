import type { State } from '@oddlot/engine';
import type { OutcomeEventMeta, OutcomeMarketMeta, OutcomeTrading } from '@oddlot/protocol';
import { formatMoney } from '@oddlot/units';
import type {
  EventWithMarkets,
  ListedEvent,
  MarketRecord,
} from '../../read-models/outcome-catalogue.ts';
import { eventStatus } from '../../read-models/event-status.ts';
import {
  decimalsOf,
  formatHalfPrice,
  formatPrice,
  formatRate,
  formatReferencePrice,
  formatSize,
} from '../format.ts';
import { OUTCOME_CHANNEL } from './handler.ts';
import {
  decidedBy,
  priceOrNull,
  resolutionStatus,
  settlementFraction,
  shownMarket,
  type ShownMarket,
  strikeStatus,
  winningLeg,
} from './outcome-market.ts';

/** Events and their markets in the form of discovery, snake case as the interface has it. */

/**
 * `only` restricts the markets that are listed; the event's own numbers are about all of them. The
 * liquidity is what rests in its books, in micro-USDC.
 */
export function eventMeta(
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

/** A pair is worth 1.00, so pairs of markets with different lots add up in money. */
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

/** What never changes of a market is put into text once. */
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
    // Without a price of a day ago there is nothing that it has changed from.
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
