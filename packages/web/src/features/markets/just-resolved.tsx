import { Link } from '@tanstack/react-router';
import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { number } from '../../lib/format.ts';
import { relative } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { useEvents } from '../../market/queries.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { EventTitle } from '../../ui/event-title.tsx';

const EVENTS_SHOWN = 6;

/** How it went: what people can look up before they trust a question with money. */
export function JustResolved({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { data } = useEvents({ sortBy: 'newest', status: 'resolved', limit: EVENTS_SHOWN });
  const nowMs = useVenueSecond();
  const events = (data?.events ?? []).filter(({ title }) =>
    title.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  if (events.length === 0) return <div className="flex-1 border-t border-line" />;
  return (
    <section aria-labelledby="resolved" className="flex-1">
      <h2
        id="resolved"
        className="flex h-12 items-center border-y border-line px-4 text-15 font-semibold"
      >
        {t('markets.resolved')}
      </h2>
      <ul>
        {events.map(({ end_time: end, markets, slug, title }) => (
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
            <span className="max-w-[40%] truncate font-medium">{resultOf(markets, t)}</span>
            <span className="w-24 shrink-0 text-right text-muted max-tablet:hidden">
              {relative(resolvedMs(markets, end) - nowMs)}
            </span>
          </li>
        ))}
      </ul>
    </section>
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
