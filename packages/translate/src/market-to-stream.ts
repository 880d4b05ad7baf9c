import { perpView, settledMarketView, type State } from '@oddlot/engine';
import type { StrikeStatus, Ticker } from '@oddlot/protocol';
import { formatMoney, instrumentId, present } from '@oddlot/units';
import { HOUR_MS, startOf } from './read-models/candle-interval.ts';
import type { Candles } from './read-models/candles.ts';
import type { MarketData } from './read-models/market-data.ts';
import type { Instrument } from './instruments.ts';
import { formatHalfPrice, formatPrice, formatRateE10, formatSize } from './format.ts';
import { midOrNull, shownMarket, type ShownMarket, strikeStatus } from './info/outcome-market.ts';

type Source = { readonly markets: MarketData; readonly state: State };

/** Returns the market data of an outcome market, which has no oracle price or funding. */
export function marketContext({ markets, state }: Source, instrument: Instrument): object {
  const market = marketFactsOf({ markets, state }, instrument);
  const { day } = market;
  return {
    coin: instrument.name,
    instrumentId: instrument.instrumentId,
    ctx: {
      dayNtlVlm: formatMoney(day.notional),
      dayBaseVlm: formatSize(instrument, day.lots),
      prevDayPx: day.previousClose === 0 ? '' : formatPrice(instrument, day.previousClose),
      markPx: formatHalfPrice(instrument, market.halves),
      midPx: market.midPx,
      oraclePx: '',
      openInterest: formatSize(instrument, market.live?.pairs ?? 0),
      funding: '0',
      premium: null,
      impactPxs: null,
      nextFundingTime: 0,
    },
  };
}

/** Returns a ticker's fields except its time, because a changed time alone is not an update. */
export function tickerFields(source: Source, instrument: Instrument): Omit<Ticker, 'time'> {
  const { markets, state } = source;
  const isPerp = state.perps.has(instrument.instrumentId);
  const facts = isPerp ? perpFacts(state, instrument) : marketFacts(source, instrument);
  const { last, markHalves, oracle, previousDay, ...rest } = facts;
  const price = (value: number): string => (value === 0 ? '' : formatPrice(instrument, value));
  const { high, low } = dayRange(markets.candles, instrument.instrumentId, state.timeMs);
  const hasMoved = markHalves > 0 && previousDay > 0;
  return {
    instrumentId: instrument.instrumentId,
    coin: instrument.name,
    lastPx: price(last),
    markPx: markHalves === 0 ? '' : formatHalfPrice(instrument, markHalves),
    oraclePx: price(oracle),
    prevDayPx: price(previousDay),
    change24h: hasMoved ? formatHalfPrice(instrument, markHalves - 2 * previousDay) : '0',
    high24h: price(high),
    low24h: price(low),
    ...rest,
  };
}

/** The prices are in price units and the mark in half price units; 0 means unset. */
type Facts = {
  readonly last: number;
  readonly markHalves: number;
  readonly oracle: number;
  readonly previousDay: number;
} & Pick<Ticker, 'openInterest' | 'dayNtlVlm' | 'dayBaseVlm' | 'funding' | 'strikeStatus'>;

function perpFacts(state: State, instrument: Instrument): Facts {
  const id = instrumentId(instrument.instrumentId);
  const view = present(perpView(state, id), 'the view of a listed perp');
  return {
    last: view.lastTrade ?? 0,
    markHalves: 2 * (view.mark ?? 0),
    oracle: view.oracle ?? 0,
    previousDay: view.previousDayPrice ?? 0,
    openInterest: formatSize(instrument, view.openInterest),
    dayNtlVlm: formatMoney(view.dayVolumeMicroUsdc),
    dayBaseVlm: formatSize(instrument, view.dayVolumeLots),
    funding: formatRateE10(view.fundingRateE10),
  };
}

function marketFacts(source: Source, instrument: Instrument): Facts {
  const { day, halves, last, live, strike } = marketFactsOf(source, instrument);
  return {
    last,
    markHalves: halves,
    oracle: 0,
    previousDay: day.previousClose,
    openInterest: formatSize(instrument, live?.pairs ?? 0),
    dayNtlVlm: formatMoney(day.notional),
    dayBaseVlm: formatSize(instrument, day.lots),
    funding: '0',
    ...(strike === null ? {} : { strikeStatus: strike }),
  };
}

type MarketFacts = Pick<ShownMarket, 'day' | 'halves' | 'live'> & {
  readonly last: number;
  readonly midPx: string | null;
  readonly strike: StrikeStatus | null;
};

/**
 * Collects the market data. If the market is no longer in memory, only its result, which the engine
 * still has, is available.
 */
function marketFactsOf({ markets, state }: Source, { instrumentId: id }: Instrument): MarketFacts {
  const record = markets.catalogue.market(id);
  if (record === undefined) {
    const { fraction } = present(settledMarketView(state, id), 'a market that was listed');
    const day = { notional: 0n, lots: 0, previousClose: 0 };
    return { day, halves: 2 * fraction, live: undefined, last: 0, midPx: null, strike: null };
  }
  const market = shownMarket(state, record);
  const { day, halves, live } = market;
  const strike = record.seriesSlug === null ? null : strikeStatus(state, record);
  return { day, halves, live, last: record.lastTrade, midPx: midOrNull(market), strike };
}

const DAY_HOURS = 24;

/**
 * Returns the highest and lowest price of the hours that the daily volume covers, or 0 before the
 * first trade.
 */
function dayRange(
  candles: Candles,
  id: number,
  nowMs: number,
): { readonly high: number; readonly low: number } {
  const fromMs = startOf('1h', nowMs) - (DAY_HOURS - 1) * HOUR_MS;
  const bars = candles.snapshot(id, '1h', fromMs, nowMs);
  if (bars.length === 0) return { high: 0, low: 0 };
  return {
    high: Math.max(...bars.map((bar) => bar.high)),
    low: Math.min(...bars.map((bar) => bar.low)),
  };
}
