import { useMemo } from 'react';
import type {
  Leg,
  Level,
  OutcomeEventMeta,
  OutcomeMarketMeta,
  OutcomeOpenOrder,
} from '@oddlot/sdk';
import { multiply, subtract } from '../../lib/decimal.ts';
import { cents, chance, money, number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { books, type BookState } from '../../market/book.ts';
import { priceDecimals, sizeDecimals } from '../../market/on-grid.tsx';
import { BookHalf } from '../../market/ladder/book-half.tsx';
import { averageOf, type DepthLevel } from '../../market/ladder/book-levels.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { ladderOf, legName, legPrice, nameOf } from './market-facts.ts';

type OutcomeBookProps = {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly mark: string | undefined;
  readonly leg: Leg;
  readonly onLeg: (leg: Leg) => void;
  readonly onPrice: (cents: string) => void;
  readonly orders: readonly OutcomeOpenOrder[];
};

/** The one book of a market, seen from either leg: the toggle mirrors the same orders. */
export function OutcomeBook(props: OutcomeBookProps) {
  const { event, leg, market, onLeg } = props;
  const t = useWords();
  const isEmpty = books.use({ coin: String(market.instrument_id) }, ({ book }) => {
    // Of a market that is over there may be none at all.
    if (book === undefined) return market.phase === 'resolved';
    return book.levels.every((side) => side.length === 0);
  });
  return (
    <section aria-label={t('outcomes.book.label')} className="min-w-0">
      <div className="flex h-9 items-center justify-between gap-3">
        <h2 className="min-w-0 truncate text-12 text-muted">{nameOf(market, event)}</h2>
        <Segmented
          label={t('outcomes.book.leg')}
          size="small"
          value={leg}
          onChange={onLeg}
          segments={(['Yes', 'No'] as const).map((value) => ({
            value,
            label: legName(market, value),
            tone: value === 'Yes' ? ('buy' as const) : ('sell' as const),
          }))}
        />
      </div>
      {isEmpty ? (
        <EmptyState
          title={t('outcomes.book.empty')}
          text={
            market.phase === 'open'
              ? t('outcomes.book.emptyText')
              : t(`outcomes.phase.${market.phase}Text`)
          }
        />
      ) : (
        <Sides {...props} />
      )}
    </section>
  );
}

function Sides({ market, mark, leg, onPrice, orders }: OutcomeBookProps) {
  const t = useWords();
  const { price_tick: tick } = market;
  const decimals = priceDecimals(market);
  const lotDecimals = sizeDecimals(market);
  const coin = String(market.instrument_id);
  const store = books.useStore({ coin });
  const best = books.use({ coin }, ({ book }) => {
    const { asks, bids } = ladderOf(book, leg);
    return { bid: bids[0]?.px, ask: asks[0]?.px };
  });
  const own = ownPrices(orders, market, leg);
  const common = {
    store,
    tick,
    offset: 0,
    figures: useMemo(() => figuresOf(decimals, lotDecimals), [decimals, lotDecimals]),
    levelsIn: useMemo(() => levelsOf(leg), [leg]),
    tell: (level: DepthLevel | undefined) =>
      level === undefined
        ? t('outcomes.book.noLevel')
        : t('outcomes.book.toLevel', {
            shares: number(level.total),
            price: cents(averageOf(level), decimals + 1),
            value: money(level.value),
          }),
    onTake: (price: string) => onPrice(multiply(price, '100')),
  };
  const name = legName(market, leg);
  return (
    <div className="flex h-70 flex-col tablet:h-86">
      <div className="flex h-6 shrink-0 items-center px-3 text-11 text-muted">
        <span className="flex-1">{t('outcomes.book.price', { leg: name })}</span>
        <span className="w-[34%] text-end">{t('outcomes.book.shares')}</span>
        <span className="w-[34%] text-end">{t('outcomes.book.total')}</span>
      </div>
      <BookHalf
        side="ask"
        label={t('outcomes.book.asks', { leg: name })}
        own={own.ask}
        {...common}
      />
      <div className="flex h-8 shrink-0 items-center justify-between border-y border-line px-3">
        <span className="text-15 font-semibold">
          {chance(mark === undefined ? undefined : legPrice(mark, leg))}
        </span>
        <span className="text-11 text-muted">
          {best.bid === undefined || best.ask === undefined
            ? t('outcomes.book.oneSided')
            : t('outcomes.book.spread', { spread: cents(subtract(best.ask, best.bid), decimals) })}
        </span>
      </div>
      <BookHalf
        side="bid"
        label={t('outcomes.book.bids', { leg: name })}
        own={own.bid}
        {...common}
      />
    </div>
  );
}

function figuresOf(decimals: number, lotDecimals: number) {
  return {
    price: (price: string) => cents(price, decimals),
    size: (size: string) => number(size, { decimals: lotDecimals }),
  };
}

function levelsOf(leg: Leg) {
  return ({ book }: BookState, side: 'bid' | 'ask'): readonly Level[] => {
    const { asks, bids } = ladderOf(book, leg);
    return side === 'bid' ? bids : asks;
  };
}

/** Where orders of the account stand, in prices of the leg: who sells NO stands among the bids for YES. */
export function ownPrices(
  orders: readonly Pick<OutcomeOpenOrder, 'instrumentId' | 'limitPx' | 'outcome' | 'reduceOnly'>[],
  { instrument_id: id }: Pick<OutcomeMarketMeta, 'instrument_id'>,
  leg: Leg,
): { readonly bid: readonly string[]; readonly ask: readonly string[] } {
  const bid: string[] = [];
  const ask: string[] = [];
  for (const { instrumentId, limitPx, outcome, reduceOnly } of orders) {
    if (instrumentId !== id) continue;
    const isSame = outcome === leg;
    const price = isSame ? limitPx : subtract('1', limitPx);
    (reduceOnly === isSame ? ask : bid).push(price);
  }
  return { bid, ask };
}
