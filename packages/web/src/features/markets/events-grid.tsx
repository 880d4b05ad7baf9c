import { Link } from '@tanstack/react-router';
import type { OutcomeEventMeta, OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { isLike } from '../../lib/typed-text.ts';
import { useWords } from '../../lib/words.ts';
import { byLikelihood, useOutcomeTickers, yesPriceOf } from '../../market/tickers.ts';
import { useEvents } from '../../market/queries.ts';
import { EmptyState, Skeleton } from '../../ui/empty-state.tsx';
import { JustResolved, OpeningSoon } from './event-lists.tsx';
import { isDecimal, multiply, roundTo } from '../../lib/decimal.ts';
import { chance, compact } from '../../lib/format.ts';
import { relative } from '../../lib/time.ts';
import { venueNow } from '../../market/venue.ts';
import { EventTitle } from '../../ui/event-title.tsx';

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

type Tickers = ReadonlyMap<number, Ticker>;

const CANDIDATES_SHOWN = 3;

/**
 * The question, what the market thinks of it, and how much of it is money. What a share costs is told by the book of the
 * event: the chance is no price that anybody offers.
 */
function EventCard({ event, byId }: { readonly event: OutcomeEventMeta; readonly byId: Tickers }) {
  const t = useWords();
  const [only] = event.markets;
  const rest = event.markets.length - CANDIDATES_SHOWN;
  const { total } = event.volume;
  const traded = compact(isDecimal(total) ? roundTo(total, 0) : undefined);
  const isSingle = event.markets.length === 1 && only !== undefined;
  return (
    <li className="relative flex min-w-0 flex-col bg-panel p-4 hover:bg-raised/50">
      <div className="flex items-start justify-between gap-4">
        <h3 className="line-clamp-2 text-13 font-medium">
          <Link to={`/events/${event.slug}`} className="after:absolute after:inset-0">
            <EventTitle title={event.title} isShort />
          </Link>
        </h3>
        {isSingle && (
          <span className="text-20 font-semibold">{chance(yesPriceOf(only, byId))}</span>
        )}
      </div>
      <div className="mt-2 min-h-0 flex-1 overflow-hidden max-tablet:pb-3">
        {isSingle ? <Single market={only} byId={byId} /> : <Candidates event={event} byId={byId} />}
      </div>
      <p className="flex gap-3 overflow-hidden text-12 whitespace-nowrap text-muted tabular-nums">
        {event.category !== '' && (
          <span className="capitalize max-wide:hidden">{event.category}</span>
        )}
        <span>{t('markets.volumeOf', { amount: traded })}</span>
        <span>{t('markets.ends', { when: relative(event.end_time - venueNow()) })}</span>
        {rest > 0 && <span className="ms-auto">{t('markets.more', { count: rest })}</span>}
      </p>
    </li>
  );
}

function Single({ market, byId }: { readonly market: OutcomeMarketMeta; readonly byId: Tickers }) {
  const price = yesPriceOf(market, byId);
  const [yes, no] = market.outcomes;
  return (
    <>
      <Bar price={price} />
      <p className="mt-2 flex justify-between gap-2 text-12 text-muted">
        <bdi className="truncate">{yes}</bdi>
        <bdi className="truncate">{no}</bdi>
      </p>
    </>
  );
}

function Candidates({ event, byId }: { readonly event: OutcomeEventMeta; readonly byId: Tickers }) {
  const ranked = event.markets
    .map((market) => ({ market, price: yesPriceOf(market, byId) }))
    .sort((a, b) => byLikelihood(a.price, b.price));
  return (
    <ul className="flex flex-col gap-1 text-12">
      {ranked.slice(0, CANDIDATES_SHOWN).map(({ market, price }) => (
        <li key={market.instrument_id} className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate">
            <bdi>{market.group_title ?? market.question}</bdi>
          </span>
          <span className="w-12 shrink-0 max-wide:hidden">
            <Bar price={price} />
          </span>
          <span className="w-11 shrink-0 text-end font-semibold">{chance(price)}</span>
        </li>
      ))}
    </ul>
  );
}

function Bar({ price }: { readonly price: string | undefined }) {
  const width = isDecimal(price) ? `${multiply(price, '100')}%` : '0%';
  return (
    <span aria-hidden="true" className="block h-0.5 rounded bg-line">
      <span className="block h-full rounded bg-accent" style={{ width }} />
    </span>
  );
}
