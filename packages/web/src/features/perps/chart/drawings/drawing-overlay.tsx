import {
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import { number } from '../../../../lib/format.ts';
import { dateTime } from '../../../../lib/time.ts';
import { useWords } from '../../../../lib/words.ts';
import { toPixels } from '../../../../lib/decimal.ts';
import { candleSeries, intervalMs, type CandleInterval } from '../../../../market/candles.ts';
import { inNextFrame, notInNextFrame } from '../../../../market/frame.ts';
import { useTradedPerp } from '../../traded-perp.ts';
import type { PriceChart } from '../make-chart.ts';
import { timeAxis, type TimeAxis } from '../time-axis.ts';
import { draw } from './draw.ts';
import { withPoint, type Drawing, type DrawingPoint } from './drawing.ts';
import { changeDrawings } from './kept-drawings.ts';

/** What was drawn over the candles, and what traded at which prices. Points are dragged, or moved by arrow keys. */
export function DrawingOverlay({
  made,
  interval,
  drawings,
  hasProfile,
}: {
  readonly made: PriceChart;
  readonly interval: CandleInterval;
  readonly drawings: readonly Drawing[];
  readonly hasProfile: boolean;
}) {
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
              told={`${number(point.price, { decimals: grid.priceDecimals })}, ${dateTime(point.timeMs)}`}
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

function Handle({
  name,
  told,
  point,
  made: { scale },
  axis,
  onMove,
  onRemove,
}: {
  readonly name: string;
  readonly told: string;
  readonly point: DrawingPoint;
  readonly made: PriceChart;
  readonly axis: TimeAxis;
  readonly onMove: (point: DrawingPoint) => void;
  readonly onRemove: () => void;
}) {
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
        aria-valuetext={told}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        className="pointer-events-auto absolute -top-3 -left-3 size-6 cursor-move touch-none rounded-full before:absolute before:inset-2 before:rounded-full before:border before:border-accent before:bg-panel"
      />
    </li>
  );
}

/** By a key: a pixel of the price, or a candle of the time. */
const STEPS: Readonly<Record<string, { readonly pixels: number; readonly candles: number }>> = {
  ArrowUp: { pixels: -1, candles: 0 },
  ArrowDown: { pixels: 1, candles: 0 },
  ArrowLeft: { pixels: 0, candles: -1 },
  ArrowRight: { pixels: 0, candles: 1 },
};
