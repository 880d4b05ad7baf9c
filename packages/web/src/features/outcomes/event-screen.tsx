import { texts } from 'words:outcomes';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ApiError, type Leg, type OutcomeEventMeta, type OutcomeMarketMeta } from '@oddlot/sdk';
import { usePageTitle } from '../../lib/screen.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { outcomePrices } from '../../market/contexts.ts';
import { tickers } from '../../market/tickers.ts';
import { EmptyState, Spinner } from '../../ui/empty-state.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { EventPanels } from './event-panels.tsx';
import { Holdings } from './holdings.tsx';
import { inOrder, markOf, turnover, withLiveStrike } from './market-facts.ts';
import { MarketRows } from './market-rows.tsx';
import { ProbabilityChart } from './probability-chart.tsx';
import { type Range, RANGES, useAskWhenGone, useEvent, useOwner } from './queries.ts';
import { TradeSide } from './trade-side.tsx';
import { type ChoiceSearch, useChoice } from './use-choice.ts';
import { countdown, dateTime, relative, wholeDate } from '../../lib/time.ts';
import { useVenueSecond } from '../../market/time-column.tsx';
import { Badge } from '../../ui/badge.tsx';
import { EventTitle } from '../../ui/event-title.tsx';

addWords(texts);

/** As many markets as one subscription takes. */
const MARKETS_MAX = 50;

/** One event: what may happen, what people think of it, and the ticket. */
export function Screen() {
  const { slug }: { readonly slug?: string } = useParams({ strict: false });
  const { data: event, error, isPending } = useEvent(slug);
  usePageTitle(event?.title);
  if (event !== undefined) return <Event key={event.slug} event={event} />;
  if (isPending) {
    return (
      <div className="flex h-full items-center justify-center text-muted">
        <Spinner />
      </div>
    );
  }
  if (error instanceof ApiError && error.code === 10_404) return <ByMarket slug={slug} />;
  return (
    <div className="p-4">
      <ErrorSentence error={error} />
    </div>
  );
}

/** Positions and orders know the name of their market: it leads to the event. */
function ByMarket({ slug }: { readonly slug: string | undefined }) {
  const t = useWords();
  const { data: owner } = useOwner(slug);
  if (owner === undefined) return null;
  if (owner !== null) {
    return <Navigate to={`/events/${owner.slug}`} search={{ market: slug }} replace />;
  }
  return (
    <EmptyState
      title={t('outcomes.noEvent')}
      text={t('outcomes.noEventText')}
      action={
        <Link to="/events" className="text-accent hover:underline">
          {t('outcomes.allEvents')}
        </Link>
      }
    />
  );
}

type Search = ChoiceSearch & { readonly market?: unknown; readonly range?: unknown };

function Event({ event }: { readonly event: OutcomeEventMeta }) {
  const navigate = useNavigate();
  const search: Search = useSearch({ strict: false });
  const set = (part: Search): void => {
    const next = { ...search, ...part };
    void navigate({ to: `/events/${event.slug}`, search: next, replace: true });
  };
  const choosing = useChoice(search, set, event.status === 'upcoming' ? 'rules' : 'book');
  const trade = ({ slug }: OutcomeMarketMeta, intent: 'buy' | 'sell', leg: Leg): void => {
    choosing.open({ intent });
    set({ market: slug, leg: leg === 'No' ? 'no' : undefined });
  };
  const { bbos, byId } = usePrices(event);
  const markets = useOrdered(event);
  const chosen = markets.find((each) => each.slug === search.market) ?? markets[0];
  if (chosen === undefined) return <EventHead event={event} />;
  const market = withLiveStrike(chosen, byId);
  const bbo = bbos.get(market.instrument_id);
  return (
    <div className="flex min-h-full max-desktop:flex-col">
      <div className="min-w-0 flex-1 max-desktop:pb-16">
        <div className="flex flex-col gap-4 px-4 pt-5 desktop:px-8">
          <EventHead event={event} onRules={() => choosing.setPanel('rules')} />
          <ProbabilityChart
            event={event}
            markets={markets}
            byId={byId}
            range={isRange(search.range) ? search.range : '1D'}
            onRange={(next) => set({ range: next === '1D' ? undefined : next })}
          />
          <MarketRows
            event={event}
            markets={markets}
            byId={byId}
            bbos={bbos}
            selected={market.instrument_id}
            onSelect={({ slug }) => set({ market: slug })}
            onTrade={(each, leg) => trade(each, 'buy', leg)}
          />
          {markets.map((each) => (
            <Holdings
              key={each.slug}
              event={event}
              market={each}
              bbo={bbos.get(each.instrument_id)}
              onSell={(leg) => trade(each, 'sell', leg)}
            />
          ))}
        </div>
        <EventPanels
          event={event}
          market={market}
          mark={markOf(market, byId)}
          choosing={choosing}
        />
      </div>
      <TradeSide
        event={event}
        market={market}
        mark={markOf(market, byId)}
        bbo={bbo}
        choosing={choosing}
      />
    </div>
  );
}

/** Live prices of the markets of an event; it is asked for again when one of them stops to trade. */
function usePrices(event: OutcomeEventMeta) {
  const ids = useMemo(
    () => event.markets.slice(0, MARKETS_MAX).map(({ instrument_id: id }) => id),
    [event],
  );
  const byId = tickers.use({ accountType: 'outcome', instrumentIds: ids }, (state) => state.byId);
  useAskWhenGone(
    event,
    useMemo(() => new Set(byId.keys()), [byId]),
  );
  const bbos = outcomePrices.use(ids, (state) => state.byId);
  return { byId, bbos };
}

/** By the chances of the first moment; only markets that come or go change it. */
function useOrdered(event: OutcomeEventMeta): readonly OutcomeMarketMeta[] {
  const slugs = event.markets.map(({ slug }) => slug).join(' ');
  const order = useMemo(
    () => inOrder(event.markets).map(({ slug }) => slug),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the slugs stand for the markets
    [slugs],
  );
  return order.flatMap((each) => event.markets.find(({ slug }) => slug === each) ?? []);
}

function isRange(value: unknown): value is Range {
  return typeof value === 'string' && value in RANGES;
}

const HOUR_MS = 3_600_000;

/** The question, and the few facts that matter before the first look at a price. */
export function EventHead({
  event,
  onRules,
}: {
  readonly event: OutcomeEventMeta;
  readonly onRules?: () => void;
}) {
  const t = useWords();
  const { end_time: end, status } = event;
  return (
    <header>
      <h1 className="text-20 font-semibold text-balance break-words tablet:text-28">
        <EventTitle title={event.title} />
      </h1>
      <div className="mt-2 flex flex-wrap items-center gap-x-5 gap-y-1 text-12 text-muted">
        {status !== 'open' && (
          <Badge tone={status === 'resolved' ? 'accent' : 'warning'}>
            {t(`outcomes.phase.${status}`)}
          </Badge>
        )}
        {event.trading.halted && <Badge tone="warning">{t('outcomes.phase.halted')}</Badge>}
        {event.category !== '' && <span className="capitalize">{event.category}</span>}
        <span>{t('outcomes.volumeOf', { amount: turnover(event.volume.total) })}</span>
        {event.settlement.resolved_time === null ? (
          <Ends endMs={end} startMs={event.start_time} status={status} />
        ) : (
          <span>
            {t('outcomes.resolvedAt', { when: dateTime(event.settlement.resolved_time) })}
          </span>
        )}
        {event.mutually_exclusive && <span>{t('outcomes.exclusive')}</span>}
        {event.series_slug !== null && (
          <Link to={`/series/${event.series_slug}`} className="text-accent hover:underline">
            {t('outcomes.toSeries')}
          </Link>
        )}
        {onRules !== undefined && (
          <button type="button" onClick={onRules} className="text-accent hover:underline">
            {t('outcomes.rulesAndSource')}
          </button>
        )}
      </div>
    </header>
  );
}

function Ends({
  endMs,
  startMs,
  status,
}: {
  readonly endMs: number;
  readonly startMs: number;
  readonly status: OutcomeEventMeta['status'];
}) {
  const t = useWords();
  const nowMs = useVenueSecond();
  if (status === 'upcoming') {
    return <span>{t('outcomes.starts', { when: relative(startMs - nowMs) })}</span>;
  }
  const leftMs = endMs - nowMs;
  if (status === 'closed' || leftMs <= 0) return <span>{t('outcomes.ended')}</span>;
  const when = leftMs < HOUR_MS ? countdown(leftMs) : relative(leftMs);
  return (
    <span title={wholeDate(endMs)}>
      {t(leftMs < HOUR_MS ? 'outcomes.endsIn' : 'outcomes.ends', { when })}
    </span>
  );
}
