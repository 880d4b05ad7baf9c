import { Link } from '@tanstack/react-router';
import type { OutcomeEventMeta } from '@oddlot/sdk';
import { countdown, dateTime, relative, wholeDate } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { Badge } from '../../ui/badge.tsx';
import { EventTitle } from '../../ui/event-title.tsx';
import { turnover } from './market-facts.ts';

const HOUR_MS = 3_600_000;

/** The question, and the few facts that matter before the first look at a price. */
export function EventHead({
  event,
  onRules,
}: {
  readonly event: OutcomeEventMeta;
  readonly onRules?: () => void;
}) {
  const t = useWords();
  const { end_time: end, status } = event;
  return (
    <header>
      <h1 className="text-20 font-semibold text-balance break-words tablet:text-28">
        <EventTitle title={event.title} />
      </h1>
      <div className="mt-2 flex flex-wrap items-center gap-x-5 gap-y-1 text-12 text-muted">
        {status !== 'open' && (
          <Badge tone={status === 'resolved' ? 'accent' : 'warning'}>
            {t(`outcomes.phase.${status}`)}
          </Badge>
        )}
        {event.trading.halted && <Badge tone="warning">{t('outcomes.phase.halted')}</Badge>}
        {event.category !== '' && <span className="capitalize">{event.category}</span>}
        <span>{t('outcomes.volumeOf', { amount: turnover(event.volume.total) })}</span>
        {event.settlement.resolved_time === null ? (
          <Ends endMs={end} startMs={event.start_time} status={status} />
        ) : (
          <span>
            {t('outcomes.resolvedAt', { when: dateTime(event.settlement.resolved_time) })}
          </span>
        )}
        {event.mutually_exclusive && <span>{t('outcomes.exclusive')}</span>}
        {event.series_slug !== null && (
          <Link to={`/series/${event.series_slug}`} className="text-accent hover:underline">
            {t('outcomes.toSeries')}
          </Link>
        )}
        {onRules !== undefined && (
          <button type="button" onClick={onRules} className="text-accent hover:underline">
            {t('outcomes.rulesAndSource')}
          </button>
        )}
      </div>
    </header>
  );
}

function Ends({
  endMs,
  startMs,
  status,
}: {
  readonly endMs: number;
  readonly startMs: number;
  readonly status: OutcomeEventMeta['status'];
}) {
  const t = useWords();
  const nowMs = useVenueSecond();
  if (status === 'upcoming') {
    return <span>{t('outcomes.starts', { when: relative(startMs - nowMs) })}</span>;
  }
  const leftMs = endMs - nowMs;
  if (status === 'closed' || leftMs <= 0) return <span>{t('outcomes.ended')}</span>;
  const when = leftMs < HOUR_MS ? countdown(leftMs) : relative(leftMs);
  return (
    <span title={wholeDate(endMs)}>
      {t(leftMs < HOUR_MS ? 'outcomes.endsIn' : 'outcomes.ends', { when })}
    </span>
  );
}
