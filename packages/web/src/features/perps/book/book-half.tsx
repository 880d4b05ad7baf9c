import { useRef, useState, type KeyboardEvent, type RefObject } from 'react';
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

export type BookHalfProps = {
  readonly side: 'bid' | 'ask';
  readonly store: StoreApi<BookState>;
  readonly own: readonly string[];
  readonly tick: string;
  readonly unit: 'base' | 'quote';
  readonly offset: number;
};

/** One side of the book. Levels are reached by pointer, or by arrow keys from the spread outwards. */
export function BookHalf(props: BookHalfProps) {
  const { side, tick } = props;
  const t = useWords();
  const { grid } = useDesk();
  const canvas = useRef<HTMLCanvasElement>(null);
  const priceDecimals = Math.max(decimalsOf(tick), grid.priceDecimals);
  const { at, level, levels, setAt } = useLevels(canvas, props, priceDecimals);
  const take = (index: number | undefined): void => {
    const price = index === undefined ? undefined : levels()[index]?.price;
    if (price !== undefined) takePrice(price);
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
  const told =
    level === undefined
      ? t('perps.book.noLevel')
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
        aria-valuetext={level === undefined ? told : `${number(level.price)}, ${told}`}
        className="absolute inset-0 h-full w-full cursor-pointer"
        onPointerMove={(event) => setAt(indexOf(event))}
        onPointerLeave={() => setAt(undefined)}
        onBlur={() => setAt(undefined)}
        onClick={(event) => take(indexOf(event))}
        onKeyDown={onKeyDown}
      />
      {level !== undefined && at !== undefined && (
        <span
          aria-hidden="true"
          style={{ [side === 'bid' ? 'top' : 'bottom']: (at + 1) * ROW_PX + 2 }}
          className="pointer-events-none absolute right-2 z-10 rounded border border-line bg-raised px-2 py-0.5 text-11 whitespace-nowrap"
        >
          {told}
        </span>
      )}
    </div>
  );
}

/** Draws the side as the book changes, and keeps which level is pointed at, and what stands up to there. */
function useLevels(
  canvas: RefObject<HTMLCanvasElement | null>,
  { offset, own, side, store, tick, unit }: BookHalfProps,
  priceDecimals: number,
) {
  const { grid } = useDesk();
  const [at, setAt] = useState<number>();
  const [level, setLevel] = useState<DepthLevel>();
  const levels = (which = side): readonly DepthLevel[] => {
    const rows = Math.floor((canvas.current?.clientHeight ?? 0) / ROW_PX);
    const all = store.getState().book?.levels[which === 'bid' ? 0 : 1] ?? [];
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
      { at, priceDecimals, sizeDecimals: grid.sizeDecimals, unit, scale: Math.max(...totals) },
    );
    const pointed = at === undefined ? undefined : shown[at];
    setLevel((before) => (isSame(before, pointed) ? before : pointed));
  });
  return { at, level, levels, setAt };
}

function isSame(left: DepthLevel | undefined, right: DepthLevel | undefined): boolean {
  return left?.price === right?.price && left?.value === right?.value;
}
