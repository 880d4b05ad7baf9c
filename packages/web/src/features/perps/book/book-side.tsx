import { useMemo } from 'react';
import type { Level } from '@oddlot/sdk';
import type { StoreApi } from 'zustand/vanilla';
import { decimalsOf } from '../../../lib/decimal.ts';
import { compact, money, number } from '../../../lib/format.ts';
import { remembered } from '../../../lib/remembered.ts';
import { useWords } from '../../../lib/words.ts';
import type { BookState } from '../../../market/book.ts';
import { BookHalf } from '../../../market/ladder/book-half.tsx';
import { averageOf } from '../../../market/ladder/book-levels.ts';
import { useTradedPerp } from '../traded-perp.ts';
import { preferences } from '../../../ui/preferences.ts';
import { draftStore, takePrice } from '../ticket/draft.ts';
import { wishToSend } from '../ticket/send-wishes.ts';

/** One side of the book of a perp: a press on a level takes its price. */
export function BookSide({
  side,
  tick,
  unit,
  ...rest
}: {
  readonly side: 'bid' | 'ask';
  readonly store: StoreApi<BookState>;
  readonly own: readonly string[];
  readonly tick: string;
  readonly unit: 'base' | 'quote';
  readonly offset: number;
}) {
  const t = useWords();
  const {
    grid: { priceDecimals: least, sizeDecimals },
  } = useTradedPerp();
  const priceDecimals = Math.max(decimalsOf(tick), least);
  const figures = useMemo(() => {
    const sizes = remembered((size) => number(size, { decimals: sizeDecimals }));
    const values = remembered(compact);
    return {
      price: remembered((price) => number(price, { decimals: priceDecimals })),
      size: (size: string, value: () => string) =>
        unit === 'base' ? sizes(size) : values(value()),
    };
  }, [priceDecimals, sizeDecimals, unit]);
  return (
    <BookHalf
      {...rest}
      side={side}
      tick={tick}
      levelsIn={levelsIn}
      figures={figures}
      label={t(`perps.book.${side}s`)}
      tell={(level) =>
        level === undefined
          ? t('perps.book.noLevel')
          : t('perps.book.toLevel', {
              size: number(level.total),
              price: number(averageOf(level), { decimals: priceDecimals }),
              value: money(level.value, { decimals: 0 }),
            })
      }
      onTake={take}
    />
  );
}

/** Takes the price; who asked for it, and has a size in the ticket, sends it with the same press. */
function take(price: string): void {
  takePrice(price);
  const { size, type } = draftStore.getState();
  if (preferences.getState().hasOneClick && type === 'limit' && size !== '') wishToSend();
}

function levelsIn({ book }: BookState, side: 'bid' | 'ask'): readonly Level[] {
  return book?.levels[side === 'bid' ? 0 : 1] ?? [];
}
