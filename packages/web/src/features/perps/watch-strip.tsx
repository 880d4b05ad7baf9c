import { Link } from '@tanstack/react-router';
import type { PerpMeta } from '@oddlot/sdk';
import { compare, isDecimal } from '../../lib/decimal.ts';
import { useWords } from '../../lib/words.ts';
import { priceDecimals } from '../../market/cells.tsx';
import { dayChange } from '../../market/past-prices.ts';
import { usePerps } from '../../market/queries.ts';
import { tickers } from '../../market/streams.ts';
import { Percent, Price } from '../../ui/figures.tsx';
import { useFavourites } from './favourites.ts';
import { useTradedPerp } from './use-account.ts';

const SHOWN_MAX = 12;
const NONE: readonly PerpMeta[] = [];

/** Shows the favourite markets or, if there are none, the markets with the highest volume. */
export function WatchStrip() {
  const t = useWords();
  const { perp: now } = useTradedPerp();
  const favourites = useFavourites();
  const perps = usePerps().data?.universe ?? NONE;
  const byId = tickers.use({ accountType: 'perp' }, (state) => state.byId);
  const volumeOf = ({ index }: PerpMeta): string => {
    const volume = byId.get(index)?.dayNtlVlm;
    return isDecimal(volume) ? volume : '0';
  };
  const chosen = perps.filter(({ name }) => favourites.includes(name));
  const shown =
    chosen.length > 0 ? chosen : perps.toSorted((a, b) => compare(volumeOf(b), volumeOf(a)));
  return (
    <nav
      aria-label={t('perps.watch.label')}
      className="flex scroll-row h-7 shrink-0 items-center gap-1 border-b border-line px-2 text-12"
    >
      {shown.slice(0, SHOWN_MAX).map((perp) => {
        const ticker = byId.get(perp.index);
        return (
          <Link
            key={perp.index}
            to={`/trade/${perp.name}`}
            search={(before: object) => before}
            aria-current={perp.index === now.index ? 'page' : undefined}
            className="flex h-6 shrink-0 items-center gap-1.5 rounded px-1.5 text-muted hover:bg-raised hover:text-text aria-[current]:text-text"
          >
            <span>{perp.name.replace(/-USDC$/, '')}</span>
            <Price value={ticker?.markPx} decimals={priceDecimals(perp)} />
            {isDecimal(ticker?.prevDayPx) && <Percent value={dayChange(ticker, undefined)} />}
          </Link>
        );
      })}
    </nav>
  );
}
