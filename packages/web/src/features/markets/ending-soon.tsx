import { Link } from '@tanstack/react-router';
import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { chance } from '../../lib/format.ts';
import { countdown } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { useEvents } from '../../market/queries.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { EventTitle } from '../../ui/event-title.tsx';

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
        series === null && end > nowMs && title.toLowerCase().includes(wanted.trim().toLowerCase()),
    )
    .slice(0, EVENTS_SHOWN);
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
            <Favourite markets={markets} />
            <span className="w-20 text-right text-muted">{countdown(end - nowMs)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is thought of it now: the chance, and of several the likeliest. */
function Favourite({ markets }: { readonly markets: readonly OutcomeMarketMeta[] }) {
  const [first, ...others] = markets;
  if (first === undefined) return null;
  const best = others.reduce(
    (leader, market) =>
      Number(market.pricing.yes_price) > Number(leader.pricing.yes_price) ? market : leader,
    first,
  );
  return (
    <span className="flex max-w-[40%] min-w-0 shrink-0 items-center gap-2 text-13">
      {others.length > 0 && (
        <span className="truncate text-muted max-tablet:hidden">
          {best.group_title ?? best.question}
        </span>
      )}
      <span className="w-11 shrink-0 text-right font-medium">{chance(best.pricing.yes_price)}</span>
    </span>
  );
}
