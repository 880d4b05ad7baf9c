import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { multiply } from '../../lib/decimal.ts';
import { cents, money, number } from '../../lib/format.ts';
import { clockTime, wholeDate } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { tapes } from '../../market/tape.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { legPrice } from './legs.ts';
import { legName } from './market-facts.ts';

const SHOWN = 40;

/** Who took what, newest first. On one book a seller of YES is as good as a buyer of NO. */
export function Activity({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  const { isLoaded, trades } = tapes.use(String(market.instrument_id), (state) => state);
  if (isLoaded && trades.length === 0) {
    return (
      <EmptyState title={t('outcomes.activity.empty')} text={t('outcomes.activity.emptyText')} />
    );
  }
  return (
    <ol className="grid gap-x-8 p-3 desktop:grid-cols-2" aria-label={t('outcomes.panels.activity')}>
      {trades.slice(0, SHOWN).map(({ px, side, sz, tid, time }) => {
        const leg = side === 'B' ? 'Yes' : 'No';
        const price = legPrice(px, leg);
        return (
          <li
            key={tid}
            className="flex h-7 items-center gap-3 border-b border-line/50 px-2 text-12"
          >
            <span className="w-16 text-muted" title={wholeDate(time)}>
              {clockTime(time)}
            </span>
            <span className={leg === 'Yes' ? 'text-buy' : 'text-sell'}>
              {legName(market, leg)} {cents(price, market.price_decimals)}
            </span>
            <span className="ml-auto">{t('outcomes.activity.shares', { shares: number(sz) })}</span>
            <span className="w-20 text-right text-muted">{money(multiply(sz, price))}</span>
          </li>
        );
      })}
    </ol>
  );
}
