import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  TickMarkType,
  type CandlestickData,
  type HistogramData,
  type IChartApi,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { Candle } from '@oddlot/sdk';
import { onStep, toPixels } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { locale } from '../../../lib/locale.ts';
import { dateTime, dayMonth, hourMinute } from '../../../lib/time.ts';
import { FONT, palette } from '../../../ui/canvas.ts';
import type { Grid } from '../grid.ts';
import type { Scale } from './scale.ts';

export type PriceChart = {
  readonly chart: IChartApi;
  readonly candles: ISeriesApi<'Candlestick'>;
  readonly volume: ISeriesApi<'Histogram'>;
  readonly markers: ISeriesMarkersPluginApi<Time>;
  readonly scale: Scale;
  /** Prices that should be in sight where they are near. */
  readonly keepInSight: (prices: readonly number[]) => void;
  readonly recolour: () => void;
  readonly remove: () => void;
};

/** How far beyond the candles a line may be and still stretch the scale. */
const NEAR = 0.015;

/** A chart of candles and volume in an element. */
export function makeChart(place: HTMLElement, grid: Grid): PriceChart {
  // The logo comes with a style sheet that the policy of the page refuses; the link is beside the chart.
  const chart = createChart(place, { autoSize: true, layout: { attributionLogo: false } });
  const listeners = new Set<() => void>();
  let wanted: readonly number[] = [];
  // What is drawn over a chart may be told of its end a moment later.
  let isGone = false;
  const candles = chart.addSeries(CandlestickSeries, {
    priceFormat: {
      type: 'price',
      precision: grid.priceDecimals,
      minMove: toPixels(grid.tick),
    },
    autoscaleInfoProvider: (original: () => ReturnType<typeof stretched>) =>
      stretched(original(), wanted),
  });
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  });
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } });
  candles.attachPrimitive({
    updateAllViews: () => {
      for (const listener of listeners) listener();
    },
  });
  const recolour = (): void => colour(chart, candles, grid);
  recolour();
  return {
    chart,
    candles,
    volume,
    markers: createSeriesMarkers(candles, []),
    recolour,
    keepInSight: (prices) => {
      wanted = prices;
      if (!isGone) candles.applyOptions({});
    },
    remove: () => {
      isGone = true;
      chart.remove();
    },
    scale: {
      toY: (price) => {
        if (isGone) return undefined;
        const y = candles.priceToCoordinate(toPixels(price));
        const height = place.clientHeight - chart.timeScale().height();
        return y === null || y < 0 || y > height ? undefined : y;
      },
      toPrice: (y) => {
        const price = candles.coordinateToPrice(y);
        return price === null || price <= 0
          ? undefined
          : onStep(price.toFixed(grid.priceDecimals), grid.tick);
      },
      axisWidth: () => (isGone ? 0 : chart.priceScale('right').width()),
      onRedraw: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}

type Autoscale = { readonly priceRange: { minValue: number; maxValue: number } | null } | null;

/** The range of the candles, with the lines that are near. */
function stretched(own: Autoscale, wanted: readonly number[]): Autoscale {
  const range = own?.priceRange;
  if (own === null || range === null || range === undefined) return own;
  const near = wanted.filter(
    (price) => price > range.minValue * (1 - NEAR) && price < range.maxValue * (1 + NEAR),
  );
  return {
    ...own,
    priceRange: {
      minValue: Math.min(range.minValue, ...near),
      maxValue: Math.max(range.maxValue, ...near),
    },
  };
}

function colour(
  chart: IChartApi,
  candles: ISeriesApi<'Candlestick'>,
  { priceDecimals }: Grid,
): void {
  const priceFormatter = (price: number): string =>
    number(price.toFixed(priceDecimals), { decimals: priceDecimals });
  const { buy, line, muted, panel, raised, sell } = palette();
  chart.applyOptions({
    layout: {
      background: { color: panel },
      textColor: muted,
      fontFamily: FONT,
      fontSize: 11,
    },
    grid: { vertLines: { visible: false }, horzLines: { color: raised } },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.08, bottom: 0.2 } },
    timeScale: {
      borderColor: line,
      timeVisible: true,
      rightOffset: 8,
      tickMarkFormatter: tickText,
    },
    crosshair: {
      mode: 0,
      vertLine: { color: muted, labelBackgroundColor: raised },
      horzLine: { color: muted, labelBackgroundColor: raised },
    },
    localization: {
      locale: locale(),
      priceFormatter,
      timeFormatter: (time: Time) => dateTime(Number(time) * 1_000),
    },
  });
  candles.applyOptions({
    upColor: buy,
    downColor: sell,
    wickUpColor: buy,
    wickDownColor: sell,
    borderVisible: false,
    priceLineStyle: 1,
  });
}

function tickText(time: Time, type: TickMarkType): string {
  const ms = Number(time) * 1_000;
  return type < TickMarkType.Time ? dayMonth(ms) : hourMinute(ms);
}

/** A candle in the chart's own terms: here prices are pixels to be. */
export function barOf({ c, h, l, o, t }: Candle): CandlestickData {
  return {
    time: secondsOf(t),
    open: toPixels(o),
    high: toPixels(h),
    low: toPixels(l),
    close: toPixels(c),
  };
}

export function volumeOf({ c, o, t, v }: Candle): HistogramData {
  const { buy, sell } = palette();
  const isUp = toPixels(c) >= toPixels(o);
  return { time: secondsOf(t), value: toPixels(v), color: `${isUp ? buy : sell}55` };
}

export function secondsOf(ms: number): UTCTimestamp {
  return Math.floor(ms / 1_000) as UTCTimestamp;
}
