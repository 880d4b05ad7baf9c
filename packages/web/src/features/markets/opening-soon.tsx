import { Link } from '@tanstack/react-router';
import { countdown } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { useEvents } from '../../market/queries.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { EventTitle } from '../../ui/event-title.tsx';

const LOOKED_AT = 20;
const EVENTS_SHOWN = 4;

/** What can be traded next. */
export function OpeningSoon({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { data } = useEvents({ sortBy: 'endingSoon', status: 'upcoming', limit: LOOKED_AT });
  const nowMs = useVenueSecond();
  const events = (data?.events ?? [])
    .filter(
      ({ series_slug: series, start_time: start, title }) =>
        series === null &&
        start > nowMs &&
        title.toLowerCase().includes(wanted.trim().toLowerCase()),
    )
    .sort((a, b) => a.start_time - b.start_time)
    .slice(0, EVENTS_SHOWN);
  if (events.length === 0) return null;
  return (
    <section aria-labelledby="opening">
      <h2
        id="opening"
        className="flex h-12 items-center border-y border-line px-4 text-15 font-semibold"
      >
        {t('markets.openingSoon')}
      </h2>
      <ul>
        {events.map(({ slug, start_time: start, title }) => (
          <li
            key={slug}
            className="relative flex h-10 items-center gap-4 border-b border-line/50 px-4 hover:bg-raised/60"
          >
            <Link
              to={`/events/${slug}`}
              className="min-w-0 flex-1 truncate after:absolute after:inset-0"
            >
              <EventTitle title={title} isShort />
            </Link>
            <span className="w-20 shrink-0 text-right text-muted">{countdown(start - nowMs)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
