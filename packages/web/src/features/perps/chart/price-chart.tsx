import type { Candle } from '@oddlot/sdk';
import { PriceScaleMode } from 'lightweight-charts';
import { useEffect, useEffectEvent, useMemo, useRef, useState, type RefObject } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { toPixels } from '../../../lib/decimal.ts';
import { dateTime, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { fillLists } from '../../../market/account-lists.ts';
import {
  CANDLES_MAX,
  candleSeries,
  changedEnd,
  type CandleInterval,
  type CandlePrice,
} from '../../../market/candles.ts';
import { inNextFrame, onFrame } from '../../../market/frame.ts';
import { useSession } from '../../../session/session.ts';
import { palette } from '../../../ui/canvas.ts';
import { preferences } from '../../../ui/preferences.ts';
import { EmptyState, onDemand } from '../../../ui/states.tsx';
import { useTradedPerp } from '../use-account.ts';
import type { ChartLine } from './chart-lines.ts';
import type { ChartSettings } from './chart-settings.ts';
import { useBegun, useDrawings } from './drawings/drawing.ts';
import { fillMarkers } from './fill-markers.ts';
import { settingsText } from './indicators/indicator-kinds.ts';
import { useIndicators } from './indicators/use-indicators.ts';
import { LineOverlay, type LegendSize } from './line-overlay.tsx';
import {
  barOf,
  makeChart,
  secondsOf,
  showLatest,
  volumeOf,
  type PriceChart as Chart,
} from './make-chart.ts';
import { useReplayed } from './use-replayed.ts';
import { useComparison, usePastLine, type Compared } from './use-lines.ts';

const DrawingOverlay = onDemand(
  async () => (await import('./drawings/drawing-overlay.tsx')).DrawingOverlay,
);

type PriceChartProps = {
  /** Distinguishes charts shown side by side. */
  readonly slot: string;
  readonly settings: ChartSettings;
  readonly compared: Compared | undefined;
  readonly lines: readonly ChartLine[];
  readonly onDrawn: (picture: { readonly take: () => HTMLCanvasElement } | undefined) => void;
  readonly onIndicators: () => void;
  readonly isReplaying: boolean;
  readonly onReplayEnd: () => void;
};

const ReplayBar = onDemand(async () => (await import('./replay-bar.tsx')).ReplayBar);

export function PriceChart(props: PriceChartProps) {
  const { slot, settings, compared, lines, onDrawn } = props;
  const { isReplaying, onReplayEnd } = props;
  const t = useWords();
  const { coin, perp } = useTradedPerp();
  const { indicators, interval, isLogarithmic, price, withPast } = settings;
  const drawings = useDrawings(perp.name);
  const begun = useBegun(slot);
  const hasProfile = indicators.some(({ kind }) => kind === 'profile');
  const shown = { coin, interval, price };
  const { firstMs, hasNone, isWhole, refusal } = candleSeries.use(shown, (state) => ({
    firstMs: state.candles[0]?.t,
    hasNone: state.isLoaded && state.candles.length === 0,
    isWhole: state.isLoaded && state.candles.length < CANDLES_MAX,
    refusal: state.refusal,
  }));
  const live = candleSeries.useStore(shown);
  const [untilMs, setUntilMs] = useState<number>();
  const store = useReplayed(live, untilMs);
  const [legendSize, setLegendSize] = useState(NO_LEGEND);
  const { made, place } = useChart(store, modeOf(isLogarithmic, compared));
  const hasPast = usePastLine(made, store, { interval, firstMs, isWanted: withPast });
  const notes = [useSince(price, { firstMs, isWhole }), hasPast && `┄ ${t('perps.chart.before')}`]
    .filter(Boolean)
    .join(' · ');
  const isEmpty = hasNone && !hasPast;
  const prices = useMemo(() => lines.map((line) => toPixels(line.price)), [lines]);
  useEffect(() => made?.keepInSight(prices), [made, prices]);
  useMarkers(made, interval, untilMs);
  useComparison(made, interval, compared);
  useIndicators(made, store, indicators);
  usePicture(made, notes, onDrawn);
  return (
    <div dir="ltr" className="relative h-full min-h-0 overflow-hidden">
      <div
        ref={place}
        className="absolute inset-0"
        role="img"
        aria-label={t('perps.chart.label')}
      />
      <Legend {...props} made={made} notes={notes} onSize={setLegendSize} />
      {made !== undefined &&
        !isEmpty &&
        (hasProfile || drawings.length > 0 || begun !== undefined) && (
          <DrawingOverlay
            made={made}
            live={live}
            interval={interval}
            drawings={drawings}
            hasProfile={hasProfile}
            begun={begun}
          />
        )}
      {made !== undefined && !isEmpty && untilMs === undefined && (
        <LineOverlay lines={lines} scale={made.scale} legend={legendSize} />
      )}
      {isReplaying && !isEmpty && (
        <ReplayBar
          key={interval}
          live={live}
          untilMs={untilMs}
          onUntil={setUntilMs}
          onEnd={onReplayEnd}
        />
      )}
      {isEmpty && <NoCandles price={price} refusal={refusal} />}
      <Attribution />
    </div>
  );
}

type NoCandlesProps = { readonly price: CandlePrice; readonly refusal: string | undefined };

function NoCandles({ price, refusal }: NoCandlesProps) {
  const t = useWords();
  const isTraded = price === 'trade';
  return (
    <div className="absolute inset-0">
      <EmptyState
        title={refusal ?? t(isTraded ? 'perps.chart.empty' : 'perps.chart.noPrices')}
        text={t(isTraded ? 'perps.chart.emptyText' : 'perps.chart.noPricesText')}
      />
    </div>
  );
}

/** Names the price that the candles show, and the time since which the venue has recorded it. */
function useSince(
  price: CandlePrice,
  { firstMs, isWhole }: { readonly firstMs: number | undefined; readonly isWhole: boolean },
): string {
  const t = useWords();
  if (price === 'trade' || firstMs === undefined) return '';
  const name = t(`perps.chart.${price}`);
  return isWhole ? t('perps.chart.since', { price: name, when: dateTime(firstMs) }) : name;
}

type Candles = { readonly candles: readonly Candle[]; readonly isLoaded: boolean };

type LegendProps = Pick<PriceChartProps, 'settings' | 'onIndicators'> & {
  readonly made: Chart | undefined;
  readonly notes: string;
  readonly onSize: (size: LegendSize) => void;
};

const NO_LEGEND: LegendSize = { width: 0, height: 0 };

/** Shows the prices under the crosshair and the chart's other lines. */
function Legend({ made, notes, settings: { indicators }, onIndicators, onSize }: LegendProps) {
  const t = useWords();
  const { grid } = useTradedPerp();
  const legend = useLegend(made, grid.priceDecimals);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => {
      const { offsetHeight, offsetLeft, offsetTop, offsetWidth } = current;
      onSize({ width: offsetLeft + offsetWidth, height: offsetTop + offsetHeight });
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [onSize]);
  return (
    <div
      ref={box}
      className="pointer-events-none absolute top-1 start-3 z-10 max-w-[70%] text-11 text-muted"
    >
      <p ref={legend} className="min-h-4 tabular-nums" />
      {notes !== '' && <p>{notes}</p>}
      {indicators.length > 0 && (
        <button
          type="button"
          aria-label={t('perps.chart.indicatorsChange')}
          onClick={onIndicators}
          className="pointer-events-auto flex flex-wrap gap-x-3 rounded text-start hover:text-text"
        >
          {indicators.map((indicator) => (
            <span key={indicator.id} className="flex items-center gap-1">
              <span
                style={{ backgroundColor: `var(--plot-${indicator.colour})` }}
                className="h-0.5 w-2.5 rounded"
              />
              {`${t(`perps.chart.indicatorShort.${indicator.kind}`)} ${settingsText(indicator)}`}
            </span>
          ))}
        </button>
      )}
    </div>
  );
}

/** Reports the chart once it has been drawn. A picture can be taken of it until it is removed. */
function usePicture(
  made: Chart | undefined,
  notes: string,
  onDrawn: PriceChartProps['onDrawn'],
): void {
  useEffect(() => {
    onDrawn(made && { take: () => named(made.chart.takeScreenshot(), notes) });
    return () => onDrawn(undefined);
  }, [notes, made, onDrawn]);
}

function named(picture: HTMLCanvasElement, notes: string): HTMLCanvasElement {
  const context = picture.getContext('2d');
  if (context === null || notes === '') return picture;
  context.font = `${11 * devicePixelRatio}px Inter, sans-serif`;
  context.fillStyle = palette().muted;
  context.fillText(notes, 12 * devicePixelRatio, 20 * devicePixelRatio);
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

function useChart(store: StoreApi<Candles>, mode: PriceScaleMode) {
  const { grid } = useTradedPerp();
  const place = useRef<HTMLDivElement>(null);
  const [made, setMade] = useState<Chart>();
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

function useMarkers(
  made: Chart | undefined,
  interval: CandleInterval,
  untilMs: number | undefined,
): void {
  const { perp } = useTradedPerp();
  const user = useSession()?.address;
  const fills = fillLists.use(user, (state) => state.rows);
  useEffect(() => {
    if (made === undefined) return;
    const { buy, sell } = palette();
    const shown = fillMarkers(fills, perp.index, interval).filter(
      ({ timeMs }) => untilMs === undefined || timeMs <= untilMs,
    );
    const markers = shown.map(({ isBuy, orders, timeMs }) => ({
      time: secondsOf(timeMs),
      position: isBuy ? ('belowBar' as const) : ('aboveBar' as const),
      shape: isBuy ? ('arrowUp' as const) : ('arrowDown' as const),
      color: isBuy ? buy : sell,
      size: 0.6,
      ...(orders > 1 ? { text: `×${orders}` } : {}),
    }));
    made.markers.setMarkers(markers);
  }, [made, fills, perp.index, interval, untilMs]);
}

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
    onData();
    return () => chart.unsubscribeCrosshairMove(onMove);
  }, [made]);
  return legend;
}
