import type { Candle } from '@oddlot/sdk';
import { BollingerBands, EMA, MACD, RSI, SMA, VWAP } from 'trading-signals';
import { toPixels } from '../../../lib/decimal.ts';
import type { Indicator } from './chart-panel.tsx';

export type IndicatorLine = {
  readonly name: string;
  readonly points: readonly { readonly timeMs: number; readonly value: number }[];
};

const SMA_CANDLES = 20;
const EMA_CANDLES = 50;
const BANDS = { candles: 20, deviations: 2 } as const;
const RSI_CANDLES = 14;
const MACD_CANDLES = { short: 12, long: 26, signal: 9 } as const;

/** Computes the lines of an indicator. Floats are sufficient, because the values are only drawn. */
export function indicatorLines(
  kind: Indicator,
  candles: readonly Candle[],
): readonly IndicatorLine[] {
  switch (kind) {
    case 'sma':
      return [ofCloses(`SMA ${SMA_CANDLES}`, new SMA(SMA_CANDLES), candles)];
    case 'ema':
      return [ofCloses(`EMA ${EMA_CANDLES}`, new EMA(EMA_CANDLES), candles, EMA_CANDLES - 1)];
    case 'rsi':
      return [ofCloses(`RSI ${RSI_CANDLES}`, new RSI(RSI_CANDLES), candles)];
    case 'vwap':
      return vwap(candles);
    case 'bollinger':
      return bollinger(candles);
    case 'macd':
      return macd(candles);
    case 'profile':
      return [];
  }
}

type OfCloses = { add(price: number): number | null };

function ofCloses(
  name: string,
  series: OfCloses,
  candles: readonly Candle[],
  from = 0,
): IndicatorLine {
  return lineOf(name, candles, ({ c }, at) => {
    const value = series.add(toPixels(c));
    return at < from ? undefined : (value ?? undefined);
  });
}

function vwap(candles: readonly Candle[]): readonly IndicatorLine[] {
  const series = new VWAP();
  const line = lineOf('VWAP', candles, ({ c, h, l, v }) => {
    const value = series.add({
      high: toPixels(h),
      low: toPixels(l),
      close: toPixels(c),
      volume: toPixels(v),
    });
    return value ?? undefined;
  });
  return [line];
}

function bollinger(candles: readonly Candle[]): readonly IndicatorLine[] {
  const series = new BollingerBands(BANDS.candles, BANDS.deviations);
  const bands = candles.map(({ c }) => series.add(toPixels(c)));
  return (['upper', 'middle', 'lower'] as const).map((band) =>
    lineOf(`Bollinger ${band}`, candles, (_, at) => bands[at]?.[band]),
  );
}

function macd(candles: readonly Candle[]): readonly IndicatorLine[] {
  const { long, short, signal } = MACD_CANDLES;
  const series = new MACD(new EMA(short), new EMA(long), new EMA(signal));
  const values = candles.map(({ c }) => series.add(toPixels(c)));
  return (['macd', 'signal'] as const).map((part) =>
    lineOf(part === 'macd' ? 'MACD' : 'MACD signal', candles, (_, at) => values[at]?.[part]),
  );
}

function lineOf(
  name: string,
  candles: readonly Candle[],
  valueOf: (candle: Candle, at: number) => number | undefined,
): IndicatorLine {
  const points = candles.flatMap((candle, at) => {
    const value = valueOf(candle, at);
    return value === undefined || !Number.isFinite(value) ? [] : [{ timeMs: candle.t, value }];
  });
  return { name, points };
}
