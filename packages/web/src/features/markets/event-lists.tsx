import type { OutcomeEventMeta, OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { chance, number } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { byLikelihood, useOutcomeTickers, yesPriceOf } from '../../market/tickers.ts';
import { isLike } from '../../lib/typed-text.ts';
import { countdown, relative } from '../../lib/time.ts';
import { type Moment, useComingEvents, useEvents } from '../../market/queries.ts';
import { useVenueSecond } from '../../market/time-column.tsx';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EventTitle } from '../../ui/event-title.tsx';

const ENDING_SHOWN = 6;

export function EndingSoon({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { events, nowMs } = useNextSingles('end_time', { most: ENDING_SHOWN, wanted });
  // The live prices, as on the cards: one number on a screen is one number.
  const byId = useOutcomeTickers(events.flatMap(({ markets }) => markets));
  return (
    <EventList id="ending" title={t('markets.endingSoon')}>
      {events.map((event) => (
        <EventLine key={event.slug} event={event}>
          <Favourite markets={event.markets} byId={byId} />
          <Countdown ms={event.end_time - nowMs} />
        </EventLine>
      ))}
    </EventList>
  );
}

type FavouriteProps = {
  readonly markets: readonly OutcomeMarketMeta[];
  readonly byId: ReadonlyMap<number, Ticker>;
};

/** What is thought of it now: the chance, and of several the likeliest. */
function Favourite({ markets, byId }: FavouriteProps) {
  const [first, ...others] = markets;
  if (first === undefined) return null;
  const priceOf = (market: OutcomeMarketMeta) => yesPriceOf(market, byId);
  const best = others.reduce(
    (leader, market) => (byLikelihood(priceOf(market), priceOf(leader)) < 0 ? market : leader),
    first,
  );
  return (
    <span className="flex max-w-[40%] min-w-0 shrink-0 items-center gap-2 text-13">
      {others.length > 0 && (
        <span className="truncate text-muted max-tablet:hidden">
          {best.group_title ?? best.question}
        </span>
      )}
      <span className="w-11 shrink-0 text-end font-medium">{chance(priceOf(best))}</span>
    </span>
  );
}

const OPENING_SHOWN = 4;

export function OpeningSoon({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { events, nowMs } = useNextSingles('start_time', { most: OPENING_SHOWN, wanted });
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

const RESOLVED_SHOWN = 6;

/** How it went: what people can look up before they trust a question with money. */
export function JustResolved({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { data } = useEvents({ sortBy: 'newest', status: 'resolved', limit: RESOLVED_SHOWN });
  const nowMs = useVenueSecond();
  const events = (data?.events ?? []).filter(({ title }) => isLike(title, wanted));
  if (data === undefined) return null;
  if (events.length === 0) return <div className="flex-1 border-t border-line" />;
  return (
    <EventList id="resolved" title={t('markets.resolved')} className="flex-1">
      {events.map((event) => (
        <EventLine key={event.slug} event={event}>
          <span className="max-w-[40%] truncate font-medium">{resultOf(event.markets, t)}</span>
          <span className="w-24 shrink-0 text-end text-muted max-tablet:hidden">
            {relative(resolvedMs(event.markets, event.end_time) - nowMs)}
          </span>
        </EventLine>
      ))}
    </EventList>
  );
}

/** Who won of several; of one question its answer, or what was paid when it was neither. */
function resultOf(markets: readonly OutcomeMarketMeta[], t: Words): string {
  const [only] = markets;
  if (markets.length === 1 && only !== undefined) {
    const { settlement_fraction: fraction, winning_outcome: winner } = only.settlement;
    if (winner !== null) return only.outcomes[winner === 'Yes' ? 0 : 1];
    return fraction === null ? '' : t('markets.pays', { fraction: number(fraction) });
  }
  const winners = markets.filter(({ settlement }) => settlement.winning_outcome === 'Yes');
  if (winners.length === 0) return t('markets.nobodyWon');
  const name = winners.map((market) => market.group_title ?? market.question).join(', ');
  return t('markets.won', { name });
}

function resolvedMs(markets: readonly OutcomeMarketMeta[], otherwise: number): number {
  const times = markets.flatMap(({ settlement }) => settlement.resolved_time ?? []);
  return times.length === 0 ? otherwise : Math.max(...times);
}

/** Events under a heading, an `EventLine` each; without any there is no heading either. */
function EventList({
  children: lines,
  ...heading
}: {
  readonly id: string;
  readonly title: string;
  readonly className?: string;
  readonly children: readonly ReactNode[];
}) {
  if (lines.length === 0) return null;
  return (
    <Section {...heading}>
      <ul>{lines}</ul>
    </Section>
  );
}

type EventLineProps = { readonly event: OutcomeEventMeta; readonly children: ReactNode };

/** An event in a list: its title, which leads to it, and what the list has to say of it. */
function EventLine({ event: { slug, title }, children }: EventLineProps) {
  return (
    <li className="relative flex h-10 items-center gap-4 border-b border-line/50 px-4 hover:bg-raised/60">
      <Link to={`/events/${slug}`} className="min-w-0 flex-1 truncate after:absolute after:inset-0">
        <EventTitle title={title} isShort />
      </Link>
      {children}
    </li>
  );
}

/** How long until it opens or ends, at the end of its line. */
function Countdown({ ms }: { readonly ms: number }) {
  return <span className="w-20 shrink-0 text-end text-muted">{countdown(ms)}</span>;
}

type SectionProps = {
  readonly id: string;
  readonly title: string;
  readonly className?: string;
  readonly children: ReactNode;
};

export function Section({ id, title, className, children }: SectionProps) {
  return (
    <section aria-labelledby={id} className={className}>
      <h2
        id={id}
        className="flex h-12 items-center border-y border-line px-4 text-15 font-semibold"
      >
        {title}
      </h2>
      {children}
    </section>
  );
}

/** Some of them are of series, which stand in a section of their own with their countdown. */
const LOOKED_AT = 20;

function useNextSingles(
  moment: Moment,
  { most, wanted }: { readonly most: number; readonly wanted: string },
): { readonly events: readonly OutcomeEventMeta[]; readonly nowMs: number } {
  const nowMs = useVenueSecond();
  const events = useComingEvents(moment, { limit: LOOKED_AT, wanted })
    .filter((event) => event.series_slug === null && event[moment] > nowMs)
    .slice(0, most);
  return { events, nowMs };
}
