import type { Level } from '@oddlot/sdk';
import { memo, useMemo, useState } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { useStored } from '../../../lib/browser.ts';
import { decimalsOf } from '../../../lib/decimal.ts';
import { compact, money, number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { averageOf, BookHalf, spreadOf } from '../../../market/ladder/book-half.tsx';
import { books, contexts, type BookState } from '../../../market/streams.ts';
import { useSession } from '../../../session/session.ts';
import { Price } from '../../../ui/figures.tsx';
import { Menu } from '../../../ui/overlays.tsx';
import { preferences } from '../../../ui/preferences.ts';
import { classes } from '../../../ui/styles.ts';
import { draftStore, takePrice, wishToSend } from '../ticket/draft.ts';
import { useTradedPerp } from '../use-account.ts';

const UNITS = ['base', 'quote'] as const;

const Half = memo(BookSide);

export function BookPanel({ title }: { readonly title?: string }) {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const [tick, setTick] = useStored<unknown>(`book.${perp.name}`, undefined);
  const [stored, setUnit] = useStored<unknown>('bookUnit', 'base');
  const unit = UNITS.find((each) => each === stored) ?? 'base';
  const chosen = perp.bookTicks.find((each) => each === tick) ?? perp.bookTicks[0];
  const wanted = chosen === perp.bookTicks[0] ? { coin } : { coin, tick: chosen };
  const store = books.useStore(wanted);
  const best = books.use(wanted, ({ book, refusal }) => ({
    bid: book?.levels[0][0]?.px,
    ask: book?.levels[1][0]?.px,
    isLoaded: book !== undefined,
    refusal,
  }));
  const user = useSession()?.address;
  const orders = openOrders.use(user, (state) => state.orders);
  const own = useMemo(() => {
    const here = orders.filter(({ instrumentId }) => instrumentId === perp.index);
    return {
      bid: here.filter(({ side }) => side === 'B').map(({ limitPx }) => limitPx),
      ask: here.filter(({ side }) => side === 'A').map(({ limitPx }) => limitPx),
    };
  }, [orders, perp.index]);
  const [offset, setOffset] = useState(0);
  const spread = spreadOf(best.bid, best.ask);
  const isEmpty = best.bid === undefined && best.ask === undefined;
  const half = { store, tick: chosen ?? grid.tick, unit, offset };
  return (
    <section aria-label={t('perps.book.label')} className="flex h-full min-h-0 flex-col">
      <Choices title={title} tick={chosen} unit={unit} onTick={setTick} onUnit={setUnit} />
      <div
        className="flex min-h-0 flex-1 flex-col"
        onWheel={({ deltaY }) => setOffset((now) => Math.max(0, now + Math.sign(deltaY)))}
      >
        <Half side="ask" own={own.ask} {...half} />
        <div className="flex h-7 shrink-0 items-center justify-between border-y border-line px-3">
          <Mark />
          <span className="text-11 text-muted">
            {spread === undefined
              ? (best.refusal ??
                (best.isLoaded ? t(isEmpty ? 'perps.book.empty' : 'perps.book.oneSided') : ''))
              : t('perps.book.spread', {
                  price: number(spread.price, { decimals: grid.priceDecimals }),
                  share: percent(spread.share, { decimals: 4 }),
                })}
          </span>
        </div>
        <Half side="bid" own={own.bid} {...half} />
      </div>
    </section>
  );
}

function Mark() {
  const t = useWords();
  const { coin, grid } = useTradedPerp();
  const markPx = contexts.use(coin, ({ ctx }) => ctx?.markPx);
  return (
    <span className="text-11 whitespace-nowrap text-muted">
      {t('perps.strip.mark')}{' '}
      <span className="text-13 font-semibold text-text">
        <Price value={markPx} decimals={grid.priceDecimals} hasFlash />
      </span>
    </span>
  );
}

type ChoicesProps = {
  readonly title: string | undefined;
  readonly tick: string | undefined;
  readonly unit: 'base' | 'quote';
  readonly onTick: (tick: string) => void;
  readonly onUnit: (unit: 'base' | 'quote') => void;
};

function Choices({ title, tick, unit, onTick, onUnit }: ChoicesProps) {
  const t = useWords();
  const { perp } = useTradedPerp();
  return (
    <div
      className={classes(
        'flex shrink-0 items-center justify-between gap-3 px-3 text-11 text-muted',
        title === undefined ? 'h-7' : 'h-9 border-b border-line',
      )}
    >
      {title !== undefined && <h2 className="me-auto shrink-0 text-13 text-text">{title}</h2>}
      <Menu
        align={title === undefined ? 'start' : 'end'}
        trigger={
          <button type="button" className="shrink-0 rounded whitespace-nowrap hover:text-text">
            <span className="visually-hidden">{t('perps.book.grouping')} </span>
            {number(tick)} ▾
          </button>
        }
        items={perp.bookTicks.map((value) => ({
          label: number(value),
          isChosen: value === tick,
          onSelect: () => onTick(value),
        }))}
      />
      <button
        type="button"
        title={t('perps.book.switchUnit')}
        className="flex min-w-0 rounded whitespace-nowrap hover:text-text"
        onClick={() => onUnit(unit === 'base' ? 'quote' : 'base')}
      >
        <span className="truncate">
          {t('perps.book.sizeTotal', { unit: unit === 'base' ? perp.baseCurrency : 'USDC' })}
        </span>
        <span className="shrink-0">&nbsp;⇄</span>
      </button>
    </div>
  );
}

function BookSide({
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
      describe={(level) =>
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

function take(price: string): void {
  takePrice(price);
  const { size, type } = draftStore.getState();
  if (preferences.getState().hasOneClick && type === 'limit' && size !== '') wishToSend();
}

function levelsIn({ book }: BookState, side: 'bid' | 'ask'): readonly Level[] {
  return book?.levels[side === 'bid' ? 0 : 1] ?? [];
}

const TEXTS_MAX = 500;

export function remembered(write: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const written = write(text);
    if (known.size >= TEXTS_MAX) known.clear();
    known.set(text, written);
    return written;
  };
}
