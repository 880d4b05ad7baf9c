import { Link } from '@tanstack/react-router';
import type { OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { compare, isDecimal } from '../../lib/decimal.ts';
import { chance } from '../../lib/format.ts';
import { countdown } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { useEvents } from '../../market/queries.ts';
import { tickers } from '../../market/tickers.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { EventTitle } from '../../ui/event-title.tsx';

/** Some of them are of series, which stand above with their own countdown. */
const LOOKED_AT = 20;
const EVENTS_SHOWN = 6;
/** As many markets as one subscription takes. */
const MARKETS_MAX = 50;

/** What is decided next. */
export function EndingSoon({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { data } = useEvents({ sortBy: 'endingSoon', status: 'open', limit: LOOKED_AT });
  const nowMs = useVenueSecond();
  const events = (data?.events ?? [])
    .filter(
      ({ end_time: end, series_slug: series, title }) =>
        series === null && end > nowMs && title.toLowerCase().includes(wanted.trim().toLowerCase()),
    )
    .slice(0, EVENTS_SHOWN);
  const ids = events
    .flatMap(({ markets }) => markets.map(({ instrument_id: id }) => id))
    .slice(0, MARKETS_MAX)
    .sort((a, b) => a - b);
  // The live prices, as on the cards: one number on a screen is one number.
  const byId = tickers.use(
    ids.length === 0 ? undefined : { accountType: 'outcome', instrumentIds: ids },
    (state) => state.byId,
  );
  if (events.length === 0) return null;
  return (
    <section aria-labelledby="ending">
      <h2
        id="ending"
        className="flex h-12 items-center border-y border-line px-4 text-15 font-semibold"
      >
        {t('markets.endingSoon')}
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
            <Favourite markets={markets} byId={byId} />
            <span className="w-20 text-right text-muted">{countdown(end - nowMs)}</span>
          </li>
        ))}
      </ul>
    </section>
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
  const priceOf = (market: OutcomeMarketMeta): string => {
    const live = byId.get(market.instrument_id)?.markPx;
    return isDecimal(live) ? live : market.pricing.yes_price;
  };
  const best = others.reduce(
    (leader, market) => (compare(priceOf(market), priceOf(leader)) > 0 ? market : leader),
    first,
  );
  return (
    <span className="flex max-w-[40%] min-w-0 shrink-0 items-center gap-2 text-13">
      {others.length > 0 && (
        <span className="truncate text-muted max-tablet:hidden">
          {best.group_title ?? best.question}
        </span>
      )}
      <span className="w-11 shrink-0 text-right font-medium">{chance(priceOf(best))}</span>
    </span>
  );
}
