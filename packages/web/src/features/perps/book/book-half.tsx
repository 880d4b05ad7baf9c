import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { decimalsOf, toPixels } from '../../../lib/decimal.ts';
import { money, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import type { BookState } from '../../../market/book.ts';
import { useDesk } from '../desk.ts';
import { takePrice } from '../ticket/draft.ts';
import { useDrawing } from '../use-drawing.ts';
import { averageOf, levelsOf, summedUp, type DepthLevel } from './book-levels.ts';
import { drawSide, ROW_PX } from './draw-book.ts';

/** One side of the book. Levels are reached by pointer, or by arrow keys from the spread outwards. */
export function BookHalf({
  side,
  store,
  own,
  tick,
  unit,
  offset,
}: {
  readonly side: 'bid' | 'ask';
  readonly store: StoreApi<BookState>;
  readonly own: readonly string[];
  readonly tick: string;
  readonly unit: 'base' | 'quote';
  readonly offset: number;
}) {
  const t = useWords();
  const { grid } = useDesk();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<number>();
  const priceDecimals = Math.max(decimalsOf(tick), grid.priceDecimals);
  const levels = (which = side): readonly DepthLevel[] => {
    const rows = Math.floor((canvas.current?.clientHeight ?? 0) / ROW_PX);
    const all = store.getState().book?.levels[which === 'bid' ? 0 : 1] ?? [];
    const first = Math.min(offset, Math.max(0, all.length - rows));
    return summedUp(all, first + rows).slice(first);
  };
  useDrawing(canvas, [store], () => {
    if (canvas.current === null) return;
    const totals = (['bid', 'ask'] as const).map((which) =>
      toPixels(levels(which).at(-1)?.total ?? '0'),
    );
    const levelsHere = { side, levels: levels(), own: levelsOf(own, side, tick) };
    const { sizeDecimals } = grid;
    drawSide(canvas.current, levelsHere, {
      at,
      priceDecimals,
      sizeDecimals,
      unit,
      scale: Math.max(...totals),
    });
  });
  const indexOf = ({ clientY }: { readonly clientY: number }): number | undefined => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return undefined;
    const index = Math.floor((side === 'bid' ? clientY - box.top : box.bottom - clientY) / ROW_PX);
    return index < levels().length ? index : undefined;
  };
  const take = (index: number | undefined): void => {
    const price = index === undefined ? undefined : levels()[index]?.price;
    if (price !== undefined) takePrice(price);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const outwards = side === 'bid' ? 'ArrowDown' : 'ArrowUp';
    if (event.key === 'Enter') take(at);
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const next = at === undefined ? 0 : at + (event.key === outwards ? 1 : -1);
    setAt(Math.min(Math.max(0, next), Math.max(0, levels().length - 1)));
  };
  const level = at === undefined ? undefined : levels()[at];
  const told =
    level === undefined
      ? ''
      : t('perps.book.toLevel', {
          size: number(level.total),
          price: number(averageOf(level), { decimals: priceDecimals }),
          value: money(level.value, { decimals: 0 }),
        });
  return (
    <div className="relative min-h-0 flex-1">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="slider"
        aria-orientation="vertical"
        aria-label={t(`perps.book.${side}s`)}
        aria-valuenow={at ?? 0}
        aria-valuetext={
          level === undefined ? t('perps.book.noLevel') : `${number(level.price)}, ${told}`
        }
        className="absolute inset-0 h-full w-full cursor-pointer"
        onPointerMove={(event: PointerEvent) => setAt(indexOf(event))}
        onPointerLeave={() => setAt(undefined)}
        onBlur={() => setAt(undefined)}
        onClick={(event) => take(indexOf(event))}
        onKeyDown={onKeyDown}
      />
      {level !== undefined && at !== undefined && (
        <span
          aria-hidden="true"
          style={
            side === 'bid' ? { top: (at + 1) * ROW_PX + 2 } : { bottom: (at + 1) * ROW_PX + 2 }
          }
          className="pointer-events-none absolute right-2 z-10 rounded border border-line bg-raised px-2 py-0.5 text-11 whitespace-nowrap"
        >
          {told}
        </span>
      )}
    </div>
  );
}
