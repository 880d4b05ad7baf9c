import { isLike } from '../../lib/is-like.ts';
import { useWords } from '../../lib/words.ts';
import { useOutcomeTickers } from '../../market/outcome-tickers.ts';
import { SeriesCards } from '../../market/series/series-cards.tsx';
import { useRunningSeries } from '../../market/series/use-running-series.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { Section } from './section.tsx';

/** What comes round by itself: up or down, every quarter and every hour. */
export function SeriesSection({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const series = useRunningSeries(nowMs).filter(({ event }) => isLike(event.title, wanted));
  const byId = useOutcomeTickers(series.map(({ market }) => market));
  if (series.length === 0) return null;
  return (
    <Section id="series" title={t('markets.recurring')}>
      <ul className="grid gap-px bg-line tablet:grid-cols-2">
        <SeriesCards series={series} byId={byId} nowMs={nowMs} />
        {series.length % 2 === 1 && (
          <li aria-hidden="true" className="bg-panel max-tablet:hidden" />
        )}
      </ul>
    </Section>
  );
}
