import { useWords } from '../../lib/words.ts';
import { Countdown, EventLine, EventList } from './event-list.tsx';
import { useNextSingles } from './use-next-singles.ts';

const EVENTS_SHOWN = 4;

/** What can be traded next. */
export function OpeningSoon({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { events, nowMs } = useNextSingles('start_time', { most: EVENTS_SHOWN, wanted });
  return (
    <EventList id="opening" title={t('markets.openingSoon')}>
      {events.map((event) => (
        <EventLine key={event.slug} event={event}>
          <Countdown ms={event.start_time - nowMs} />
        </EventLine>
      ))}
    </EventList>
  );
}
