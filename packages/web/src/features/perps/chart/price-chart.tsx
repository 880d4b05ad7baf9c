import { useEffect, useEffectEvent, useMemo, useRef, useState, type RefObject } from 'react';
import { PriceScaleMode } from 'lightweight-charts';
import type { Candle, Fill } from '@oddlot/sdk';
import { toPixels } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { fillLists } from '../../../market/account-lists.ts';
import { candleSeries, changedEnd, startOf, type CandleInterval } from '../../../market/candles.ts';
import { inNextFrame, onFrame } from '../../../market/frame.ts';
import { useSession } from '../../../session/session.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { preferences } from '../../../ui/preferences.ts';
import { palette } from '../../../ui/canvas.ts';
import { onDemand } from '../../../ui/late.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import type { ChartLine } from './chart-lines.ts';
import { useDrawings } from './drawings/drawing.ts';
import { LineOverlay } from './line-overlay.tsx';
import type { Indicator } from './indicators.ts';
import { type Compared, useComparison, usePastLine } from './use-lines.ts';
import { useIndicators } from './use-indicators.ts';
import {
  barOf,
  makeChart,
  secondsOf,
  showLatest,
  volumeOf,
  type PriceChart as Chart,
} from './make-chart.ts';

const DrawingOverlay = onDemand(
  async () => (await import('./drawings/drawing-overlay.tsx')).DrawingOverlay,
);

export function PriceChart({
  interval,
  isLogarithmic,
  indicators,
  compared,
  lines,
  onDrawn,
}: {
  readonly interval: CandleInterval;
  readonly isLogarithmic: boolean;
  readonly indicators: readonly Indicator[];
  readonly compared: Compared | undefined;
  readonly lines: readonly ChartLine[];
  /** Hands out the way to a picture of it, as long as there is one. */
  readonly onDrawn: (picture: { readonly take: () => HTMLCanvasElement } | undefined) => void;
}) {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const { made, place } = useChart(interval, modeOf(isLogarithmic, compared));
  const drawings = useDrawings(perp.name);
  const hasProfile = indicators.includes('profile');
  const { firstMs, hasNone, refusal } = candleSeries.use({ coin, interval }, (state) => ({
    firstMs: state.candles[0]?.t,
    hasNone: state.isLoaded && state.candles.length === 0,
    refusal: state.refusal,
  }));
  const store = candleSeries.useStore({ coin, interval });
  const hasPast = usePastLine(made, store, interval, firstMs);
  const before = hasPast ? `┄ ${t('perps.chart.before')}` : '';
  const isEmpty = hasNone && !hasPast;
  const prices = useMemo(() => lines.map(({ price }) => toPixels(price)), [lines]);
  useEffect(() => made?.keepInSight(prices), [made, prices]);
  useMarkers(made, interval);
  useComparison(made, interval, compared);
  useIndicators(made, store, indicators);
  useEffect(() => {
    onDrawn(made && { take: () => named(made.chart.takeScreenshot(), before) });
  }, [before, made, onDrawn]);
  const legend = useLegend(made, grid.priceDecimals);
  return (
    <div dir="ltr" className="relative h-full min-h-0 overflow-hidden">
      <div
        ref={place}
        className="absolute inset-0"
        role="img"
        aria-label={t('perps.chart.label')}
      />
      <p
        ref={legend}
        className="pointer-events-none absolute top-1 start-3 z-10 text-11 text-muted tabular-nums"
      />
      <p className="pointer-events-none absolute top-5 start-3 z-10 text-11 text-muted">{before}</p>
      {made !== undefined && !isEmpty && (hasProfile || drawings.length > 0) && (
        <DrawingOverlay
          made={made}
          interval={interval}
          drawings={drawings}
          hasProfile={hasProfile}
        />
      )}
      {made !== undefined && !isEmpty && <LineOverlay lines={lines} scale={made.scale} />}
      {isEmpty && (
        <div className="absolute inset-0">
          <EmptyState title={refusal ?? t('perps.chart.empty')} text={t('perps.chart.emptyText')} />
        </div>
      )}
      <Attribution />
    </div>
  );
}

function named(picture: HTMLCanvasElement, before: string): HTMLCanvasElement {
  const context = picture.getContext('2d');
  if (context === null || before === '') return picture;
  context.font = `${11 * devicePixelRatio}px Inter, sans-serif`;
  context.fillStyle = palette().muted;
  context.fillText(before, 12 * devicePixelRatio, 20 * devicePixelRatio);
  return picture;
}

function Attribution() {
  const t = useWords();
  return (
    <a
      href="https://www.tradingview.com/"
      target="_blank"
      rel="noreferrer"
      className="absolute bottom-7 start-3 z-10 text-11 text-faint hover:text-text"
    >
      {t('perps.chart.attribution')}
    </a>
  );
}

function modeOf(isLogarithmic: boolean, compared: Compared | undefined): PriceScaleMode {
  if (compared !== undefined) return PriceScaleMode.Percentage;
  return isLogarithmic ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal;
}

function useChart(interval: CandleInterval, mode: PriceScaleMode) {
  const { coin, grid } = useTradedPerp();
  const place = useRef<HTMLDivElement>(null);
  const [made, setMade] = useState<Chart>();
  const store = candleSeries.useStore({ coin, interval });
  useEffect(() => {
    if (place.current === null) return undefined;
    const chart = makeChart(place.current, grid);
    setMade(chart);
    const leave = preferences.subscribe(() => inNextFrame(chart.recolour));
    return () => {
      leave();
      setMade(undefined);
      chart.remove();
    };
  }, [grid]);
  useEffect(() => {
    if (made === undefined) return undefined;
    let drawn: readonly Candle[] = [];
    const draw = (): void => {
      drawn = drawCandles(made, drawn, store.getState().candles);
    };
    draw();
    return onFrame(store, draw);
  }, [made, store]);
  useEffect(() => {
    made?.chart.priceScale('right').applyOptions({ mode });
  }, [made, mode]);
  return { made, place };
}

/** Draws what is new; all of it only when the past has changed. */
function drawCandles(
  { candles, chart, volume }: Chart,
  drawn: readonly Candle[],
  next: readonly Candle[],
): readonly Candle[] {
  if (next === drawn) return drawn;
  const changed = changedEnd(drawn, next);
  if (changed !== undefined) {
    for (const candle of changed) {
      candles.update(barOf(candle));
      volume.update(volumeOf(candle));
    }
    return next;
  }
  candles.setData(next.map(barOf));
  volume.setData(next.map(volumeOf));
  if (drawn.length === 0 && next.length > 0) {
    showLatest(chart, next.at(-1)!.t, next.length);
  }
  return next;
}

function useMarkers(made: Chart | undefined, interval: CandleInterval): void {
  const { perp } = useTradedPerp();
  const user = useSession()?.address;
  const fills = fillLists.use(user, (state) => state.rows);
  useEffect(() => {
    if (made === undefined) return;
    const { buy, sell } = palette();
    const markers = fills
      .filter(({ instrumentId }) => instrumentId === perp.index)
      .map(({ side, time }: Fill) => {
        const isBuy = side === 'B';
        return {
          time: secondsOf(startOf(time, interval)),
          position: isBuy ? ('belowBar' as const) : ('aboveBar' as const),
          shape: isBuy ? ('arrowUp' as const) : ('arrowDown' as const),
          color: isBuy ? buy : sell,
          size: 0.6,
        };
      })
      .sort((a, b) => a.time - b.time);
    made.markers.setMarkers(markers);
  }, [made, fills, perp.index, interval]);
}

/** What the candle under the pointer was; otherwise the last one. */
function useLegend(
  made: Chart | undefined,
  decimals: number,
): RefObject<HTMLParagraphElement | null> {
  const t = useWords();
  const legend = useRef<HTMLParagraphElement>(null);
  const write = useEffectEvent((bar: unknown): void => {
    if (legend.current === null || typeof bar !== 'object' || bar === null) return;
    const { close, high, low, open } = bar as Readonly<Record<string, number>>;
    if (open === undefined || high === undefined || low === undefined || close === undefined)
      return;
    const [o, h, l, c] = [open, high, low, close].map((value) =>
      number(value.toFixed(decimals), { decimals }),
    );
    legend.current.textContent = t('perps.chart.legend', { o, h, l, c });
  });
  useEffect(() => {
    if (made === undefined) return undefined;
    const { candles, chart } = made;
    const onMove = (event: { readonly seriesData: ReadonlyMap<unknown, unknown> }): void =>
      write(event.seriesData.get(candles) ?? candles.data().at(-1));
    const onData = (): void => write(candles.data().at(-1));
    chart.subscribeCrosshairMove(onMove);
    candles.subscribeDataChanged(onData);
    // Candles may have been there before the chart was.
    onData();
    return () => chart.unsubscribeCrosshairMove(onMove);
  }, [made]);
  return legend;
}
