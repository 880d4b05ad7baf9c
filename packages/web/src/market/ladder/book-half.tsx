import type { Level } from '@oddlot/sdk';
import { useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { add, compare, divide, multiply, onStep, subtract, toPixels } from '../../lib/decimal.ts';
import { fitted, FONT, palette } from '../../ui/canvas.ts';
import { useDrawing } from '../frame.ts';
import type { BookState } from '../streams.ts';

type BookHalfProps = {
  readonly side: 'bid' | 'ask';
  readonly store: StoreApi<BookState>;
  readonly levelsIn: (state: BookState, side: 'bid' | 'ask') => readonly Level[];
  readonly own: readonly string[];
  readonly tick: string;
  readonly offset: number;
  readonly figures: Figures;
  readonly label: string;
  readonly describe: (level: DepthLevel | undefined) => string;
  readonly onTake: (price: string) => void;
};

export function BookHalf(props: BookHalfProps) {
  const { figures, label, onTake, side, describe } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const { at, level, levels, setAt } = useLevels(canvas, props);
  const take = (index: number | undefined): void => {
    const price = index === undefined ? undefined : levels()[index]?.price;
    if (price !== undefined) onTake(price);
  };
  const indexOf = ({ clientY }: { readonly clientY: number }): number | undefined => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return undefined;
    const index = Math.floor((side === 'bid' ? clientY - box.top : box.bottom - clientY) / ROW_PX);
    return index < levels().length ? index : undefined;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const outwards = side === 'bid' ? 'ArrowDown' : 'ArrowUp';
    if (event.key === 'Enter') take(at);
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const next = at === undefined ? 0 : at + (event.key === outwards ? 1 : -1);
    setAt(Math.min(Math.max(0, next), Math.max(0, levels().length - 1)));
  };
  const text = describe(level);
  return (
    <div className="relative min-h-0 flex-1">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="slider"
        aria-orientation="vertical"
        aria-label={label}
        aria-valuenow={at ?? 0}
        aria-valuetext={level === undefined ? text : `${figures.price(level.price)}, ${text}`}
        className="absolute inset-0 h-full w-full cursor-pointer"
        onPointerMove={(event) => setAt(indexOf(event))}
        onPointerLeave={() => setAt(undefined)}
        onBlur={() => setAt(undefined)}
        onClick={(event) => take(indexOf(event))}
        onKeyDown={onKeyDown}
      />
      {level !== undefined && at !== undefined && (
        <LevelText side={side} at={at}>
          {text}
        </LevelText>
      )}
    </div>
  );
}

type LevelTextProps = Readonly<{ side: 'bid' | 'ask'; at: number; children: ReactNode }>;

function LevelText({ side, at, children }: LevelTextProps) {
  return (
    <span
      aria-hidden="true"
      style={{ [side === 'bid' ? 'top' : 'bottom']: (at + 1) * ROW_PX + 2 }}
      className="pointer-events-none absolute end-2 z-10 rounded border border-line bg-raised px-2 py-0.5 text-11 whitespace-nowrap"
    >
      {children}
    </span>
  );
}

function useLevels(
  canvas: RefObject<HTMLCanvasElement | null>,
  { figures, levelsIn, offset, own, side, store, tick }: BookHalfProps,
) {
  const [at, setAt] = useState<number>();
  const [level, setLevel] = useState<DepthLevel>();
  const levels = (which = side): readonly DepthLevel[] => {
    const rows = Math.floor((canvas.current?.clientHeight ?? 0) / ROW_PX);
    const all = levelsIn(store.getState(), which);
    const first = Math.min(offset, Math.max(0, all.length - rows));
    return summedUp(all, first + rows).slice(first);
  };
  useDrawing(canvas, [store], () => {
    if (canvas.current === null) return;
    const shown = levels();
    const other = levels(side === 'bid' ? 'ask' : 'bid');
    const totals = [shown, other].map((rows) => toPixels(rows.at(-1)?.total ?? '0'));
    drawSide(
      canvas.current,
      { side, levels: shown, own: levelsOf(own, side, tick) },
      { at, figures, scale: Math.max(...totals) },
    );
    const pointed = at === undefined ? undefined : shown[at];
    // React queues updates for hidden components, so the state is set only when it changes.
    if (!(level?.price === pointed?.price && level?.value === pointed?.value)) setLevel(pointed);
  });
  return { at, level, levels, setAt };
}

const ROW_PX = 18;
const MARGIN_PX = 12;

type BookSide = {
  readonly side: 'bid' | 'ask';
  readonly levels: readonly DepthLevel[];
  readonly own: ReadonlySet<string>;
};

type Figures = {
  readonly price: (price: string) => string;
  readonly size: (size: string, value: () => string) => string;
};

type Drawing = Readonly<{ figures: Figures; at: number | undefined; scale: number }>;

function drawSide(
  canvas: HTMLCanvasElement,
  { levels, own, side }: BookSide,
  { at, figures, scale }: Drawing,
): void {
  const room = fitted(canvas);
  if (room === undefined) return;
  const { context, height, width } = room;
  const colours = palette();
  const colour = side === 'bid' ? colours.buy : colours.sell;
  const rows = levels.map((level, index) => {
    const top = side === 'bid' ? index * ROW_PX : height - (index + 1) * ROW_PX;
    return { level, top, middle: top + ROW_PX / 2 + 0.5 };
  });
  context.globalAlpha = 0.16;
  context.fillStyle = colour;
  for (const { level, top } of rows) {
    const bar = scale === 0 ? 0 : (toPixels(level.total) / scale) * width;
    context.fillRect(width - bar, top, bar, ROW_PX - 1);
  }
  if (at !== undefined) {
    context.fillStyle = colours.line;
    for (const [index, { top }] of rows.slice(0, at + 1).entries()) {
      context.globalAlpha = index === at ? 0.9 : 0.45;
      context.fillRect(0, top, width, ROW_PX);
    }
  }
  context.globalAlpha = 1;
  context.fillStyle = colours.accent;
  for (const { middle } of rows.filter(({ level }) => own.has(level.price))) {
    context.beginPath();
    context.arc(6, middle, 2.5, 0, 2 * Math.PI);
    context.fill();
  }
  context.font = `12px ${FONT}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.fillStyle = colour;
  for (const { level, middle } of rows) {
    context.fillText(figures.price(level.price), MARGIN_PX, middle);
  }
  context.textAlign = 'right';
  context.fillStyle = colours.text;
  for (const { level, middle } of rows) {
    const value = (): string => multiply(level.price, level.size);
    context.fillText(figures.size(level.size, value), width * 0.66, middle);
  }
  context.fillStyle = colours.muted;
  for (const { level, middle } of rows) {
    const total = figures.size(level.total, () => level.value);
    context.fillText(total, width - MARGIN_PX, middle);
  }
}

export type DepthLevel = Readonly<{ price: string; size: string; total: string; value: string }>;

const sums = new WeakMap<readonly Level[], readonly DepthLevel[]>();

export function summedUp(levels: readonly Level[], count: number): readonly DepthLevel[] {
  const known = sums.get(levels) ?? allSummedUp(levels);
  sums.set(levels, known);
  return known.slice(0, count);
}

function allSummedUp(levels: readonly Level[]): readonly DepthLevel[] {
  let [total, value] = ['0', '0'];
  return levels.map(({ px, sz }) => {
    total = add(total, sz);
    value = add(value, multiply(px, sz));
    return { price: px, size: sz, total, value };
  });
}

export function averageOf({ total, value }: DepthLevel): string {
  return divide(value, total) ?? '0';
}

type Spread = { readonly price: string; readonly share: string };

/** Returns the spread as a price and as a fraction of the mid. */
export function spreadOf(bid: string | undefined, ask: string | undefined): Spread | undefined {
  if (bid === undefined || ask === undefined) return undefined;
  const width = subtract(ask, bid);
  const middle = divide(add(ask, bid), '2') ?? '0';
  const share = divide(width, middle, 8);
  return share === undefined ? undefined : { price: width, share };
}

/** Returns the levels of grouped prices. Bids are rounded down and asks are rounded up. */
export function levelsOf(
  prices: readonly string[],
  side: 'bid' | 'ask',
  tick: string,
): ReadonlySet<string> {
  return new Set(
    prices.map((price) => {
      const below = onStep(price, tick, 'down');
      return side === 'bid' || compare(below, price) === 0 ? below : add(below, tick);
    }),
  );
}
