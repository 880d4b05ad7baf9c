import type { Candle } from '@oddlot/sdk';
import { PriceScaleMode } from 'lightweight-charts';
import {
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
} from 'react';
import type { StoreApi } from 'zustand/vanilla';
import {
  add,
  divide,
  isDecimal,
  multiply,
  onStep,
  sign,
  subtract,
  toPixels,
} from '../../../lib/decimal.ts';
import { number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { fillLists } from '../../../market/account-lists.ts';
import { candleSeries, changedEnd, type CandleInterval } from '../../../market/candles.ts';
import { inNextFrame, onFrame } from '../../../market/frame.ts';
import { contexts } from '../../../market/streams.ts';
import { useSession } from '../../../session/session.ts';
import { palette } from '../../../ui/canvas.ts';
import { notify } from '../../../ui/overlays.tsx';
import { preferences } from '../../../ui/preferences.ts';
import { EmptyState, onDemand } from '../../../ui/states.tsx';
import { classes } from '../../../ui/styles.ts';
import { useAct, useTradedPerp } from '../use-account.ts';
import type { ChartLine } from './chart-lines.ts';
import type { ChartSettings } from './chart-settings.ts';
import { useBegun, useDrawings } from './drawings/drawing.ts';
import { fillMarkers } from './fill-markers.ts';
import { settingsText, type Indicator } from './indicators/indicator-kinds.ts';
import { useIndicators } from './indicators/use-indicators.ts';
import {
  barOf,
  makeChart,
  secondsOf,
  showLatest,
  volumeOf,
  type PriceChart as Chart,
  type Scale,
} from './make-chart.ts';
import { useReplayed } from './use-replayed.ts';
import { useComparison, usePastLine, type Compared } from './use-lines.ts';

const DrawingOverlay = onDemand(
  async () => (await import('./drawings/drawing-overlay.tsx')).DrawingOverlay,
);

type PriceChartProps = {
  /** Tells charts next to each other apart. */
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
  const { slot, settings, compared, lines, onDrawn, onIndicators } = props;
  const { isReplaying, onReplayEnd } = props;
  const t = useWords();
  const { coin, perp } = useTradedPerp();
  const { indicators, interval, isLogarithmic, withPast } = settings;
  const drawings = useDrawings(perp.name);
  const begun = useBegun(slot);
  const hasProfile = indicators.some(({ kind }) => kind === 'profile');
  const { firstMs, hasNone, refusal } = candleSeries.use({ coin, interval }, (state) => ({
    firstMs: state.candles[0]?.t,
    hasNone: state.isLoaded && state.candles.length === 0,
    refusal: state.refusal,
  }));
  const live = candleSeries.useStore({ coin, interval });
  const [untilMs, setUntilMs] = useState<number>();
  const store = useReplayed(live, untilMs);
  const { made, place } = useChart(store, modeOf(isLogarithmic, compared));
  const hasPast = usePastLine(made, store, { interval, firstMs, isWanted: withPast });
  const before = hasPast ? `┄ ${t('perps.chart.before')}` : '';
  const isEmpty = hasNone && !hasPast;
  const prices = useMemo(() => lines.map(({ price }) => toPixels(price)), [lines]);
  useEffect(() => made?.keepInSight(prices), [made, prices]);
  useMarkers(made, interval, untilMs);
  useComparison(made, interval, compared);
  useIndicators(made, store, indicators);
  usePicture(made, before, onDrawn);
  return (
    <div dir="ltr" className="relative h-full min-h-0 overflow-hidden">
      <div
        ref={place}
        className="absolute inset-0"
        role="img"
        aria-label={t('perps.chart.label')}
      />
      <Legend made={made} before={before} indicators={indicators} onIndicators={onIndicators} />
      {made !== undefined &&
        !isEmpty &&
        (hasProfile || drawings.length > 0 || begun !== undefined) && (
          <DrawingOverlay
            made={made}
            interval={interval}
            drawings={drawings}
            hasProfile={hasProfile}
            begun={begun}
          />
        )}
      {made !== undefined && !isEmpty && untilMs === undefined && (
        <LineOverlay lines={lines} scale={made.scale} />
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
      {isEmpty && (
        <div className="absolute inset-0">
          <EmptyState title={refusal ?? t('perps.chart.empty')} text={t('perps.chart.emptyText')} />
        </div>
      )}
      <Attribution />
    </div>
  );
}

type Candles = { readonly candles: readonly Candle[]; readonly isLoaded: boolean };

type LegendProps = Pick<PriceChartProps, 'onIndicators'> & {
  readonly made: Chart | undefined;
  readonly before: string;
  readonly indicators: readonly Indicator[];
};

/** Shows the prices under the crosshair, and what else is drawn. */
function Legend({ made, before, indicators, onIndicators }: LegendProps) {
  const t = useWords();
  const { grid } = useTradedPerp();
  const legend = useLegend(made, grid.priceDecimals);
  return (
    <div className="pointer-events-none absolute top-1 start-3 z-10 max-w-[70%] text-11 text-muted">
      <p ref={legend} className="min-h-4 tabular-nums" />
      {before !== '' && <p>{before}</p>}
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

/** Reports the drawn chart, from which a picture can be taken until the chart is removed. */
function usePicture(
  made: Chart | undefined,
  before: string,
  onDrawn: PriceChartProps['onDrawn'],
): void {
  useEffect(() => {
    onDrawn(made && { take: () => named(made.chart.takeScreenshot(), before) });
    return () => onDrawn(undefined);
  }, [before, made, onDrawn]);
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

const TONES = {
  buy: 'border-buy text-buy-strong',
  sell: 'border-sell text-sell-strong',
  accent: 'border-accent text-accent',
  warning: 'border-warning text-warning',
  muted: 'border-faint text-muted',
} as const;

const TAG =
  'chart-tag pointer-events-auto absolute -top-2.5 end-[calc(-1*var(--axis,0px))] z-10 flex h-5 items-stretch text-11 whitespace-pre hover:z-20 focus-visible:z-20';

const STYLES = { dashed: 'border-dashed', dotted: 'border-dotted', solid: '' } as const;

type LineOverlayProps = { readonly lines: readonly ChartLine[]; readonly scale: Scale };

export function LineOverlay({ lines, scale }: LineOverlayProps) {
  const t = useWords();
  const { coin } = useTradedPerp();
  const list = useRef<HTMLUListElement>(null);
  const market = contexts.useStore(coin);
  const place = useCallback((): void => {
    if (list.current !== null) placeAll(list.current, scale, market.getState().ctx?.markPx);
  }, [market, scale]);
  useEffect(() => scale.onRedraw(place), [place, scale]);
  useEffect(() => place());
  return (
    <ul
      ref={list}
      aria-label={t('perps.chart.lines')}
      className="pointer-events-none absolute inset-0 z-10 overflow-hidden"
    >
      {lines.map((line) => (
        <Line key={line.id} line={line} scale={scale} onMove={place} />
      ))}
      {(['above', 'below'] as const).map((edge) => (
        <li key={edge} data-edge={edge} hidden className="absolute start-2 text-11 text-muted" />
      ))}
    </ul>
  );
}

const EDGE_NOTE_PX = 40;
/** Measuring a label would force a layout in every frame, so its width is estimated. */
const [CHAR_PX, TAG_PX] = [6.2, 16];

/**
 * Places the labels of all lines. Prices out of sight are listed at the edge, so that the scale
 * does not change.
 */
function placeAll(list: HTMLUListElement, scale: Scale, markPx: string | undefined): void {
  const items = [...list.querySelectorAll<HTMLLIElement>('li[data-price]')];
  const height = scale.height();
  const lines = items.flatMap((item, at) => {
    const y = scale.toY(item.dataset['price'] ?? '');
    return y === undefined ? [] : [{ id: String(at), y }];
  });
  const lastY = scale.lastY();
  const { places, ...counted } = placeTags(
    lastY === undefined ? lines : [...lines, { id: 'last', y: lastY, isFixed: true }],
    height,
  );
  const axis = `${scale.axisWidth()}px`;
  list.style.setProperty('--axis', axis);
  items.forEach((item, at) => {
    const placed = places.get(String(at));
    const isSeen = placed !== undefined && !placed.isCounted;
    item.style.visibility = isSeen ? 'visible' : 'hidden';
    if (!isSeen) return;
    const y =
      placed.edge === undefined ? lines.find(({ id }) => id === String(at))!.y : placed.tagY;
    item.style.right = axis;
    // A transform would create a layer in which the next line crosses the label.
    item.style.top = `${y}px`;
    item.style.borderColor = placed.edge === undefined ? '' : 'transparent';
    const tag = item.firstElementChild as HTMLElement;
    tag.style.transform = `translateY(${placed.tagY - y}px)`;
    const note = tag.querySelector<HTMLElement>('[data-note]')!;
    const width = TAG_PX + (tag.dataset['chars'] ?? '').length * CHAR_PX;
    item.toggleAttribute('data-open', !scale.hidesCandles(placed.tagY, width));
    const text =
      placed.edge === undefined ? '' : edgeText(placed.edge, item.dataset['price'], markPx);
    if (note.textContent !== text) note.textContent = text;
  });
  for (const edge of ['above', 'below'] as const) {
    const note = list.querySelector<HTMLLIElement>(`li[data-edge=${edge}]`)!;
    note.hidden = counted[edge] === 0;
    if (note.hidden) continue;
    note.style.top = edge === 'above' ? '24px' : `${height - EDGE_NOTE_PX}px`;
    note.textContent = `${edge === 'above' ? '↑' : '↓'} +${counted[edge]}`;
  }
}

function edgeText(
  edge: 'above' | 'below',
  price: string | undefined,
  markPx: string | undefined,
): string {
  const arrow = edge === 'above' ? '  ↑' : '  ↓';
  if (!isDecimal(price) || !isDecimal(markPx)) return arrow;
  const distance = divide(subtract(price, markPx), markPx, 6);
  return `${arrow} ${percent(distance, { decimals: 1, isSigned: true })}`;
}

type LineProps = { readonly line: ChartLine; readonly scale: Scale; readonly onMove: () => void };

function Line({ line, scale, onMove }: LineProps) {
  const t = useWords();
  const { grid } = useTradedPerp();
  const item = useRef<HTMLLIElement>(null);
  const { canMove, isBusy, move, moved, resize, resized, send } = useMove(line);
  const shown = moved ?? line.price;
  useEffect(() => onMove());
  const grip = useRef<Grip>(undefined);
  const take = (event: PointerEvent<HTMLElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const top = Number.parseFloat(item.current?.style.top ?? '');
    grip.current = { startY: event.clientY, offset: event.clientY - top };
  };
  const drag = (event: PointerEvent<HTMLElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { offset, startY } = grip.current ?? { offset: 0, startY: 0 };
    // The label of a price outside the visible range is at the edge, so a press without a drag must
    // not set the price.
    if (moved === undefined && Math.abs(event.clientY - startY) < DRAG_PX) return;
    move(scale.toPrice(event.clientY - offset));
  };
  const warning = moved === undefined ? undefined : line.warn?.(moved);
  const label = moved === undefined ? line.label : (line.labelAt?.(moved) ?? line.label);
  const price = number(shown, { decimals: grid.priceDecimals });
  const words = [
    label,
    ...(resized === undefined ? [] : [t('perps.line.resized', { size: number(resized) })]),
    ...(warning === undefined ? [] : [t(`perps.line.${warning}`)]),
  ].join(' · ');
  const tone = warning === undefined ? line.tone : 'warning';
  const isBeingMoved = moved !== undefined || resized !== undefined;
  const tag = classes(TAG, TONES[tone], isBeingMoved && 'is-open', isBusy && 'opacity-60');
  const stroke = classes(TONES[tone], STYLES[line.style]);
  const content = <TagText short={line.short} words={words} price={price} />;
  return (
    <li ref={item} data-price={shown} className={classes('absolute start-0 h-0 border-t', stroke)}>
      {canMove ? (
        <button
          type="button"
          role="slider"
          aria-orientation="vertical"
          aria-label={line.name ?? line.label}
          aria-valuenow={toPixels(shown)}
          aria-valuetext={`${words} · ${price}`}
          data-chars={words}
          className={classes(tag, 'cursor-ns-resize touch-none')}
          onKeyDown={(event) => onKey(event, { shown, moved, tick: grid.tick, move, resize, send })}
          onBlur={() => {
            if (line.set === undefined) move(undefined);
          }}
          onPointerDown={take}
          onPointerMove={drag}
          onPointerCancel={() => line.set === undefined && move(undefined)}
          onPointerUp={() => send(moved)}
        >
          {content}
        </button>
      ) : (
        <span data-chars={words} className={tag}>
          {content}
        </span>
      )}
    </li>
  );
}

type Grip = { readonly startY: number; readonly offset: number } | undefined;

const DRAG_PX = 3;

type TagTextProps = Readonly<{ short: string; words: string; price: string }>;

function TagText({ short, words, price }: TagTextProps) {
  return (
    <>
      <span className="chart-tag-short">{short}</span>
      <span className="chart-tag-label">
        {words}
        <span data-note="" />
      </span>
      <span className="visually-hidden"> · </span>
      <span className="chart-tag-price">{price}</span>
    </>
  );
}

type Move = {
  readonly moved: string | undefined;
  readonly canMove: boolean;
  readonly isBusy: boolean;
  readonly resized: string | undefined;
  readonly move: (price: string | undefined) => void;
  readonly resize: (lots: number) => void;
  readonly send: (price: string | undefined) => void;
};

function useMove(line: ChartLine): Move {
  const t = useWords();
  const [moved, setMoved] = useState<string>();
  const [resized, setResized] = useState<string>();
  const { act, canAct, isBusy } = useAct();
  const { move: give, set, size } = line;
  const putBack = (): void => {
    setMoved(undefined);
    setResized(undefined);
  };
  const move = (price: string | undefined): void => {
    if (isBusy) return;
    if (price === undefined) putBack();
    else if (!isDecimal(price) || sign(price) <= 0) return;
    else if (set !== undefined) set(price);
    else setMoved(price);
  };
  const resize = (lots: number): void => {
    if (size === undefined || isBusy) return;
    const next = add(resized ?? size.whole, multiply(size.lot, String(lots)));
    if (sign(next) > 0) setResized(next);
  };
  const send = (price: string | undefined): void => {
    const isSame = (price ?? line.price) === line.price && resized === undefined;
    if (isSame || give === undefined) return putBack();
    const next = price ?? line.price;
    if (line.warn?.(next) === 'firesNow') {
      notify({ title: t('perps.amend.firesNow'), tone: 'warning' });
      return putBack();
    }
    void act((trader) => give(trader, next, resized)).then(putBack);
  };
  const canMove = set !== undefined || (give !== undefined && canAct && !isBusy);
  return { moved, resized, canMove, isBusy, move, resize, send };
}

function onKey(
  event: KeyboardEvent,
  {
    shown,
    moved,
    tick,
    move,
    resize,
    send,
  }: Pick<Move, 'moved' | 'move' | 'resize' | 'send'> & Readonly<{ shown: string; tick: string }>,
): void {
  if (event.key === 'Enter') send(moved);
  if (event.key === 'Escape') move(undefined);
  if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
    event.preventDefault();
    resize((event.shiftKey ? 10 : 1) * (event.key === 'ArrowLeft' ? -1 : 1));
  }
  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
  event.preventDefault();
  const step = event.shiftKey ? multiply(tick, '10') : tick;
  move(onStep(event.key === 'ArrowUp' ? add(shown, step) : subtract(shown, step), tick));
}

type Placed = Readonly<{ tagY: number; edge: 'above' | 'below' | undefined; isCounted: boolean }>;

/** A fixed label is drawn elsewhere, and others move away from it. */
type Wanted = { readonly id: string; readonly y: number; readonly isFixed?: true };

const STEP_PX = 22;
const EDGE_MAX = 3;

export function placeTags(
  lines: readonly Wanted[],
  height: number,
): Readonly<{ places: ReadonlyMap<string, Placed>; above: number; below: number }> {
  const places = new Map<string, Placed>();
  const sorted = lines.toSorted((a, b) => a.y - b.y);
  const above = sorted.filter(({ y }) => y < 0).toReversed();
  const below = sorted.filter(({ y }) => y > height);
  const counted = {
    above: Math.max(0, above.length - EDGE_MAX),
    below: Math.max(0, below.length - EDGE_MAX),
  };
  const [top, bottom] = [Math.min(above.length, EDGE_MAX), Math.min(below.length, EDGE_MAX)];
  above.forEach(({ id }, at) =>
    places.set(id, { tagY: (top - 0.5 - at) * STEP_PX, edge: 'above', isCounted: at >= EDGE_MAX }),
  );
  below.forEach(({ id }, at) =>
    places.set(id, {
      tagY: height - (bottom - 0.5 - at) * STEP_PX,
      edge: 'below',
      isCounted: at >= EDGE_MAX,
    }),
  );
  const inside = sorted.filter(({ y }) => y >= 0 && y <= height);
  const from = (top + 0.5) * STEP_PX;
  const to = height - (bottom + 0.5) * STEP_PX;
  apart(inside, top === 0 ? 0 : from, bottom === 0 ? height : to).forEach((tagY, at) =>
    places.set(inside[at]!.id, { tagY, edge: undefined, isCounted: false }),
  );
  return { places, ...counted };
}

const FIXED_WEIGHT = 1_000;

/** Moves positions apart with isotonic regression, which keeps a minimum distance between them. */
function apart(wanted: readonly Wanted[], from: number, to: number): readonly number[] {
  const groups: { readonly sum: number; readonly weight: number; readonly count: number }[] = [];
  wanted.forEach(({ isFixed, y }, at) => {
    let [weight, count] = [isFixed === true ? FIXED_WEIGHT : 1, 1];
    let sum = (y - at * STEP_PX) * weight;
    for (let before = groups.at(-1); before !== undefined; before = groups.at(-1)) {
      if (before.sum / before.weight <= sum / weight) break;
      groups.pop();
      [sum, weight, count] = [before.sum + sum, before.weight + weight, before.count + count];
    }
    groups.push({ sum, weight, count });
  });
  const most = to - (wanted.length - 1) * STEP_PX;
  return groups
    .flatMap(({ count, sum, weight }) => Array<number>(count).fill(Math.round(sum / weight)))
    .map((less, at) => Math.min(Math.max(less, from), most) + at * STEP_PX);
}
