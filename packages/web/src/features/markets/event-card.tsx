import { Link } from '@tanstack/react-router';
import type { OutcomeEventMeta, OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { isDecimal, multiply, subtract } from '../../lib/decimal.ts';
import { cents, chance, compact } from '../../lib/format.ts';
import { relative } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { yesPriceOf } from '../../market/outcome-tickers.ts';
import { venueNow } from '../../market/venue.ts';
import { EventTitle } from '../../ui/event-title.tsx';

type Tickers = ReadonlyMap<number, Ticker>;

const CANDIDATES_SHOWN = 3;

/** The question, what the market thinks of it, and how much of it is money. */
export function EventCard({
  event,
  byId,
}: {
  readonly event: OutcomeEventMeta;
  readonly byId: Tickers;
}) {
  const t = useWords();
  const [only] = event.markets;
  const rest = event.markets.length - CANDIDATES_SHOWN;
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
        <span>{t('markets.volumeOf', { amount: compact(event.volume.total) })}</span>
        <span>{t('markets.ends', { when: relative(event.end_time - venueNow()) })}</span>
        {rest > 0 && <span className="ml-auto">{t('markets.more', { count: rest })}</span>}
      </p>
    </li>
  );
}

function Single({ market, byId }: { readonly market: OutcomeMarketMeta; readonly byId: Tickers }) {
  const price = yesPriceOf(market, byId);
  const other = isDecimal(price) ? subtract('1', price) : undefined;
  return (
    <>
      <Bar price={price} />
      <p className="mt-3 flex gap-2 text-12">
        <span className="flex min-w-0 gap-1 rounded bg-buy/12 px-2 py-1 text-buy-strong">
          <bdi className="truncate">{market.outcomes[0]}</bdi>
          <span className="shrink-0">{cents(price, market.price_decimals)}</span>
        </span>
        <span className="flex min-w-0 gap-1 rounded bg-sell/12 px-2 py-1 text-sell-strong">
          <bdi className="truncate">{market.outcomes[1]}</bdi>
          <span className="shrink-0">{cents(other, market.price_decimals)}</span>
        </span>
      </p>
    </>
  );
}

function Candidates({ event, byId }: { readonly event: OutcomeEventMeta; readonly byId: Tickers }) {
  const ranked = event.markets
    .map((market) => ({ market, price: yesPriceOf(market, byId) }))
    .sort((a, b) => Number(b.price) - Number(a.price));
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
          <span className="w-11 shrink-0 text-right font-semibold">{chance(price)}</span>
          <Legs market={market} price={price} />
        </li>
      ))}
    </ul>
  );
}

/** What a share of either side costs. */
function Legs({
  market: {
    outcomes: [yes, no],
    price_decimals: decimals,
  },
  price,
}: {
  readonly market: OutcomeMarketMeta;
  readonly price: string | undefined;
}) {
  const other = isDecimal(price) ? subtract('1', price) : undefined;
  return (
    <>
      <span
        title={yes}
        className="w-10 shrink-0 rounded bg-buy/12 py-0.5 text-center text-buy-strong"
      >
        <span className="heard">{yes} </span>
        {cents(price, decimals)}
      </span>
      <span
        title={no}
        className="w-10 shrink-0 rounded bg-sell/12 py-0.5 text-center text-sell-strong"
      >
        <span className="heard">{no} </span>
        {cents(other, decimals)}
      </span>
    </>
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
