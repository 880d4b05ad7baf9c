import type { Candle } from '@oddlot/sdk';
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
import { onStep, toPixels } from '../../../lib/decimal.ts';
import { dateTime, dayMonth, hourMinute, number } from '../../../lib/format.ts';
import { locale } from '../../../lib/languages.ts';
import { FONT, palette } from '../../../ui/canvas.ts';
import type { Grid } from '../use-account.ts';

export type PriceChart = {
  readonly chart: IChartApi;
  readonly candles: ISeriesApi<'Candlestick'>;
  readonly volume: ISeriesApi<'Histogram'>;
  readonly markers: ISeriesMarkersPluginApi<Time>;
  readonly scale: Scale;
  readonly keepInSight: (prices: readonly number[]) => void;
  readonly recolour: () => void;
  readonly isGone: () => boolean;
  readonly remove: () => void;
};

const STRETCH_MAX = 2;
/** The scale covers at least this fraction of the price, so that small moves look small. */
const FLAT = 0.002;

export function makeChart(place: HTMLElement, grid: Grid): PriceChart {
  // The content security policy blocks the logo's styles, so the page contains a link instead.
  const chart = createChart(place, { autoSize: true, layout: { attributionLogo: false } });
  const listeners = new Set<() => void>();
  let wanted: readonly number[] = [];
  let isGone = false;
  const candles = chart.addSeries(CandlestickSeries, {
    priceFormat: { type: 'price', precision: grid.priceDecimals, minMove: toPixels(grid.tick) },
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
    isGone: () => isGone,
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
        return candles.priceToCoordinate(toPixels(price)) ?? undefined;
      },
      height: () => (isGone ? 0 : (chart.panes()[0]?.getHeight() ?? 0)),
      toPrice: (y) => {
        const price = candles.coordinateToPrice(y);
        return price === null || price <= 0
          ? undefined
          : onStep(price.toFixed(grid.priceDecimals), grid.tick);
      },
      lastY: () => {
        const last = isGone ? undefined : candles.data().at(-1);
        if (last === undefined || !isBar(last)) return undefined;
        return candles.priceToCoordinate(last.close) ?? undefined;
      },
      hidesCandles: (y, width) => !isGone && hidesCandles(chart, candles, { y, width }),
      width: () => (isGone ? 0 : chart.timeScale().width()),
      axisWidth: () => (isGone ? 0 : chart.priceScale('right').width()),
      onRedraw: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}

function isBar(item: object): item is CandlestickData {
  return 'close' in item;
}

const LABEL_HALF_PX = 14;

function hidesCandles(
  chart: IChartApi,
  candles: ISeriesApi<'Candlestick'>,
  { y, width }: { readonly y: number; readonly width: number },
): boolean {
  const time = chart.timeScale();
  const [from, to] = [
    time.coordinateToLogical(time.width() - width),
    time.coordinateToLogical(time.width()),
  ];
  const top = candles.coordinateToPrice(y - LABEL_HALF_PX);
  const bottom = candles.coordinateToPrice(y + LABEL_HALF_PX);
  if (from === null || to === null || top === null || bottom === null) return false;
  for (let at = Math.floor(from); at <= to; at++) {
    const bar = candles.dataByIndex(at);
    if (bar !== null && isBar(bar) && bar.high >= bottom && bar.low <= top) return true;
  }
  return false;
}

type Autoscale = { readonly priceRange: { minValue: number; maxValue: number } | null } | null;

function stretched(own: Autoscale, wanted: readonly number[]): Autoscale {
  const range = own?.priceRange;
  if (own === null || range === null || range === undefined) return own;
  const middle = (range.minValue + range.maxValue) / 2;
  const half = Math.max(range.maxValue - range.minValue, Math.abs(middle) * FLAT) / 2;
  let [minValue, maxValue] = [middle - half, middle + half];
  const byDistance = wanted.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  for (const price of byDistance) {
    const [low, high] = [Math.min(minValue, price), Math.max(maxValue, price)];
    if (high - low > 2 * half * STRETCH_MAX) break;
    [minValue, maxValue] = [low, high];
  }
  return { ...own, priceRange: { minValue, maxValue } };
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
      panes: { separatorColor: line, separatorHoverColor: raised },
    },
    grid: { vertLines: { visible: false }, horzLines: { color: raised } },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.08, bottom: 0.2 } },
    timeScale: {
      borderColor: line,
      timeVisible: true,
      rightOffset: 8,
      tickMarkFormatter: tickText,
    },
    crosshair: crosshair(),
    localization: { ...localization(), priceFormatter },
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

export function crosshair() {
  const { muted, raised } = palette();
  const line = { color: muted, labelBackgroundColor: raised };
  return { mode: 0, vertLine: line, horzLine: line };
}

export function localization() {
  return { locale: locale(), timeFormatter: (time: Time) => dateTime(Number(time) * 1_000) };
}

function tickText(time: Time, type: TickMarkType): string {
  const ms = Number(time) * 1_000;
  return type < TickMarkType.Time ? dayMonth(ms) : hourMinute(ms);
}

/** The newest candle keeps this distance from the axis, so that a short label does not cover it. */
const LABEL_PX = 60;

/**
 * Scrolls to the latest candles. The index counts all series, so a series that starts before the
 * candles shifts it.
 */
export function showLatest(chart: IChartApi, lastMs: number, drawn: number): void {
  const shown = Math.min(120, Math.max(40, drawn + 12));
  const last = chart.timeScale().timeToIndex(secondsOf(lastMs), true) ?? drawn - 1;
  const width = chart.timeScale().width();
  const room = width > 2 * LABEL_PX ? Math.ceil((shown * LABEL_PX) / (width - LABEL_PX)) : 0;
  chart
    .timeScale()
    .setVisibleLogicalRange({ from: last + 1 - shown, to: last + Math.max(7, room) });
}

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

export type Scale = {
  readonly toY: (price: string) => number | undefined;
  readonly toPrice: (y: number) => string | undefined;
  readonly height: () => number;
  /** The width of the area with the candles. */
  readonly width: () => number;
  readonly axisWidth: () => number;
  /** The vertical position of the last price, whose label is drawn on the axis. */
  readonly lastY: () => number | undefined;
  /** Returns true if a label of this width, at this height next to the axis, would hide candles. */
  readonly hidesCandles: (y: number, width: number) => boolean;
  readonly onRedraw: (listener: () => void) => () => void;
};
