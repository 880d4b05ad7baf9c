import type { OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { chance } from '../../lib/format.ts';
import { isLike } from '../../lib/is-like.ts';
import { countdown } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { byLikelihood, useOutcomeTickers, yesPriceOf } from '../../market/outcome-tickers.ts';
import { useEvents } from '../../market/queries.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { EventLine } from './event-line.tsx';
import { Section } from './section.tsx';

/** Some of them are of series, which stand above with their own countdown. */
const LOOKED_AT = 20;
const EVENTS_SHOWN = 6;

/** What is decided next. */
export function EndingSoon({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { data } = useEvents({ sortBy: 'endingSoon', status: 'open', limit: LOOKED_AT });
  const nowMs = useVenueSecond();
  const events = (data?.events ?? [])
    .filter(
      ({ end_time: end, series_slug: series, title }) =>
        series === null && end > nowMs && isLike(title, wanted),
    )
    .slice(0, EVENTS_SHOWN);
  // The live prices, as on the cards: one number on a screen is one number.
  const byId = useOutcomeTickers(events.flatMap(({ markets }) => markets));
  if (events.length === 0) return null;
  return (
    <Section id="ending" title={t('markets.endingSoon')}>
      <ul>
        {events.map((event) => (
          <EventLine key={event.slug} event={event}>
            <Favourite markets={event.markets} byId={byId} />
            <span className="w-20 text-end text-muted">{countdown(event.end_time - nowMs)}</span>
          </EventLine>
        ))}
      </ul>
    </Section>
  );
}

/** What is thought of it now: the chance, and of several the likeliest. */
function Favourite({
  markets,
  byId,
}: {
  readonly markets: readonly OutcomeMarketMeta[];
  readonly byId: ReadonlyMap<number, Ticker>;
}) {
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
