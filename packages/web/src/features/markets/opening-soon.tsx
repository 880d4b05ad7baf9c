import { isLike } from '../../lib/is-like.ts';
import { countdown } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { useEvents } from '../../market/queries.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { EventLine } from './event-line.tsx';
import { Section } from './section.tsx';

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
        series === null && start > nowMs && isLike(title, wanted),
    )
    .sort((a, b) => a.start_time - b.start_time)
    .slice(0, EVENTS_SHOWN);
  if (events.length === 0) return null;
  return (
    <Section id="opening" title={t('markets.openingSoon')}>
      <ul>
        {events.map((event) => (
          <EventLine key={event.slug} event={event}>
            <span className="w-20 shrink-0 text-end text-muted">
              {countdown(event.start_time - nowMs)}
            </span>
          </EventLine>
        ))}
      </ul>
    </Section>
  );
}
