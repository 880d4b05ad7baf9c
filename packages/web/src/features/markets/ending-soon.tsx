import type { OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { chance } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { byLikelihood, useOutcomeTickers, yesPriceOf } from '../../market/outcome-tickers.ts';
import { Countdown, EventLine, EventList } from './event-list.tsx';
import { useNextSingles } from './use-next-singles.ts';

const EVENTS_SHOWN = 6;

/** What is decided next. */
export function EndingSoon({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { events, nowMs } = useNextSingles('end_time', { most: EVENTS_SHOWN, wanted });
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
