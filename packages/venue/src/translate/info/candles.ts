import { settledMarketView } from '@oddlot/engine';
import type { Candle } from '@oddlot/protocol';
import type { CandleInterval } from '../../read-models/candle-interval.ts';
import type { CandleBar } from '../../read-models/candles.ts';
import { type Instrument, instrumentLookup } from '../actions/instrument-lookup.ts';
import { formatPrice, formatSize } from '../format.ts';
import { answer, type InfoHandler, instrumentNotFound, type PastNeeds } from './handler.ts';

/** What was traded, interval by interval; of a settled market too. */
export const candleSnapshot: InfoHandler<'candleSnapshot', Candle[]> = (
  { state, markets, past },
  { req },
) => {
  const { coin, endTime = state.timeMs, interval, startTime } = req;
  const instrument = instrumentLookup(() => state)(Number(coin));
  if (instrument === undefined) return instrumentNotFound('coin', coin);
  const { instrumentId } = instrument;
  const older = past?.bars.get(instrumentId)?.rows;
  const bars = markets.candles.snapshot(instrumentId, interval, startTime, endTime, older);
  return answer(bars.map((bar) => candleRecord(instrument, interval, bar)));
};

export const candleNeeds: PastNeeds<'candleSnapshot'> = ({ markets, past, state }, { req }) => {
  const { coin, endTime = state.timeMs, interval, startTime } = req;
  const instrumentId = Number(coin);
  if (past !== undefined || instrumentLookup(() => state)(instrumentId) === undefined) {
    return undefined;
  }
  const isGone =
    settledMarketView(state, instrumentId) !== undefined &&
    markets.catalogue.market(instrumentId) === undefined;
  const span = { fromMs: startTime, toMs: endTime, isGone };
  const missing = markets.candles.missing(instrumentId, interval, span);
  return missing === undefined ? undefined : { bars: [{ instrumentId, ...missing }] };
};

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
