import type { Candle } from '@oddlot/sdk';
import {
  ADX,
  AO,
  Aroon,
  ATR,
  BollingerBands,
  CCI,
  CHOP,
  CMF,
  DEMA,
  DonchianChannels,
  EMA,
  HMA,
  IchimokuCloud,
  KAMA,
  KeltnerChannels,
  MACD,
  MFI,
  MOM,
  OBV,
  PSAR,
  RMA,
  ROC,
  RSI,
  SMA,
  StochasticOscillator,
  StochasticRSI,
  SuperTrend,
  TEMA,
  TRIX,
  VWAP,
  VWMA,
  WilliamsR,
  WMA,
} from 'trading-signals';
import { toPixels } from '../../../../lib/decimal.ts';
import type { Indicator, Kind, Source } from './indicator-kinds.ts';

/**
 * Indicators are computed candle by candle. Floats are sufficient, because the values are only
 * drawn.
 */

type Bar = {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
};

type Values = Readonly<Record<string, number>>;
type Result = number | Values | null;

/** A calculation from the library. `replace` repeats the last candle with new prices. */
type Series<Input> = {
  update(input: Input, replace: boolean): number | object | null;
  getRequiredInputs(): number;
};

type Made = {
  readonly next: (bar: Bar, price: number, replace: boolean) => Result;
  readonly needs: number;
};

function ofPrices(series: Series<number>): Made {
  const next: Made['next'] = (_, price, replace) => series.update(price, replace) as Result;
  return { next, needs: series.getRequiredInputs() };
}

function ofBars(series: Series<Bar>): Made {
  const next: Made['next'] = (bar, _, replace) => series.update(bar, replace) as Result;
  return { next, needs: series.getRequiredInputs() };
}

type Maker = (first: number, second: number, third: number) => Made;

const MAKERS: Readonly<Record<Exclude<Kind, 'profile'>, Maker>> = {
  sma: (period) => ofPrices(new SMA(period)),
  ema: (period) => ofPrices(new EMA(period)),
  wma: (period) => ofPrices(new WMA(period)),
  rma: (period) => ofPrices(new RMA(period)),
  dema: (period) => ofPrices(new DEMA(period)),
  tema: (period) => ofPrices(new TEMA(period)),
  hma: (period) => ofPrices(new HMA(period)),
  kama: (period) => ofPrices(new KAMA(period)),
  vwma: (period) => ofBars(new VWMA(period)),
  vwap: () => ofBars(new VWAP()),
  bollinger: (period, deviations) => ofPrices(new BollingerBands(period, deviations)),
  keltner: (period, multiplier) =>
    ofBars(new KeltnerChannels({ emaInterval: period, atrInterval: period, multiplier })),
  donchian: (period) => ofBars(new DonchianChannels(period)),
  ichimoku: (conversionInterval, baseInterval, spanBInterval) =>
    ofBars(new IchimokuCloud({ conversionInterval, baseInterval, spanBInterval })),
  supertrend: (interval, multiplier) => ofBars(new SuperTrend({ interval, multiplier })),
  psar: (accelerationStep, accelerationMax) =>
    ofBars(new PSAR({ accelerationStep, accelerationMax })),
  rsi: (period) => ofPrices(new RSI(period)),
  stochasticRsi: (period) => ofPrices(new StochasticRSI(period)),
  stochastic: (kPeriod, kSlowingPeriod, dPeriod) =>
    ofBars(new StochasticOscillator({ kPeriod, kSlowingPeriod, dPeriod })),
  macd: (fast, slow, signal) => ofPrices(new MACD(new EMA(fast), new EMA(slow), new EMA(signal))),
  cci: (period) => ofBars(new CCI(period)),
  mfi: (period) => ofBars(new MFI(period)),
  williams: (period) => ofBars(new WilliamsR(period)),
  roc: (period) => ofPrices(new ROC(period)),
  momentum: (period) => ofPrices(new MOM(period)),
  trix: (period) => ofPrices(new TRIX(period)),
  awesome: (fast, slow) => ofBars(new AO(fast, slow)),
  atr: (period) => ofBars(new ATR(period)),
  adx: (period) => ofBars(new ADX(period)),
  aroon: (period) => ofBars(new Aroon(period)),
  chop: (period) => ofBars(new CHOP(period)),
  obv: () => ofBars(new OBV(2)),
  cmf: (period) => ofBars(new CMF(period)),
};

/** The values drawn as lines if a result has several. The other values are not prices. */
const DRAWN: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  bollinger: ['upper', 'middle', 'lower'],
  keltner: ['upper', 'middle', 'lower'],
  donchian: ['upper', 'middle', 'lower'],
  ichimoku: ['conversion', 'base', 'spanA', 'spanB'],
  supertrend: ['supertrend'],
  stochastic: ['stochK', 'stochD'],
  macd: ['macd', 'signal'],
  aroon: ['aroonUp', 'aroonDown'],
};

export type Point = { readonly timeMs: number; readonly value: number };
export type IndicatorLine = { readonly name: string; readonly points: readonly Point[] };

/**
 * Computes the lines of an indicator. If only the latest candles have changed, only their values
 * are recomputed.
 */
export class IndicatorLines {
  readonly #indicator: Indicator;
  #made: Made | undefined;
  #count = 0;
  #lines = new Map<string, Point[]>();

  constructor(indicator: Indicator) {
    this.#indicator = indicator;
  }

  /** Computes all lines from the beginning. */
  all(candles: readonly Candle[]): readonly IndicatorLine[] {
    const { kind, values } = this.#indicator;
    if (kind === 'profile') return [];
    const [first = 0, second = 0, third = 0] = values;
    this.#made = MAKERS[kind](first, second, third);
    this.#count = 0;
    this.#lines = new Map((DRAWN[kind] ?? ['']).map((name) => [name, []]));
    for (const candle of candles) this.#take(candle, false);
    return [...this.#lines].map(([name, points]) => ({ name, points }));
  }

  /** Returns the new points for the changed candles at the end, oldest first. */
  end(changed: readonly Candle[]): readonly IndicatorLine[] {
    changed.forEach((candle, at) => this.#take(candle, at === 0));
    return [...this.#lines].map(([name, points]) => ({
      name,
      points: points.slice(-changed.length),
    }));
  }

  #take(candle: Candle, replace: boolean): void {
    const made = this.#made;
    if (made === undefined) return;
    const bar = barOf(candle);
    const result = made.next(bar, priceOf(bar, this.#indicator.source), replace);
    if (!replace) this.#count += 1;
    // Smoothed averages return values even before a full period has passed.
    if (result === null || this.#count < made.needs) return;
    for (const [name, points] of this.#lines) {
      const value = typeof result === 'number' ? result : result[name];
      if (value === undefined || !Number.isFinite(value)) continue;
      if (points.at(-1)?.timeMs === candle.t) points.pop();
      points.push({ timeMs: candle.t, value });
    }
  }
}

function barOf({ c, h, l, o, v }: Candle): Bar {
  return {
    open: toPixels(o),
    high: toPixels(h),
    low: toPixels(l),
    close: toPixels(c),
    volume: toPixels(v),
  };
}

function priceOf({ close, high, low, open }: Bar, source: Source): number {
  switch (source) {
    case 'close':
      return close;
    case 'open':
      return open;
    case 'high':
      return high;
    case 'low':
      return low;
    case 'hl2':
      return (high + low) / 2;
    case 'hlc3':
      return (high + low + close) / 3;
    case 'ohlc4':
      return (open + high + low + close) / 4;
  }
}
