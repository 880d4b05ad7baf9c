import type {
  Leg,
  Level,
  OutcomeEventMeta,
  OutcomeMarketMeta,
  OutcomeOpenOrder,
} from '@oddlot/sdk';
import { add, divide, isDecimal, larger, multiply, subtract } from '../../lib/decimal.ts';
import { cents, compact, number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { books } from '../../market/book.ts';
import { classes } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { ladderOf, legPrice } from './legs.ts';
import { legName, nameOf } from './market-facts.ts';

const LEVELS = 10;

type Row = Level & {
  /** Of this level and all better ones. */
  readonly depth: string;
};

/** The one book of a market, seen from either leg: the toggle mirrors the same orders. */
export function OutcomeBook({
  event,
  market,
  leg,
  onLeg,
  onPrice,
  orders,
}: {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly leg: Leg;
  readonly onLeg: (leg: Leg) => void;
  readonly onPrice: (cents: string) => void;
  readonly orders: readonly OutcomeOpenOrder[];
}) {
  const t = useWords();
  const book = books.use({ coin: String(market.instrument_id) }, (state) => state.book);
  const ladder = ladderOf(book, leg);
  const [bids, asks] = [rowsOf(ladder.bids), rowsOf(ladder.asks)];
  const deepest = larger(bids.at(-1)?.depth ?? '0', asks.at(-1)?.depth ?? '0');
  const own = ownPrices(orders, market, leg);
  const [bid, ask] = [bids[0]?.px, asks[0]?.px];
  const isEmpty = bids.length === 0 && asks.length === 0;
  const sides = { deepest, own, decimals: market.price_decimals, onPrice };
  return (
    <div className="p-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 truncate text-12 text-muted">
          {nameOf(market, event)}
          {bid !== undefined && ask !== undefined && (
            <span className="ml-4 tabular-nums">
              {t('outcomes.book.spread', {
                spread: cents(subtract(ask, bid), market.price_decimals),
              })}
            </span>
          )}
        </p>
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
        <div className="mt-2 grid grid-cols-2 gap-px">
          <Side label={t('outcomes.book.bids')} rows={bids} isBid {...sides} />
          <Side label={t('outcomes.book.asks')} rows={asks} isBid={false} {...sides} />
        </div>
      )}
    </div>
  );
}

/** Where orders of the account stand, in prices of the leg. */
function ownPrices(
  orders: readonly OutcomeOpenOrder[],
  { instrument_id: id }: OutcomeMarketMeta,
  leg: Leg,
): ReadonlySet<string> {
  const yesPrices = orders
    .filter(({ instrumentId }) => instrumentId === id)
    .map(({ limitPx, outcome }) => legPrice(limitPx, outcome));
  return new Set(yesPrices.map((price) => legPrice(price, leg)));
}

type SideProps = {
  readonly isBid: boolean;
  readonly deepest: string;
  /** Prices of own orders. */
  readonly own: ReadonlySet<string>;
  readonly decimals: number;
  readonly onPrice: (cents: string) => void;
};

function Side({
  label,
  rows,
  ...rest
}: SideProps & { readonly label: string; readonly rows: readonly Row[] }) {
  const { isBid } = rest;
  const t = useWords();
  return (
    <section aria-label={label} className="min-w-0">
      <div
        className={classes(
          'flex h-7 items-center justify-between gap-2 px-2 text-11 text-muted',
          isBid && 'flex-row-reverse',
        )}
      >
        <span>{label}</span>
        <span className="flex-1 text-center max-tablet:hidden">{t('outcomes.book.value')}</span>
        <span>{t('outcomes.book.shares')}</span>
      </div>
      <ol>
        {rows.map((row) => (
          <BookRow key={row.px} row={row} {...rest} />
        ))}
      </ol>
    </section>
  );
}

function BookRow({
  row: { depth, px, sz },
  isBid,
  deepest,
  own,
  decimals,
  onPrice,
}: SideProps & { readonly row: Row }) {
  const t = useWords();
  return (
    <li className="relative">
      <span
        aria-hidden="true"
        style={{ width: `${percentOf(depth, deepest)}%` }}
        className={classes(
          'absolute inset-y-px',
          isBid ? 'right-0 bg-buy/12' : 'left-0 bg-sell/12',
        )}
      />
      <button
        type="button"
        onClick={() => onPrice(multiply(px, '100'))}
        title={t('outcomes.book.use', { price: cents(px, decimals) })}
        className={classes(
          'relative flex h-6 w-full items-center justify-between gap-2 px-2 text-12 hover:bg-raised/60',
          isBid && 'flex-row-reverse',
        )}
      >
        <span className={classes('font-medium', isBid ? 'text-buy-strong' : 'text-sell-strong')}>
          {own.has(px) && (
            <span className="text-accent" title={t('outcomes.book.own')}>
              ●{' '}
            </span>
          )}
          {cents(px, decimals)}
        </span>
        <span className="flex-1 text-center text-muted max-tablet:hidden">
          {compact(multiply(px, sz))}
        </span>
        <span>{number(sz)}</span>
      </button>
    </li>
  );
}

function rowsOf(levels: readonly Level[]): readonly Row[] {
  let depth = '0';
  return levels.slice(0, LEVELS).map((level) => {
    depth = add(depth, level.sz);
    return { ...level, depth };
  });
}

function percentOf(part: string, whole: string): string {
  const share = divide(multiply(part, '100'), whole, 2);
  return isDecimal(share) ? share : '0';
}
