import { Link } from '@tanstack/react-router';
import type { OutcomeEventMeta } from '@oddlot/sdk';
import { isLike } from '../../lib/is-like.ts';
import { useWords } from '../../lib/words.ts';
import { useOutcomeTickers } from '../../market/outcome-tickers.ts';
import { useEvents } from '../../market/queries.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/spinner.tsx';
import { EventCard } from './event-card.tsx';
import { JustResolved } from './just-resolved.tsx';
import { OpeningSoon } from './opening-soon.tsx';

/** Some of them are of series, which have cards of their own. */
const LOOKED_AT = 24;
const EVENTS_SHOWN = 12;

/** What people trade on, the busiest first. */
export function EventsGrid({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { data } = useEvents({ sortBy: 'trending', status: 'open', limit: LOOKED_AT });
  const singles = (data?.events ?? [])
    .filter(({ series_slug: series }) => series === null)
    .slice(0, EVENTS_SHOWN);
  const events = singles.filter((event) => matches(event, wanted));
  const byId = useOutcomeTickers(singles.flatMap(({ markets }) => markets));
  return (
    <section
      className="flex min-w-0 flex-col max-desktop:border-t max-desktop:border-line"
      aria-labelledby="events"
    >
      <div className="flex h-12 shrink-0 items-center justify-between border-b border-line px-4">
        <h2 id="events" className="text-15 font-semibold">
          {t('markets.events')}
        </h2>
        <Link to="/events" className="text-12 text-muted hover:text-text">
          {t('markets.allEvents')}
        </Link>
      </div>
      {data === undefined ? (
        <Loading />
      ) : events.length === 0 ? (
        <div className="h-40">
          <EmptyState
            title={singles.length === 0 ? t('markets.noEvents') : t('markets.nothingFound')}
            text={singles.length === 0 ? t('markets.noEventsText') : undefined}
          />
        </div>
      ) : (
        <ul className="grid gap-px bg-line tablet:auto-rows-[180px] tablet:grid-cols-2 wide:grid-cols-3">
          {events.map((event) => (
            <EventCard key={event.slug} event={event} byId={byId} />
          ))}
          {events.length % 2 === 1 && (
            <li aria-hidden="true" className="bg-panel max-tablet:hidden wide:hidden" />
          )}
          {Array.from({ length: (3 - (events.length % 3)) % 3 }, (_, at) => (
            <li key={at} aria-hidden="true" className="bg-panel max-wide:hidden" />
          ))}
        </ul>
      )}
      {/* They may be answered earlier, and would be pushed away by the cards. */}
      <div className={data === undefined ? 'hidden' : 'contents'}>
        <OpeningSoon wanted={wanted} />
        <JustResolved wanted={wanted} />
      </div>
    </section>
  );
}

/** The place of the first cards. */
function Loading() {
  return (
    <div aria-hidden="true" className="grid gap-px bg-line tablet:grid-cols-2">
      {[0, 1].map((at) => (
        <div key={at} className="flex h-[180px] flex-col gap-3 bg-panel p-4">
          <Skeleton width="80%" />
          <Skeleton width="60%" />
          <Skeleton width="60%" />
        </div>
      ))}
    </div>
  );
}

function matches({ markets, tags, title }: OutcomeEventMeta, wanted: string): boolean {
  return isLike([title, ...tags, ...markets.map(({ question }) => question)].join(' '), wanted);
}
