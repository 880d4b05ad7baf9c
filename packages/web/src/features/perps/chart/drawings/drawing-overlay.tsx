import type { Candle } from '@oddlot/sdk';
import type { IChartApi, UTCTimestamp } from 'lightweight-charts';
import {
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import { toPixels } from '../../../../lib/decimal.ts';
import { dateTime, number, percent } from '../../../../lib/format.ts';
import { useWords } from '../../../../lib/words.ts';
import { candleSeries, intervalMs, type CandleInterval } from '../../../../market/candles.ts';
import { inNextFrame, notInNextFrame } from '../../../../market/frame.ts';
import { fitted, FONT, palette } from '../../../../ui/canvas.ts';
import { useTradedPerp } from '../../use-account.ts';
import type { PriceChart, Scale } from '../make-chart.ts';
import {
  changeDrawings,
  ratioLevels,
  withPoint,
  type Drawing,
  type DrawingPoint,
} from './drawing.ts';

type DrawingOverlayProps = {
  readonly made: PriceChart;
  readonly interval: CandleInterval;
  readonly drawings: readonly Drawing[];
  readonly hasProfile: boolean;
};

export function DrawingOverlay({ made, interval, drawings, hasProfile }: DrawingOverlayProps) {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const canvas = useRef<HTMLCanvasElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const store = candleSeries.useStore({ coin, interval });
  const axis = useMemo(
    () => timeAxis(made.chart, () => store.getState().candles, intervalMs(interval)),
    [made, store, interval],
  );
  const redraw = useEffectEvent((): void => {
    if (canvas.current === null || list.current === null || made.isGone()) return;
    const { candles } = store.getState();
    const decimals = grid.priceDecimals;
    draw(canvas.current, { axis, candles, decimals, drawings, hasProfile, scale: made.scale });
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
  const change = (next: (all: readonly Drawing[]) => readonly Drawing[]): void =>
    changeDrawings(perp.name, next);
  return (
    <>
      <canvas
        ref={canvas}
        aria-hidden="true"
        className="pointer-events-none absolute inset-0 z-[5] h-full w-full"
      />
      <ul
        ref={list}
        aria-label={t('perps.drawing.label')}
        className="pointer-events-none absolute inset-0 z-10 overflow-hidden"
      >
        {drawings.flatMap((drawing) =>
          drawing.points.map((point, at) => (
            <Handle
              key={`${drawing.id} ${at}`}
              name={t(`perps.drawing.point.${drawing.kind}`, { number: at + 1 })}
              valueText={`${number(point.price, { decimals: grid.priceDecimals })}, ${dateTime(point.timeMs)}`}
              point={point}
              made={made}
              axis={axis}
              onMove={(next) => change((all) => withPoint(all, drawing.id, at, next))}
              onRemove={() => change((all) => all.filter(({ id }) => id !== drawing.id))}
            />
          )),
        )}
      </ul>
    </>
  );
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
  readonly onMove: (point: DrawingPoint) => void;
  readonly onRemove: () => void;
};

function Handle({ name, valueText, point, made: { scale }, axis, onMove, onRemove }: HandleProps) {
  const item = useRef<HTMLLIElement>(null);
  const drag = (event: PointerEvent<HTMLElement>): void => {
    const box = item.current?.parentElement?.getBoundingClientRect();
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || box === undefined) return;
    const price = scale.toPrice(event.clientY - box.top);
    const timeMs = axis.toTime(event.clientX - box.left);
    if (price !== undefined && timeMs !== undefined) onMove({ price, timeMs });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
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
  context.strokeStyle = palette().accent;
  context.fillStyle = palette().muted;
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
  const at = drawing.points.map(
    ({ price, timeMs }) => [axis.toX(timeMs), scale.toY(price)] as const,
  );
  const [from, to] = at;
  if (drawing.kind === 'level') {
    if (from?.[1] !== undefined) stroke(context, [0, from[1]], [right, from[1]]);
    return;
  }
  if (from === undefined || to === undefined) return;
  const [[x1, y1], [x2, y2]] = [from, to];
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return;
  stroke(context, [x1, y1], [x2, y2]);
  if (drawing.kind !== 'ratio') return;
  for (const { price, ratio } of ratioLevels(drawing)) {
    const y = scale.toY(price);
    if (y === undefined) continue;
    stroke(context, [Math.min(x1, x2), y], [right, y]);
    const text = `${percent(ratio, { decimals: 1 })}  ${number(price, { decimals })}`;
    context.fillText(text, Math.min(x1, x2) + 4, y - 3);
  }
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
