import { ApiError, type Leg, type OutcomeEventMeta, type OutcomeMarketMeta } from '@oddlot/sdk';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { texts } from 'words:outcomes';
import { usePageTitle } from '../../lib/browser.ts';
import { countdown, dateTime, relative, wholeDate } from '../../lib/format.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/cells.tsx';
import { categoryName } from '../../market/queries.ts';
import { outcomePrices, tickers } from '../../market/streams.ts';
import { Badge, EventTitle } from '../../ui/figures.tsx';
import { EmptyState, ScreenState } from '../../ui/states.tsx';
import { EventChart } from './event-chart.tsx';
import { EventPanels } from './event-panels.tsx';
import { Holdings } from './holdings.tsx';
import { inOrder, markOf, turnover, withLiveStrike } from './market-facts.ts';
import { MarketRows } from './market-rows.tsx';
import {
  RANGES,
  useAskAfterRemoval,
  useEvent,
  useOwner,
  useTimeline,
  type Range,
} from './queries.ts';
import { TradeSide, useChoice, type ChoiceSearch } from './trade-side.tsx';

addWords(texts);

const MARKETS_MAX = 50;

export function Screen() {
  const { slug }: { readonly slug?: string } = useParams({ strict: false });
  const { data: event, error, isPending } = useEvent(slug);
  usePageTitle(event?.title);
  if (event !== undefined) return <Event key={event.slug} event={event} />;
  if (error instanceof ApiError && error.code === 10_404) return <ByMarket slug={slug} />;
  return <ScreenState error={error} isPending={isPending} />;
}

function ByMarket({ slug }: { readonly slug: string | undefined }) {
  const t = useWords();
  const { data: owner } = useOwner(slug);
  if (owner === undefined) return null;
  if (owner !== null) {
    return <Navigate to={`/events/${owner.slug}`} search={{ market: slug }} replace />;
  }
  return (
    <EmptyState
      isScreen
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
  const range = isRange(search.range) ? search.range : '1D';
  const onRange = (next: Range): void => set({ range: next === '1D' ? undefined : next });
  const { bbos, byId } = usePrices(event);
  const timed = useTimed(event);
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
          <EventChart
            name={event.series_slug ?? event.slug}
            probability={{ event, markets, byId, range, onRange }}
            reference={timed && { ...timed, market }}
            initial="shares"
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

/**
 * Returns an event's series and the event's row in it, or undefined for an event outside any
 * series.
 */
function useTimed({ series_slug: series, slug }: OutcomeEventMeta) {
  const { data: timeline } = useTimeline(series ?? undefined);
  const current = timeline?.items.find(({ eventSlug }) => eventSlug === slug);
  return timeline && current && { timeline, current };
}

function usePrices(event: OutcomeEventMeta) {
  const ids = useMemo(
    () => event.markets.slice(0, MARKETS_MAX).map(({ instrument_id: id }) => id),
    [event],
  );
  const byId = tickers.use({ accountType: 'outcome', instrumentIds: ids }, (state) => state.byId);
  useAskAfterRemoval(
    event,
    useMemo(() => new Set(byId.keys()), [byId]),
  );
  const bbos = outcomePrices.use(ids, (state) => state.byId);
  return { byId, bbos };
}

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

type EventHeadProps = { readonly event: OutcomeEventMeta; readonly onRules?: () => void };

export function EventHead({ event, onRules }: EventHeadProps) {
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
        {event.category !== '' && (
          <span className="capitalize">{categoryName(event.category, t)}</span>
        )}
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

type EndsProps = Readonly<{ endMs: number; startMs: number; status: OutcomeEventMeta['status'] }>;

function Ends({ endMs, startMs, status }: EndsProps) {
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
