import {
  ApiError,
  type Leg,
  type OutcomeEventMeta,
  type OutcomeMarketMeta,
  type OutcomeProbability,
  type Ticker,
} from '@oddlot/sdk';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { AlignedData } from 'uplot';
import { texts } from 'words:outcomes';
import { usePageTitle } from '../../lib/browser.ts';
import { isDecimal, toPixels } from '../../lib/decimal.ts';
import {
  probability,
  countdown,
  dateTime,
  percent,
  relative,
  wholeDate,
} from '../../lib/format.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/cells.tsx';
import { categoryName } from '../../market/queries.ts';
import { isMarketPrice, DEFAULT_MARK, outcomePrices, tickers } from '../../market/streams.ts';
import { venueNow } from '../../market/venue.ts';
import { Segmented } from '../../ui/controls.tsx';
import { Badge, EventTitle } from '../../ui/figures.tsx';
import { EmptyState, ScreenState } from '../../ui/states.tsx';
import { usePlot } from '../../ui/use-plot.ts';
import { EventPanels } from './event-panels.tsx';
import { Holdings } from './holdings.tsx';
import {
  inOrder,
  markOf,
  nameOf,
  plotColour,
  turnover,
  wasNeverTraded,
  withLiveStrike,
} from './market-facts.ts';
import { MarketRows } from './market-rows.tsx';
import {
  RANGES,
  useAskAfterRemoval,
  useEvent,
  useOwner,
  useProbabilities,
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

const LINES_MAX = 6;
const QUARTER = 25;

type ProbabilityChartProps = {
  readonly event: OutcomeEventMeta;
  readonly markets: readonly OutcomeMarketMeta[];
  readonly byId: ReadonlyMap<number, Ticker>;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
};

function ProbabilityChart({ event, markets: all, byId, range, onRange }: ProbabilityChartProps) {
  const t = useWords();
  const [place, setPlace] = useState<number | null>(null);
  const markets = all.slice(0, LINES_MAX);
  const ids = markets.map(({ instrument_id: id }) => id);
  const { data } = useProbabilities(ids, range, event.start_time);
  const marks = markets.map((market) => markOf(market, byId));
  const isLive = event.status === 'open';
  const unpriced = markets
    .filter((market) => !isMarketPrice(DEFAULT_MARK, market))
    .map(({ instrument_id: id }) => id);
  const lines = useMemo(
    () => linesOf(data, { ids, unpriced }, isLive ? marks : []),
    // The joined texts replace the lists, which are new at every render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [data, ids.join(), unpriced.join(), marks.join(), isLive],
  );
  const options = useMemo(
    () => ({
      lines: ids.map((_, at) => ({ colour: plotColour(at) })),
      bounds: boundsOf,
      label: (value: number) => percent(String(Math.round(value) / 100), { decimals: 0 }),
      ticks: (_: number, high: number) => quartersTo(high),
      onPoint: setPlace,
    }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [ids.join()],
  );
  const { hasFailed, target } = usePlot(ids.join(), options, lines);
  return (
    <section aria-label={t('outcomes.chart.label')}>
      <div className="flex min-h-8 flex-wrap items-center gap-x-5 gap-y-1">
        <Legend event={event} markets={markets} marks={marks} lines={lines} place={place} />
        <Segmented
          label={t('outcomes.chart.range')}
          size="small"
          value={range}
          onChange={onRange}
          segments={(Object.keys(RANGES) as Range[]).map((value) => ({
            value,
            label: value === 'All' ? t('outcomes.chart.all') : value,
          }))}
        />
      </div>
      <div
        ref={target}
        role="img"
        aria-label={t('outcomes.chart.picture')}
        className="relative h-52 overflow-hidden tablet:h-64"
      >
        {(hasFailed || !hasLine(lines)) && <NoLine hasFailed={hasFailed} markets={markets} />}
      </div>
    </section>
  );
}

type NoLineProps = { readonly hasFailed: boolean; readonly markets: readonly OutcomeMarketMeta[] };

function NoLine({ hasFailed, markets }: NoLineProps) {
  const t = useWords();
  const why = markets.every(wasNeverTraded) ? 'outcomes.activity.never' : 'outcomes.chart.none';
  return (
    <p className="absolute inset-0 z-10 flex items-center justify-center bg-panel text-12 text-muted">
      {t(hasFailed ? 'outcomes.chart.failed' : why)}
    </p>
  );
}

type LegendProps = {
  readonly event: OutcomeEventMeta;
  readonly markets: readonly OutcomeMarketMeta[];
  readonly marks: readonly (string | undefined)[];
  readonly lines: AlignedData;
  readonly place: number | null;
};

function Legend({ event, markets, marks, lines, place }: LegendProps) {
  const time = place === null ? undefined : lines[0][place];
  return (
    <ul className="flex min-w-0 flex-1 flex-wrap gap-x-5 gap-y-1 text-13 max-tablet:basis-full">
      {markets.map((market, at) => (
        <li key={market.instrument_id} className="flex min-w-0 items-center gap-2">
          <span
            aria-hidden="true"
            className="size-2 shrink-0 rounded-[1px]"
            style={{ background: plotColour(at) }}
          />
          {markets.length > 1 && <span className="max-w-48 truncate">{nameOf(market, event)}</span>}
          {markets.length === 1 && <span>{market.outcomes[0]}</span>}
          <span className="w-11 font-semibold">
            {shownChance(lines[at + 1]?.[place ?? -1], marks[at])}
          </span>
        </li>
      ))}
      {time !== undefined && <li className="text-muted">{dateTime(time * 1_000)}</li>}
    </ul>
  );
}

function shownChance(pointed: number | null | undefined, now: string | undefined): string {
  if (typeof pointed !== 'number') return probability(now);
  return probability((pointed / 100).toFixed(4));
}

function linesOf(
  data: OutcomeProbability | undefined,
  { ids, unpriced }: { readonly ids: readonly number[]; readonly unpriced: readonly number[] },
  marks: readonly (string | undefined)[],
): AlignedData {
  const points = ids.map((id) => {
    const known = data?.series.find(({ instrumentId }) => instrumentId === id)?.points ?? [];
    return begun(known, unpriced.includes(id));
  });
  const times = new Set(points.flatMap((series) => series.map(({ t }) => t)));
  const nowMs = venueNow();
  if (times.size > 0 && marks.length > 0) times.add(nowMs);
  const sorted = [...times].sort((a, b) => a - b);
  const lines = points.map((series, at) => {
    const byTime = new Map(series.map(({ p, t }) => [t, p]));
    const mark = marks[at];
    if (isDecimal(mark)) byTime.set(nowMs, mark);
    let last: number | null = null;
    return sorted.map((time) => {
      const p = byTime.get(time);
      if (p !== undefined) last = toPixels(p) * 100;
      return last;
    });
  });
  return [sorted.map((time) => time / 1_000), ...lines];
}

/**
 * Returns the points after the first quote or trade. Before that, the venue reports a probability
 * of 0.5.
 */
function begun<Point extends { readonly p: string }>(
  points: readonly Point[],
  isUnpriced: boolean,
): readonly Point[] {
  const first = points.findIndex(({ p }) => p !== DEFAULT_MARK);
  if (first < 0) return isUnpriced ? [] : points;
  return points.slice(first);
}

const LINE_MIN_S = 30;

function hasLine([times]: AlignedData): boolean {
  return (times.at(-1) ?? 0) - (times[0] ?? 0) >= LINE_MIN_S;
}

function boundsOf(_: number, high: number): [number, number] {
  return [0, Math.min(100, Math.ceil((high + 4) / QUARTER) * QUARTER)];
}

function quartersTo(high: number): number[] {
  const count = Math.floor(high / QUARTER) + 1;
  return Array.from({ length: count }, (_, at) => at * QUARTER);
}
