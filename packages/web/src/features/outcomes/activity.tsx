import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { multiply } from '../../lib/decimal.ts';
import { cents, money, number } from '../../lib/format.ts';
import { clockTime, wholeDate } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { priceDecimals, sizeDecimals } from '../../market/grid-decimals.ts';
import { tapes } from '../../market/tapes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { legPrice } from './legs.ts';
import { legLabel, wasNeverTraded } from './market-facts.ts';

/** As many as are as high as the book beside them. */
const SHOWN = 17;
const COLUMNS = 'grid grid-cols-[4.5rem_1fr_1fr_1fr] gap-3 px-2';

/** Who took what, newest first. On one book a seller of YES is as good as a buyer of NO. */
export function Activity({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  const isIdle = wasNeverTraded(market);
  const { isLoaded, trades } = tapes.use(String(market.instrument_id), (state) => state);
  return (
    <section aria-label={t('outcomes.panels.activity')} className="min-w-0">
      <h2 className="flex h-9 items-center text-12 text-muted">{t('outcomes.activity.title')}</h2>
      {isLoaded && trades.length === 0 ? (
        <EmptyState
          title={t(isIdle ? 'outcomes.activity.never' : 'outcomes.activity.empty')}
          text={isIdle ? undefined : t('outcomes.activity.emptyText')}
        />
      ) : (
        <>
          <div className={`${COLUMNS} h-6 items-center text-11 text-muted`}>
            <span>{t('outcomes.activity.time')}</span>
            <span>{t('outcomes.activity.bought')}</span>
            <span className="text-end">{t('outcomes.book.shares')}</span>
            <span className="text-end">{t('outcomes.activity.value')}</span>
          </div>
          <ol>
            {trades.slice(0, SHOWN).map(({ px, side, sz, tid, time }) => {
              const leg = side === 'B' ? 'Yes' : 'No';
              const price = legPrice(px, leg);
              return (
                <li key={tid} className={`${COLUMNS} h-[18px] items-center text-12`}>
                  <span className="text-muted" title={wholeDate(time)}>
                    {clockTime(time)}
                  </span>
                  <span className={leg === 'Yes' ? 'truncate text-buy' : 'truncate text-sell'}>
                    {legLabel(market, leg)} {cents(price, priceDecimals(market))}
                  </span>
                  <span className="text-end">{number(sz, { decimals: sizeDecimals(market) })}</span>
                  <span className="text-end text-muted">{money(multiply(sz, price))}</span>
                </li>
              );
            })}
          </ol>
        </>
      )}
    </section>
  );
}
