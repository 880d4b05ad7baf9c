import type { State } from '@oddlot/engine';
import type { Candle } from '@oddlot/protocol';
import type { CandleInterval } from '../../read-models/candle-interval.ts';
import type { CandleBar } from '../../read-models/candles.ts';
import type { MarketData } from '../../read-models/market-data.ts';
import { type Instrument, outcomeName } from '../actions/instrument-lookup.ts';
import { formatPrice, formatSize } from '../format.ts';
import { answer, findPerp, type InfoHandler, instrumentNotFound } from './handler.ts';

/** What was traded, interval by interval. */
export const candleSnapshot: InfoHandler<'candleSnapshot', Candle[]> = (
  { state, markets },
  { req },
) => {
  const { coin, endTime = state.timeMs, interval, startTime } = req;
  const instrument = tradedInstrument(state, markets, Number(coin));
  if (instrument === undefined) return instrumentNotFound('coin', coin);
  const bars = markets.candles.snapshot(instrument.instrumentId, interval, startTime, endTime);
  return answer(bars.map((bar) => candleRecord(instrument, interval, bar)));
};

/** Outcome markets keep their candles when they are settled. */
function tradedInstrument(
  state: State,
  { catalogue }: MarketData,
  instrumentId: number,
): Instrument | undefined {
  const perp = findPerp(state, instrumentId);
  if (perp !== undefined) return perp;
  const market = catalogue.market(instrumentId);
  if (market === undefined) return undefined;
  const { priceTick, szDecimals } = market.listing;
  return { instrumentId, name: outcomeName(instrumentId), szDecimals, priceTick };
}

/** A candle as queries and streams show it. */
export function candleRecord(
  instrument: Omit<Instrument, 'priceTick'>,
  interval: CandleInterval,
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
    n: bar.trades,
    instrumentId: instrument.instrumentId,
  };
}
