import { Link } from '@tanstack/react-router';
import type { OutcomeEventMeta } from '@oddlot/sdk';
import { countdown } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { EventTitle } from '../../ui/event-title.tsx';
import { nameOf } from './market-facts.ts';

/** What opens next, in this order: nobody has an opinion of it yet, so that a line each is enough. */
export function Soon({ events }: { readonly events: readonly OutcomeEventMeta[] }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  return (
    <section aria-labelledby="soon">
      <h2 id="soon" className="border-b border-line px-4 pt-4 pb-2 text-12 text-muted">
        {t('outcomes.find.soon')}
      </h2>
      <ul>
        {events.map((event) => (
          <li
            key={event.slug}
            className="relative flex h-11 items-center gap-4 border-b border-line/50 px-4 hover:bg-raised/60"
          >
            <h3 className="min-w-0 truncate font-medium">
              <Link to={`/events/${event.slug}`} className="after:absolute after:inset-0">
                <EventTitle title={event.title} isShort />
              </Link>
            </h3>
            <span className="min-w-0 flex-1 truncate text-12 text-muted max-tablet:hidden">
              {event.markets.length > 1 &&
                event.markets.map((market) => nameOf(market, event)).join(' · ')}
            </span>
            <span className="ms-auto shrink-0 text-12 text-muted">
              {t('outcomes.find.opensIn')}{' '}
              <span className="text-13 text-text tabular-nums">
                {countdown(event.start_time - nowMs)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
