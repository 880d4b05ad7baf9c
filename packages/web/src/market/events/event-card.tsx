import type { Leg, Level, OutcomeEventMeta, OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { isDecimal, multiply, roundTo, subtract, toPixels } from '../../lib/decimal.ts';
import { cents, probability, compact, number, relative } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { Badge, colourOf, EventTitle } from '../../ui/figures.tsx';
import { classes } from '../../ui/styles.ts';
import { priceDecimals } from '../cells.tsx';
import { categoryName } from '../queries.ts';
import { byLikelihood, outcomePrices, useOutcomeTickers, yesPriceOf } from '../streams.ts';
import { venueNow } from '../venue.ts';
import { EventPicture } from './event-picture.tsx';
import { quickTrade } from './quick-trade.ts';

const MARKETS_MAX = 50;
const CANDIDATES = 3;

export type Bbos = ReadonlyMap<number, readonly [Level | null, Level | null]>;

type Prices = {
  readonly byId: ReadonlyMap<number, Ticker>;
  readonly bbos: Bbos;
};

type EventCardsProps = {
  readonly events: readonly OutcomeEventMeta[];
  readonly heading: 'h2' | 'h3';
};

/** Shows events as cards of equal height. The cards in the last row share its width. */
export function EventCards({ events, heading }: EventCardsProps) {
  const markets = events.flatMap((event) => shownOf(event));
  const byId = useOutcomeTickers(events.flatMap((event) => event.markets));
  const ids = markets.slice(0, MARKETS_MAX).map(({ instrument_id: id }) => id);
  const bbos = outcomePrices.use(ids.length === 0 ? undefined : ids, (state) => state.byId);
  if (events.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-px border-b border-line bg-line">
      {events.map((event) => (
        <EventCard key={event.slug} heading={heading} event={event} byId={byId} bbos={bbos} />
      ))}
    </ul>
  );
}

/**
 * Returns the markets that a card shows: those with the highest probabilities at the last query.
 */
function shownOf({ markets }: OutcomeEventMeta): readonly OutcomeMarketMeta[] {
  return markets
    .toSorted((a, b) => byLikelihood(yesPriceOf(a, NOTHING_LIVE), yesPriceOf(b, NOTHING_LIVE)))
    .slice(0, CANDIDATES);
}
const NOTHING_LIVE: ReadonlyMap<number, Ticker> = new Map();

type EventCardProps = Prices & {
  readonly event: OutcomeEventMeta;
  readonly heading: EventCardsProps['heading'];
};

function EventCard({ event, heading: Heading, ...prices }: EventCardProps) {
  const only = event.markets.length === 1 ? event.markets[0] : undefined;
  return (
    <li className="relative flex min-h-46 min-w-0 flex-[1_1_300px] flex-col gap-3 bg-panel p-4 hover:bg-raised/50 max-tablet:basis-full">
      <div className="flex items-start gap-3">
        <EventPicture event={event} />
        <Heading className="line-clamp-2 min-h-10 min-w-0 flex-1 text-15 leading-5 font-medium break-words">
          <Link to={`/events/${event.slug}`} className="after:absolute after:inset-0">
            <EventTitle title={event.title} isShort />
          </Link>
        </Heading>
        {only !== undefined && (
          <span className="shrink-0 text-end">
            <span className="block text-20 leading-6 font-semibold">
              {probability(markOf(only, prices.byId))}
            </span>
            <Move market={only} byId={prices.byId} />
          </span>
        )}
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-3">
        {only === undefined ? (
          <ul className="flex flex-1 flex-col justify-center gap-1 text-13">
            {shownOf(event).map((market) => (
              <Candidate key={market.instrument_id} event={event} market={market} {...prices} />
            ))}
          </ul>
        ) : (
          <>
            <Bar share={markOf(only, prices.byId)} />
            <LegPrices event={event} market={only} bbos={prices.bbos} isLarge />
          </>
        )}
      </div>
      <Foot event={event} />
    </li>
  );
}

function Bar({ share }: { readonly share: string | undefined }) {
  return (
    <span aria-hidden="true" className="h-1 shrink-0 rounded bg-line">
      <span
        className="block h-full rounded bg-accent"
        style={{ width: `${isDecimal(share) ? toPixels(share) * 100 : 0}%` }}
      />
    </span>
  );
}

type OfMarket = { readonly event: OutcomeEventMeta; readonly market: OutcomeMarketMeta };

function Candidate({ event, market, byId, bbos }: Prices & OfMarket) {
  return (
    <li className="flex h-7 items-center gap-2">
      <span className="min-w-0 flex-1 truncate">
        <bdi>{market.group_title ?? market.question}</bdi>
      </span>
      <span className="w-10 shrink-0 text-end font-semibold tabular-nums">
        {probability(markOf(market, byId))}
      </span>
      <LegPrices event={event} market={market} bbos={bbos} />
    </li>
  );
}

type LegPricesProps = OfMarket & {
  readonly bbos: Bbos;
  readonly isLarge?: boolean;
};

/** The prices of both outcomes. A press on a price opens a ticket in place. */
export function LegPrices({ event, market, bbos, isLarge = false }: LegPricesProps) {
  if (market.phase === 'resolved') return <Result market={market} />;
  if (market.phase !== 'open') return null;
  return (
    <span className={classes('relative z-1 flex gap-2', isLarge ? 'flex-1' : 'shrink-0')}>
      {(['Yes', 'No'] as const).map((leg, at) => (
        <button
          key={leg}
          type="button"
          aria-haspopup="dialog"
          onClick={() => open(event, market, leg)}
          className={classes(
            'flex min-w-0 items-center justify-center gap-x-1 rounded font-medium whitespace-nowrap tabular-nums transition-colors',
            isLarge ? 'min-h-9 flex-1 flex-col px-3 text-13' : 'h-7 w-17 px-1 text-12',
            leg === 'Yes'
              ? 'bg-buy/15 text-buy-strong hover:bg-buy/25'
              : 'bg-sell/15 text-sell-strong hover:bg-sell/25',
          )}
        >
          <span className="visually-hidden">{market.group_title ?? event.title}: </span>
          <bdi className="max-w-full truncate">{market.outcomes[at]}</bdi>
          <span className={isLarge ? 'text-15' : 'shrink-0'}>
            {cents(priceToBuy(market, leg, bbos), priceDecimals(market))}
          </span>
        </button>
      ))}
    </span>
  );
}

function open({ slug: eventSlug }: OutcomeEventMeta, market: OutcomeMarketMeta, leg: Leg): void {
  quickTrade.setState({ open: { eventSlug, marketSlug: market.slug, leg } });
}

/**
 * Returns the best price at which an outcome can be bought. A bid for YES is also an offer of NO.
 */
function priceToBuy(
  { instrument_id: id, pricing }: OutcomeMarketMeta,
  leg: Leg,
  bbos: Bbos,
): string | undefined {
  const bbo = bbos.get(id);
  const [bid, ask] =
    bbo === undefined ? [pricing.best_bid, pricing.best_ask] : bbo.map((level) => level?.px);
  if (leg === 'Yes') return ask ?? undefined;
  return isDecimal(bid) ? subtract('1', bid) : undefined;
}

function Result({ market: { outcomes, settlement } }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  const { settlement_fraction: fraction, winning_outcome: winner } = settlement;
  return (
    <span className={classes('text-12', winner === 'Yes' ? 'text-buy-strong' : 'text-muted')}>
      {winner === null
        ? fraction !== null && t('markets.pays', { fraction: number(fraction) })
        : t('markets.won', { name: outcomes[winner === 'Yes' ? 0 : 1] })}
    </span>
  );
}

function markOf(market: OutcomeMarketMeta, byId: ReadonlyMap<number, Ticker>): string | undefined {
  const { settlement_fraction: paid } = market.settlement;
  if (isDecimal(paid)) return paid;
  return market.phase === 'upcoming' ? undefined : yesPriceOf(market, byId);
}

type MoveProps = Readonly<{ market: OutcomeMarketMeta; byId: ReadonlyMap<number, Ticker> }>;

function Move({ market, byId }: MoveProps) {
  const before = byId.get(market.instrument_id)?.prevDayPx;
  const now = markOf(market, byId);
  if (!isDecimal(before) || !isDecimal(now)) return null;
  const points = roundTo(multiply(subtract(now, before), '100'), 0);
  if (points === '0') return null;
  return (
    <span className={classes('block text-12', colourOf(points))}>
      {number(points, { isSigned: true })}
    </span>
  );
}

function Foot({ event }: { readonly event: OutcomeEventMeta }) {
  const t = useWords();
  const rest = event.markets.length - CANDIDATES;
  const { total } = event.volume;
  const amount = compact(isDecimal(total) ? roundTo(total, 0) : undefined);
  const when = {
    open: t('markets.ends', { when: relative(event.end_time - venueNow()) }),
    upcoming: t('markets.starts', { when: relative(event.start_time - venueNow()) }),
    closed: undefined,
    resolved: undefined,
  }[event.status];
  return (
    <p className="flex h-5 items-center gap-3 overflow-hidden text-12 whitespace-nowrap text-muted tabular-nums">
      {event.status !== 'open' && <Badge>{t(`markets.status.${event.status}`)}</Badge>}
      {event.trading.halted && <Badge tone="warning">{t('markets.halted')}</Badge>}
      {event.category !== '' && (
        <span className="capitalize">{categoryName(event.category, t)}</span>
      )}
      <span>{t('markets.volumeOf', { amount })}</span>
      {when !== undefined && <span>{when}</span>}
      {rest > 0 && <span className="ms-auto">{t('markets.more', { count: rest })}</span>}
    </p>
  );
}
