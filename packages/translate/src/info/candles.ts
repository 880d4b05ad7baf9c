import { settledMarketView } from '@oddlot/engine';
import type { Candle, InfoQueryOf } from '@oddlot/protocol';
import type { CandleInterval } from '../read-models/candle-interval.ts';
import type { CandleBar, CandlePrice } from '../read-models/candles.ts';
import { type Instrument, instrumentLookup } from '../instruments.ts';
import { formatPrice, formatSize } from '../format.ts';
import {
  answer,
  type InfoAnswer,
  type InfoContext,
  type InfoHandler,
  instrumentNotFound,
  type PastBars,
  type PastNeeds,
  type StateQueries,
} from './info-context.ts';

type Context = Pick<InfoContext, 'state' | 'markets' | 'past'>;
export type CandleQuery = InfoQueryOf<'candleSnapshot'>['req'];

const candleSnapshot: InfoHandler<'candleSnapshot', Candle[]> = (context, { req }) =>
  candlesOf(context, req);

const candleNeeds: PastNeeds<'candleSnapshot'> = (context, { req }) => {
  const bars = context.past === undefined ? missingBars(context, req) : undefined;
  return bars === undefined ? undefined : { bars: [bars] };
};

export function candlesOf(
  { markets, past, state }: Context,
  { coin, endTime = state.timeMs, interval, price, startTime }: CandleQuery,
): InfoAnswer<Candle[]> {
  const instrument = instrumentLookup(() => state)(Number(coin));
  if (instrument === undefined) return instrumentNotFound('coin', coin);
  const { instrumentId } = instrument;
  const older = past?.bars.get(instrumentId)?.rows;
  const candles = markets.candlesOf(price);
  const bars = candles.snapshot(instrumentId, interval, startTime, endTime, older);
  return answer(bars.map((bar) => candleRecord(instrument, { interval, price }, bar)));
}

/**
 * Returns the trades that the candles need from the history database, or undefined if all are in
 * memory. The database does not have mark or oracle prices.
 */
export function missingBars(
  { markets, state }: Context,
  { coin, endTime = state.timeMs, interval, price, startTime }: CandleQuery,
): PastBars | undefined {
  const instrument = instrumentLookup(() => state)(Number(coin));
  if (instrument === undefined || price !== 'trade') return undefined;
  const { instrumentId } = instrument;
  const isForgotten =
    settledMarketView(state, instrumentId) !== undefined &&
    markets.catalogue.market(instrumentId) === undefined;
  const span = { fromMs: startTime, toMs: endTime, isForgotten };
  const missing = markets.candles.missing(instrumentId, interval, span);
  return missing === undefined ? undefined : { instrumentId, ...missing };
}

/** Converts a candle to the form shared by queries and streams. */
export function candleRecord(
  instrument: Omit<Instrument, 'priceTick'>,
  { interval, price }: { readonly interval: CandleInterval; readonly price: CandlePrice },
  bar: CandleBar,
): Candle {
  return {
    t: bar.startMs,
    T: bar.endMs,
    s: instrument.name,
    i: interval,
    o: formatPrice(instrument, bar.open),
    c: formatPrice(instrument, bar.close),
    h: formatPrice(instrument, bar.high),
    l: formatPrice(instrument, bar.low),
    v: formatSize(instrument, bar.lots),
    n: price === 'trade' ? bar.trades : 0,
    instrumentId: instrument.instrumentId,
    ...(price === 'trade' ? {} : { price }),
  };
}

export const CANDLE_QUERIES = {
  candleSnapshot: { answer: candleSnapshot, needs: candleNeeds },
} as const satisfies StateQueries;
