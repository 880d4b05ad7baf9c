import { useInfiniteQuery } from '@tanstack/react-query';
import type { Leg, OutcomeMarketMeta } from '@oddlot/sdk';
import { divide, multiply } from '../../lib/decimal.ts';
import { cents, money, number, percent } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { sizeDecimals } from '../../market/grid-decimals.ts';
import { OutcomeInterest } from '../../market/interest/outcome-interest.tsx';
import { useSimulated } from '../../market/use-simulated.ts';
import { reader } from '../../market/venue.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Who } from '../../ui/who.tsx';
import { legLabel } from './market-facts.ts';

const AGAIN_MS = 10_000;
const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_4rem_3.25rem_3rem] items-center gap-2 px-2 tablet:grid-cols-[minmax(0,1fr)_5rem_4rem_4.5rem] tablet:gap-3';

/** Who holds how much of each leg, the most first, and how much all of them held; a press looks at the account. */
export function Holders({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  const { instrument_id: instrumentId, question } = market;
  const title = t('outcomes.holders.interest');
  return (
    <div className="grid gap-x-8 gap-y-4 px-3 pt-2 pb-4 desktop:grid-cols-2">
      <OfLeg market={market} leg="Yes" />
      <OfLeg market={market} leg="No" />
      <section aria-label={title} className="min-w-0 desktop:col-span-2">
        <h2 className="flex h-9 items-center text-12 text-muted">{title}</h2>
        <div className="h-44">
          <OutcomeInterest instrumentId={instrumentId} name={question} />
        </div>
      </section>
    </div>
  );
}

function OfLeg({ market, leg }: { readonly market: OutcomeMarketMeta; readonly leg: Leg }) {
  const t = useWords();
  const { instrument_id: instrumentId } = market;
  const simulated = useSimulated();
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['outcomeHolders', instrumentId, leg],
    queryFn: ({ pageParam: cursor, signal }) =>
      reader.info.outcomeHolders({ instrumentId, outcome: leg, cursor }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: AGAIN_MS,
  });
  const first = data?.pages[0];
  // Holdings move between two pages: an account that comes twice is shown where it was found first.
  const rows = [
    ...new Map(
      (data?.pages.flatMap((page) => page.rows) ?? []).toReversed().map((row) => [row.user, row]),
    ).values(),
  ].toReversed();
  const name = legLabel(market, leg);
  const title = t('outcomes.holders.of', { leg: name });
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="flex h-9 items-center justify-between gap-3 text-12 text-muted">
        <span className={leg === 'Yes' ? 'truncate text-buy' : 'truncate text-sell'}>{name}</span>
        {first !== undefined && (
          <span className="shrink-0">
            {t('outcomes.holders.sum', {
              count: first.holders,
              shares: number(first.shares, { decimals: 0 }),
            })}
          </span>
        )}
      </h2>
      {first !== undefined && rows.length === 0 ? (
        <EmptyState title={t('outcomes.holders.empty')} text={t('outcomes.holders.emptyText')} />
      ) : (
        <>
          <div className={`${COLUMNS} h-6 text-11 text-muted`}>
            <span>{t('outcomes.holders.account')}</span>
            <span className="text-end">{t('outcomes.book.shares')}</span>
            <span className="text-end">{t('outcomes.holders.part')}</span>
            <span className="text-end">{t('outcomes.holders.cost')}</span>
          </div>
          <ol aria-label={title}>
            {rows.map(({ entryPx, sz, user }) => (
              <li key={user} className={`${COLUMNS} h-7 border-b border-line/50 text-12`}>
                <Who user={user} isSimulated={simulated.has(user)} />
                <span className="text-end">{number(sz, { decimals: sizeDecimals(market) })}</span>
                <span className="text-end text-muted">
                  {percent(partOf(sz, first?.shares), { decimals: 1 })}
                </span>
                <span
                  className="text-end text-muted"
                  title={t('outcomes.holders.costTitle', { amount: money(multiply(sz, entryPx)) })}
                >
                  {cents(entryPx)}
                </span>
              </li>
            ))}
          </ol>
          {hasNextPage && (
            <Button size="small" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('outcomes.holders.more')}
            </Button>
          )}
        </>
      )}
    </section>
  );
}

function partOf(size: string, all: string | undefined): string | undefined {
  return all === undefined ? undefined : divide(size, all, 6);
}
