import type { Candle } from '@oddlot/sdk';
import type { IChartApi, UTCTimestamp } from 'lightweight-charts';
import {
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
import { divide, isDecimal, sign, subtract, toPixels } from '../../../../lib/decimal.ts';
import { dateTime, number, percent } from '../../../../lib/format.ts';
import { useWords } from '../../../../lib/words.ts';
import { intervalMs, type CandleInterval } from '../../../../market/candles.ts';
import { inNextFrame, notInNextFrame } from '../../../../market/frame.ts';
import { contexts } from '../../../../market/streams.ts';
import { venueNow } from '../../../../market/venue.ts';
import { fitted, FONT, palette } from '../../../../ui/canvas.ts';
import { useTradedPerp } from '../../use-account.ts';
import { plotColour } from '../colours.tsx';
import type { PriceChart, Scale } from '../make-chart.ts';
import { Placing, StyleBar } from './drawing-tools.tsx';
import {
  beginDrawing,
  changeDrawings,
  newDrawing,
  pointsOf,
  ratioLevels,
  redoDrawing,
  undoDrawing,
  USUAL_STYLE,
  withDrawing,
  withPoint,
  type Dash,
  type Drawing,
  type DrawingKind,
  type DrawingPoint,
} from './drawing.ts';

type DrawingOverlayProps = {
  readonly made: PriceChart;
  readonly live: StoreApi<{ readonly candles: readonly Candle[] }>;
  readonly interval: CandleInterval;
  readonly drawings: readonly Drawing[];
  readonly hasProfile: boolean;
  /** The kind of the drawing whose points are being placed. */
  readonly begun: DrawingKind | undefined;
};

export function DrawingOverlay(props: DrawingOverlayProps) {
  const { made, live: store, interval, drawings, begun } = props;
  const { perp } = useTradedPerp();
  const canvas = useRef<HTMLCanvasElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [preview, setPreview] = useState<readonly DrawingPoint[]>([]);
  const [chosen, setChosen] = useState<string>();
  const axis = useMemo(
    () => timeAxis(made.chart, () => store.getState().candles, intervalMs(interval)),
    [made, store, interval],
  );
  useRedraw(props, { axis, canvas, list, preview });
  const selected = drawings.find(({ id }) => id === chosen);
  const change: Change = (next, step) => changeDrawings(perp.name, next, step);
  return (
    <>
      <canvas
        ref={canvas}
        aria-hidden="true"
        className="pointer-events-none absolute inset-0 z-[5] h-full w-full"
      />
      <Handles
        list={list}
        made={made}
        axis={axis}
        drawings={drawings}
        onChoose={setChosen}
        onChange={change}
      />
      {begun === undefined && selected !== undefined && (
        <StyleBar
          drawing={selected}
          onStyle={(style) => change((all) => withDrawing(all, { ...selected, style }))}
          onRemove={() => change((all) => all.filter(({ id }) => id !== selected.id))}
          onClose={() => setChosen(undefined)}
        />
      )}
      {begun !== undefined && (
        <NewDrawing
          key={begun}
          kind={begun}
          axis={axis}
          scale={made.scale}
          onPreview={setPreview}
        />
      )}
    </>
  );
}

type Change = (next: (all: readonly Drawing[]) => readonly Drawing[], step?: string) => void;

type HandlesProps = {
  readonly list: RefObject<HTMLUListElement | null>;
  readonly made: PriceChart;
  readonly axis: TimeAxis;
  readonly drawings: readonly Drawing[];
  readonly onChoose: (id: string) => void;
  readonly onChange: Change;
};

function Handles({ list, made, axis, drawings, onChoose, onChange }: HandlesProps) {
  const t = useWords();
  const { grid } = useTradedPerp();
  return (
    <ul
      ref={list}
      aria-label={t('perps.drawing.label')}
      className="pointer-events-none absolute inset-0 z-10 overflow-hidden"
    >
      {drawings.flatMap((drawing) =>
        drawing.points.map((point, at) => (
          <Handle
            key={`${drawing.id} ${at}`}
            name={t(`perps.drawing.point.${pointsOf(drawing.kind) === 1 ? 'one' : 'two'}`, {
              kind: t(`perps.drawing.kind.${drawing.kind}`),
              number: at + 1,
            })}
            valueText={`${number(point.price, { decimals: grid.priceDecimals })}, ${dateTime(point.timeMs)}`}
            point={point}
            made={made}
            axis={axis}
            onChoose={() => onChoose(drawing.id)}
            onMove={(next) =>
              onChange((all) => withPoint(all, drawing.id, at, next), `${drawing.id} ${at}`)
            }
            onRemove={() => onChange((all) => all.filter(({ id }) => id !== drawing.id))}
          />
        )),
      )}
    </ul>
  );
}

type NewDrawingProps = {
  readonly kind: DrawingKind;
  readonly axis: TimeAxis;
  readonly scale: Scale;
  readonly onPreview: (points: readonly DrawingPoint[]) => void;
};

function NewDrawing({ kind, axis, scale, onPreview }: NewDrawingProps) {
  const { coin, grid, perp } = useTradedPerp();
  const market = contexts.useStore(coin);
  const end = (): void => {
    onPreview([]);
    beginDrawing(undefined);
  };
  const place = (drawing: Drawing): void => {
    changeDrawings(perp.name, (all) => withDrawing(all, drawing));
    end();
  };
  return (
    <Placing
      kind={kind}
      pointAt={(event) => pointAt(event, axis, scale)}
      onPreview={onPreview}
      onPlace={(points) => place({ id: crypto.randomUUID(), kind, points })}
      onPlaceAtMark={() => {
        const markPx = market.getState().ctx?.markPx;
        if (!isDecimal(markPx)) return;
        const about = { id: crypto.randomUUID(), nowMs: venueNow(), tick: grid.tick };
        place(newDrawing(kind, { ...about, markPx, stepMs: axis.stepMs }));
      }}
      onCancel={end}
    />
  );
}

function pointAt(
  event: PointerEvent<HTMLElement>,
  axis: TimeAxis,
  scale: Scale,
): DrawingPoint | undefined {
  const box = event.currentTarget.getBoundingClientRect();
  const price = scale.toPrice(event.clientY - box.top);
  const timeMs = axis.toTime(event.clientX - box.left);
  return price === undefined || timeMs === undefined ? undefined : { price, timeMs };
}

type Layers = {
  readonly axis: TimeAxis;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly list: RefObject<HTMLUListElement | null>;
  readonly preview: readonly DrawingPoint[];
};

function useRedraw(
  { made, live: store, drawings, hasProfile, begun }: DrawingOverlayProps,
  { axis, canvas, list, preview }: Layers,
): void {
  const { grid } = useTradedPerp();
  const redraw = useEffectEvent((): void => {
    if (canvas.current === null || list.current === null || made.isGone()) return;
    const { candles } = store.getState();
    const decimals = grid.priceDecimals;
    const isPreviewed = begun !== undefined && preview.length === pointsOf(begun);
    const shown = isPreviewed
      ? [...drawings, { id: 'preview', kind: begun, points: preview }]
      : drawings;
    draw(canvas.current, {
      axis,
      candles,
      decimals,
      drawings: shown,
      hasProfile,
      scale: made.scale,
    });
    placeHandles(list.current, axis, made);
  });
  useEffect(() => {
    const now = (): void => redraw();
    const again = (): void => inNextFrame(now);
    again();
    const leave = made.scale.onRedraw(again);
    return () => {
      leave();
      notInNextFrame(now);
    };
  }, [made]);
  useEffect(() => redraw());
}

function placeHandles(list: HTMLUListElement, axis: TimeAxis, { scale }: PriceChart): void {
  const right = list.clientWidth - scale.axisWidth();
  for (const item of list.querySelectorAll<HTMLLIElement>('li')) {
    const { price = '', time = '' } = item.dataset;
    const [x, y] = [axis.toX(Number(time)), scale.toY(price)];
    const isSeen = x !== undefined && y !== undefined && x <= right && y <= scale.height();
    item.style.visibility = isSeen ? 'visible' : 'hidden';
    if (isSeen) item.style.transform = `translate(${x}px, ${y}px)`;
  }
}

type HandleProps = {
  readonly name: string;
  readonly valueText: string;
  readonly point: DrawingPoint;
  readonly made: PriceChart;
  readonly axis: TimeAxis;
  readonly onChoose: () => void;
  readonly onMove: (point: DrawingPoint) => void;
  readonly onRemove: () => void;
};

function Handle(props: HandleProps) {
  const { name, valueText, point, axis, onChoose, onMove, onRemove } = props;
  const { scale } = props.made;
  const item = useRef<HTMLLIElement>(null);
  const drag = (event: PointerEvent<HTMLElement>): void => {
    const box = item.current?.parentElement?.getBoundingClientRect();
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || box === undefined) return;
    const price = scale.toPrice(event.clientY - box.top);
    const timeMs = axis.toTime(event.clientX - box.left);
    if (price !== undefined && timeMs !== undefined) onMove({ price, timeMs });
  };
  const { perp } = useTradedPerp();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (event.shiftKey) redoDrawing(perp.name);
      else undoDrawing(perp.name);
    }
    if (event.key === 'Delete' || event.key === 'Backspace') onRemove();
    const far = event.shiftKey ? 10 : 1;
    const step = STEPS[event.key];
    const y = scale.toY(point.price);
    if (step === undefined || y === undefined) return;
    event.preventDefault();
    const price = step.pixels === 0 ? point.price : scale.toPrice(y + step.pixels * far);
    const timeMs = point.timeMs + step.candles * far * axis.stepMs;
    if (price !== undefined) onMove({ price, timeMs });
  };
  return (
    <li
      ref={item}
      data-price={point.price}
      data-time={point.timeMs}
      className="absolute top-0 start-0"
    >
      <button
        type="button"
        role="slider"
        aria-label={name}
        aria-valuenow={toPixels(point.price)}
        aria-valuetext={valueText}
        onKeyDown={onKeyDown}
        onFocus={onChoose}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        className="pointer-events-auto absolute -top-3 -left-3 size-6 cursor-move touch-none rounded-full before:absolute before:inset-2 before:rounded-full before:border before:border-accent before:bg-panel"
      />
    </li>
  );
}

const STEPS: Readonly<Record<string, { readonly pixels: number; readonly candles: number }>> = {
  ArrowUp: { pixels: -1, candles: 0 },
  ArrowDown: { pixels: 1, candles: 0 },
  ArrowLeft: { pixels: 0, candles: -1 },
  ArrowRight: { pixels: 0, candles: 1 },
};

type Drawn = {
  readonly axis: TimeAxis;
  readonly scale: Scale;
  readonly candles: readonly Candle[];
  readonly drawings: readonly Drawing[];
  readonly hasProfile: boolean;
  readonly decimals: number;
};

const PROFILE_SHARE = 0.25;

export function draw(canvas: HTMLCanvasElement, drawn: Drawn): void {
  const room = fitted(canvas);
  if (room === undefined) return;
  const { context } = room;
  const right = room.width - drawn.scale.axisWidth();
  context.save();
  context.beginPath();
  context.rect(0, 0, right, drawn.scale.height());
  context.clip();
  if (drawn.hasProfile) drawProfile(context, drawn, right);
  context.font = `11px ${FONT}`;
  for (const drawing of drawn.drawings) drawOne(context, drawing, drawn, right);
  context.restore();
}

function drawOne(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  { axis, decimals, scale }: Drawn,
  right: number,
): void {
  const { colour, dash, width } = drawing.style ?? USUAL_STYLE;
  context.strokeStyle = plotColour(colour);
  context.lineWidth = width;
  context.setLineDash(DASH_PX[dash]);
  const [from, to] = drawing.points.map(
    ({ price, timeMs }) => [axis.toX(timeMs), scale.toY(price)] as const,
  );
  const [x1, y1] = from ?? [];
  const [x2, y2] = to ?? [];
  if (drawing.kind === 'level' && y1 !== undefined) stroke(context, [0, y1], [right, y1]);
  if (drawing.kind === 'moment' && x1 !== undefined) {
    stroke(context, [x1, 0], [x1, scale.height()]);
  }
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return;
  switch (drawing.kind) {
    case 'line':
      return stroke(context, [x1, y1], [x2, y2]);
    case 'ray': {
      const far = x2 === x1 ? 0 : (right - x1) / (x2 - x1);
      // A ray to the left ends at the second point, because the past has a first candle.
      const share = Math.max(1, far);
      return stroke(context, [x1, y1], [x1 + (x2 - x1) * share, y1 + (y2 - y1) * share]);
    }
    case 'box':
      context.fillStyle = context.strokeStyle;
      context.globalAlpha = 0.1;
      context.fillRect(x1, y1, x2 - x1, y2 - y1);
      context.globalAlpha = 1;
      return context.strokeRect(x1, y1, x2 - x1, y2 - y1);
    case 'range':
      return drawRange(context, drawing, { from: [x1, y1], to: [x2, y2], axis });
    case 'ratio':
      stroke(context, [x1, y1], [x2, y2]);
      context.fillStyle = palette().muted;
      for (const { price, ratio } of ratioLevels(drawing)) {
        const y = scale.toY(price);
        if (y === undefined) continue;
        stroke(context, [Math.min(x1, x2), y], [right, y]);
        const text = `${percent(ratio, { decimals: 1 })}  ${number(price, { decimals })}`;
        context.fillText(text, Math.min(x1, x2) + 4, y - 3);
      }
  }
}

const DASH_PX: Readonly<Record<Dash, number[]>> = { solid: [], dashed: [6, 4], dotted: [1.5, 3] };

/** Shows the price change and the number of candles between two points. */
function drawRange(
  context: CanvasRenderingContext2D,
  { points: [first, last] }: Drawing,
  { from, to, axis }: { readonly from: Spot; readonly to: Spot; readonly axis: TimeAxis },
): void {
  if (first === undefined || last === undefined) return;
  const { buy, panel, sell } = palette();
  const isUp = sign(subtract(last.price, first.price)) >= 0;
  context.fillStyle = isUp ? buy : sell;
  context.globalAlpha = 0.12;
  context.fillRect(from[0], from[1], to[0] - from[0], to[1] - from[1]);
  context.globalAlpha = 1;
  stroke(context, from, [from[0], to[1]]);
  stroke(context, [from[0], to[1]], to);
  const change = subtract(last.price, first.price);
  const share = percent(divide(change, first.price, 6), { isSigned: true });
  const bars = number(String(Math.round((last.timeMs - first.timeMs) / axis.stepMs)));
  const text = `${number(change, { isSigned: true })} (${share}) · ${bars} × ${axis.stepMs / 60_000}m`;
  const width = context.measureText(text).width + 8;
  const left = Math.min(from[0], to[0]);
  const top = isUp ? to[1] - 18 : to[1] + 4;
  context.fillStyle = panel;
  context.fillRect(left, top, width, 16);
  context.fillStyle = isUp ? buy : sell;
  context.fillText(text, left + 4, top + 12);
}

type Spot = readonly [x: number, y: number];

function stroke(context: CanvasRenderingContext2D, from: Spot, to: Spot): void {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

function drawProfile(
  context: CanvasRenderingContext2D,
  { candles, scale }: Drawn,
  right: number,
): void {
  const bins = volumeProfile(candles);
  const most = Math.max(...bins.map(({ volume }) => volume));
  context.fillStyle = palette().muted;
  context.globalAlpha = 0.25;
  for (const { high, low, volume } of bins) {
    const [top, bottom] = [scale.toY(String(high)), scale.toY(String(low))];
    if (top === undefined || bottom === undefined) continue;
    const width = (volume / most) * right * PROFILE_SHARE;
    context.fillRect(right - width, top, width, Math.max(1, bottom - top - 1));
  }
  context.globalAlpha = 1;
}

export type TimeAxis = {
  readonly toX: (timeMs: number) => number | undefined;
  readonly toTime: (x: number) => number | undefined;
  readonly stepMs: number;
};

export function timeAxis(
  chart: IChartApi,
  candles: () => readonly Candle[],
  stepMs: number,
): TimeAxis {
  const scale = chart.timeScale();
  const indexOf = (timeMs: number): number | undefined =>
    scale.timeToIndex((timeMs / 1_000) as UTCTimestamp, true) ?? undefined;
  const ends = (): { readonly firstMs: number; readonly lastMs: number } | undefined => {
    const all = candles();
    const [first, last] = [all[0], all.at(-1)];
    return first === undefined || last === undefined
      ? undefined
      : { firstMs: first.t, lastMs: last.t };
  };
  return {
    stepMs,
    toX: (timeMs) => {
      const known = ends();
      if (known === undefined) return undefined;
      const inside = Math.min(Math.max(timeMs, known.firstMs), known.lastMs);
      const index = indexOf(inside);
      if (index === undefined) return undefined;
      const logical = index + (timeMs - inside) / stepMs;
      return scale.logicalToCoordinate(logical as never) ?? undefined;
    },
    toTime: (x) => {
      const known = ends();
      const logical = scale.coordinateToLogical(x);
      if (known === undefined || logical === null) return undefined;
      const [first, last] = [indexOf(known.firstMs), indexOf(known.lastMs)];
      if (first === undefined || last === undefined) return undefined;
      const at = Math.round(logical);
      if (at >= last) return known.lastMs + (at - last) * stepMs;
      if (at <= first) return known.firstMs + (at - first) * stepMs;
      const time = scale.coordinateToTime(x);
      return time === null ? undefined : Number(time) * 1_000;
    },
  };
}

type ProfileBin = { readonly low: number; readonly high: number; readonly volume: number };

const BINS = 30;

export function volumeProfile(candles: readonly Candle[]): readonly ProfileBin[] {
  const traded = candles
    .map(({ h, l, v }) => ({ high: toPixels(h), low: toPixels(l), volume: toPixels(v) }))
    .filter(({ volume }) => volume > 0);
  const lowest = Math.min(...traded.map(({ low }) => low));
  const highest = Math.max(...traded.map(({ high }) => high));
  if (traded.length === 0 || highest <= lowest) return [];
  const width = (highest - lowest) / BINS;
  const volumes = new Array<number>(BINS).fill(0);
  for (const { high, low, volume } of traded) {
    const [from, to] = [binOf(low), binOf(high)];
    for (let bin = from; bin <= to; bin++) {
      const bottom = Math.max(low, lowest + bin * width);
      const top = Math.min(high, lowest + (bin + 1) * width);
      const share = high === low ? 1 : Math.max(0, top - bottom) / (high - low);
      volumes[bin]! += volume * share;
    }
  }
  return volumes.map((volume, bin) => ({
    low: lowest + bin * width,
    high: lowest + (bin + 1) * width,
    volume,
  }));

  function binOf(price: number): number {
    return Math.min(BINS - 1, Math.max(0, Math.floor((price - lowest) / width)));
  }
}
