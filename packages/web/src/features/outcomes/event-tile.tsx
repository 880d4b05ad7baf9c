import { Link } from '@tanstack/react-router';
import type { OutcomeEventMeta, OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { isDecimal, multiply, roundTo, subtract } from '../../lib/decimal.ts';
import { chance, number } from '../../lib/format.ts';
import { relative } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { venueNow } from '../../market/venue.ts';
import { Badge } from '../../ui/badge.tsx';
import { colourOf } from '../../ui/figure.tsx';
import { EventTitle } from '../../ui/event-title.tsx';
import { inOrder, legName, markOf, nameOf, turnover } from './market-facts.ts';
import { ChanceBar } from './market-rows.tsx';

type Tickers = ReadonlyMap<number, Ticker>;
const CANDIDATES = 3;

/** A question, what people think of it, and how much of it is money. A chance is no price that anybody offers. */
export function EventTile({
  event,
  byId,
}: {
  readonly event: OutcomeEventMeta;
  readonly byId: Tickers;
}) {
  const t = useWords();
  const only = event.markets.length === 1 ? event.markets[0] : undefined;
  const rest = event.markets.length - CANDIDATES;
  const when = relative(event.end_time - venueNow());
  return (
    <li className="relative -mb-px flex min-h-44 min-w-0 flex-col border-b border-line p-4 tablet:border-e hover:bg-raised/50">
      <div className="flex items-start justify-between gap-4">
        <h2 className="line-clamp-2 min-w-0 text-15 font-medium break-words">
          <Link to={`/events/${event.slug}`} className="after:absolute after:inset-0">
            <EventTitle title={event.title} isShort />
          </Link>
        </h2>
        {only !== undefined && (
          <span className="text-20 font-semibold whitespace-nowrap">
            {chance(markOf(only, byId))}
          </span>
        )}
      </div>
      <div className="mt-2 min-h-0 flex-1">
        {only === undefined ? (
          <Candidates event={event} byId={byId} />
        ) : (
          <Single market={only} byId={byId} />
        )}
      </div>
      <p className="mt-3 flex items-center gap-3 overflow-hidden text-12 whitespace-nowrap text-muted">
        {event.status !== 'open' && (
          <Badge>
            {t(
              event.status === 'closed' ? 'outcomes.find.closed' : `outcomes.phase.${event.status}`,
            )}
          </Badge>
        )}
        {event.trading.halted && <Badge tone="warning">{t('outcomes.phase.halted')}</Badge>}
        {event.category !== '' && <span className="capitalize">{event.category}</span>}
        <span>{t('outcomes.volumeOf', { amount: turnover(event.volume.total) })}</span>
        {event.status === 'open' && <span>{t('outcomes.ends', { when })}</span>}
        {event.status === 'upcoming' && (
          <span>{t('outcomes.starts', { when: relative(event.start_time - venueNow()) })}</span>
        )}
        {rest > 0 && <span className="ms-auto">{t('outcomes.find.others', { count: rest })}</span>}
      </p>
    </li>
  );
}

function Single({ market, byId }: { readonly market: OutcomeMarketMeta; readonly byId: Tickers }) {
  return (
    <>
      <ChanceBar price={markOf(market, byId)} place={0} isWide />
      <p className="mt-3 flex items-center justify-between gap-2 text-12 text-muted">
        <bdi className="truncate">{legName(market, 'Yes')}</bdi>
        <span className="shrink-0 tabular-nums">
          <Move market={market} byId={byId} />
        </span>
        <bdi className="truncate">{legName(market, 'No')}</bdi>
      </p>
    </>
  );
}

function Candidates({ event, byId }: { readonly event: OutcomeEventMeta; readonly byId: Tickers }) {
  return (
    <ul className="flex flex-col gap-1 text-13">
      {inOrder(event.markets)
        .slice(0, CANDIDATES)
        .map((market, place) => {
          const price = markOf(market, byId);
          return (
            <li key={market.instrument_id}>
              <span className="flex items-baseline gap-2">
                <span className="min-w-0 flex-1 truncate">{nameOf(market, event)}</span>
                <span className="w-8 text-end text-12">
                  <Move market={market} byId={byId} />
                </span>
                <span className="w-12 shrink-0 text-end font-semibold">{chance(price)}</span>
              </span>
              <ChanceBar price={price} place={place} isWide />
            </li>
          );
        })}
    </ul>
  );
}

/** Since a day ago, in points of a hundred; nothing where it did not move. */
function Move({ market, byId }: { readonly market: OutcomeMarketMeta; readonly byId: Tickers }) {
  const before = byId.get(market.instrument_id)?.prevDayPx;
  const now = markOf(market, byId);
  if (!isDecimal(before) || !isDecimal(now)) return null;
  const points = roundTo(multiply(subtract(now, before), '100'), 0);
  if (points === '0') return null;
  return <span className={colourOf(points)}>{number(points, { isSigned: true })}</span>;
}
