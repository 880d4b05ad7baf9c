import { useWords } from '../../lib/words.ts';
import { SeriesCards } from '../../market/series/series-cards.tsx';
import { useRunningSeries } from '../../market/series/use-running-series.ts';
import { tickers } from '../../market/tickers.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';

/** What comes round by itself: up or down, every quarter and every hour. */
export function SeriesSection({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const words = wanted.trim().toLowerCase();
  const series = useRunningSeries(nowMs).filter(({ event }) =>
    event.title.toLowerCase().includes(words),
  );
  const ids = series.map(({ market }) => market.instrument_id).sort((a, b) => a - b);
  const byId = tickers.use(
    ids.length === 0 ? undefined : { accountType: 'outcome', instrumentIds: ids },
    (state) => state.byId,
  );
  if (series.length === 0) return null;
  return (
    <section aria-labelledby="series">
      <h2
        id="series"
        className="flex h-12 items-center border-y border-line px-4 text-15 font-semibold"
      >
        {t('markets.recurring')}
      </h2>
      <ul className="grid gap-px bg-line tablet:grid-cols-2">
        <SeriesCards series={series} byId={byId} nowMs={nowMs} />
        {series.length % 2 === 1 && (
          <li aria-hidden="true" className="bg-panel max-tablet:hidden" />
        )}
      </ul>
    </section>
  );
}
