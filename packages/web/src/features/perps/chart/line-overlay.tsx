import {
  useCallback,
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
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
import { contexts } from '../../../market/streams.ts';
import { notify } from '../../../ui/overlays.tsx';
import { classes } from '../../../ui/styles.ts';
import { useAct, useTradedPerp } from '../use-account.ts';
import type { ChartLine } from './chart-lines.ts';
import type { Scale } from './make-chart.ts';
import { placeTags } from './place-tags.ts';

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

/** The size of the legend in the upper left corner, in pixels. */
export type LegendSize = { readonly width: number; readonly height: number };

type LineOverlayProps = {
  readonly lines: readonly ChartLine[];
  readonly scale: Scale;
  readonly legend: LegendSize;
};

export function LineOverlay({ lines, scale, legend }: LineOverlayProps) {
  const t = useWords();
  const { coin } = useTradedPerp();
  const list = useRef<HTMLUListElement>(null);
  const market = contexts.useStore(coin);
  const place = useCallback((): void => {
    if (list.current === null) return;
    placeAll(list.current, { scale, legend, markPx: market.getState().ctx?.markPx });
  }, [legend, market, scale]);
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
/** The longest label of an order beyond the edge fits next to the legend in this width. */
const BESIDE_LEGEND_PX = 240;
/** Measuring a label would force a layout in every frame, so its width is estimated. */
const [CHAR_PX, TAG_PX] = [6.2, 16];

/**
 * Places the labels of all lines. Prices outside the visible range are listed at the edge, so that
 * the scale does not change.
 */
function placeAll(
  list: HTMLUListElement,
  {
    scale,
    legend,
    markPx,
  }: Omit<LineOverlayProps, 'lines'> & { readonly markPx: string | undefined },
): void {
  const items = [...list.querySelectorAll<HTMLLIElement>('li[data-price]')];
  const height = scale.height();
  const lines = items.flatMap((item, at) => {
    const y = scale.toY(item.dataset['price'] ?? '');
    return y === undefined ? [] : [{ id: String(at), y }];
  });
  const lastY = scale.lastY();
  const { places, ...counted } = placeTags(
    lastY === undefined ? lines : [...lines, { id: 'last', y: lastY, isFixed: true }],
    { height, clearPx: scale.width() - legend.width < BESIDE_LEGEND_PX ? legend.height : 0 },
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
    // A transform would create a new layer, and the next line would be drawn across the label.
    item.style.top = `${y}px`;
    item.style.borderColor = placed.edge === undefined ? '' : 'transparent';
    const tag = item.firstElementChild as HTMLElement;
    tag.style.transform = `translateY(${placed.tagY - y}px)`;
    const note = tag.querySelector<HTMLElement>('[data-note]')!;
    const text =
      placed.edge === undefined ? '' : edgeText(placed.edge, item.dataset['price'], markPx);
    if (note.textContent !== text) note.textContent = text;
    const width = TAG_PX + `${tag.dataset['chars'] ?? ''}${text}`.length * CHAR_PX;
    item.toggleAttribute('data-open', !scale.hidesCandles(placed.tagY, width));
  });
  for (const edge of ['above', 'below'] as const) {
    const note = list.querySelector<HTMLLIElement>(`li[data-edge=${edge}]`)!;
    note.hidden = counted[edge] === 0;
    if (note.hidden) continue;
    note.style.top = edge === 'above' ? `${legend.height + 4}px` : `${height - EDGE_NOTE_PX}px`;
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
    // If a price is outside the visible range, its label is at the edge, so a press without a drag
    // must not set the price.
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
