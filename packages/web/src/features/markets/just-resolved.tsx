import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { number } from '../../lib/format.ts';
import { isLike } from '../../lib/is-like.ts';
import { relative } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { useEvents } from '../../market/queries.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { EventLine, EventList } from './event-list.tsx';

const EVENTS_SHOWN = 6;

/** How it went: what people can look up before they trust a question with money. */
export function JustResolved({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { data } = useEvents({ sortBy: 'newest', status: 'resolved', limit: EVENTS_SHOWN });
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
