import { Link } from '@tanstack/react-router';
import type { OutcomeEventMeta, Ticker } from '@oddlot/sdk';
import { chance } from '../../lib/format.ts';
import { countdown } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { legName, markOf } from './market-facts.ts';

/** Series come round by themselves: each once, with the market that runs. */
export function SeriesStrip({
  events,
  byId,
}: {
  readonly events: readonly OutcomeEventMeta[];
  readonly byId: ReadonlyMap<number, Ticker>;
}) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const running = runningOf(events, nowMs);
  return (
    <section aria-labelledby="series" className="border-b border-line">
      <h2 id="series" className="px-4 pt-3 text-12 text-muted">
        {t('outcomes.series.recurring')}
      </h2>
      <ul className="flex gap-2 overflow-x-auto px-4 pt-2 pb-3">
        {running.map((event) => {
          const [market] = event.markets;
          if (market === undefined) return null;
          return (
            <li
              key={event.series_slug}
              className="relative flex w-60 max-w-96 shrink-0 grow flex-col gap-1 rounded border border-line px-3 py-2 hover:bg-raised/50"
            >
              <h3 className="truncate text-13 font-medium">
                <Link to={`/series/${event.series_slug}`} className="after:absolute after:inset-0">
                  {titleOf(event)}
                </Link>
              </h3>
              <p className="flex items-baseline justify-between gap-3 text-12 tabular-nums">
                {event.start_time > nowMs ? (
                  <>
                    <span className="text-muted">{t('outcomes.series.startsIn')}</span>
                    <span className="text-15">{countdown(event.start_time - nowMs)}</span>
                  </>
                ) : (
                  <>
                    <span>
                      <span className="text-muted">{legName(market, 'Yes')}</span>{' '}
                      <span className="text-15 font-semibold">{chance(markOf(market, byId))}</span>
                    </span>
                    <span className="text-muted">
                      {t('outcomes.endsIn', { when: countdown(event.end_time - nowMs) })}
                    </span>
                  </>
                )}
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Of each series the market that ends next. */
function runningOf(
  events: readonly OutcomeEventMeta[],
  nowMs: number,
): readonly OutcomeEventMeta[] {
  const next = new Map<string, OutcomeEventMeta>();
  for (const event of events) {
    const { end_time: end, series_slug: slug } = event;
    if (slug === null || end <= nowMs) continue;
    const known = next.get(slug);
    if (known === undefined || end < known.end_time) next.set(slug, event);
  }
  return [...next.values()].sort((a, b) => a.end_time - b.end_time);
}

/** The events of a series are called after it and their times; the times are in the countdown. */
function titleOf({ title }: OutcomeEventMeta): string {
  return title.split(/[,:(–—]/)[0]?.trim() || title;
}
