import type {
  OutcomeEventMeta,
  OutcomeMarketMeta,
  OutcomeSeriesTimeline,
  OutcomeTimelineItem,
  Ticker,
} from '@oddlot/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isDecimal, magnitude, sign, subtract } from '../../lib/decimal.ts';
import { countdown, hourMinute, number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { colourOf, Price, Spark } from '../../ui/figures.tsx';
import { classes } from '../../ui/styles.ts';
import { LegPrices, type Bbos } from '../events/event-card.tsx';
import { channelOf, outcomePrices, referencePrices } from '../streams.ts';
import { askEvents, shownTimeline } from '../queries.ts';
import { reader, venueNow } from '../venue.ts';

const DECIMALS = 2;
const SPARK_EVERY = 3;
const SPARK_POINTS = 60;

type SeriesCardsProps = {
  readonly series: readonly RunningSeries[];
  readonly byId: ReadonlyMap<number, Ticker>;
  readonly nowMs: number;
};

export function SeriesCards({ series, byId, nowMs }: SeriesCardsProps) {
  const ids = series.map(({ market }) => market.instrument_id);
  const bbos = outcomePrices.use(ids.length === 0 ? undefined : ids, (state) => state.byId);
  return series.map((each) => (
    <SeriesCard
      key={each.slug}
      series={each}
      ticker={byId.get(each.market.instrument_id)}
      bbos={bbos}
      nowMs={nowMs}
    />
  ));
}

type SeriesCardProps = {
  readonly series: RunningSeries;
  readonly ticker: Ticker | undefined;
  readonly bbos: Bbos;
  readonly nowMs: number;
};

function SeriesCard({ series: { event, market, slug }, ticker, bbos, nowMs }: SeriesCardProps) {
  const t = useWords();
  const { data: timeline } = useSeriesTimeline(slug);
  const prices = referencePrices.use(channelOf(market), (state) => state.prices);
  const last = prices.at(-1)?.value.toFixed(DECIMALS);
  const isAhead = event.start_time > nowMs;
  const item = timeline?.items.find(({ instrumentId: id }) => id === market.instrument_id);
  const strike = isAhead ? undefined : (item?.openPrice ?? undefined);
  const status = ticker?.strikeStatus ?? item?.strikeStatus;
  const lead = isDecimal(last) && isDecimal(strike) ? subtract(last, strike) : undefined;
  return (
    <li className="relative flex min-w-0 flex-col gap-2 bg-panel p-4 hover:bg-raised/50">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="truncate text-13 font-medium">
          <Link to={`/series/${slug}`} className="after:absolute after:inset-0">
            {timeline?.title ?? (event.title.split(/[,:(–—]/)[0]?.trim() || event.title)}
          </Link>
        </h3>
        <span className="shrink-0 text-12 whitespace-nowrap text-muted">
          {t(isAhead ? 'markets.series.startsIn' : 'markets.series.endsIn')}{' '}
          <span className="text-13 font-medium text-text tabular-nums">
            {countdown((isAhead ? event.start_time : event.end_time) - nowMs)}
          </span>
        </span>
      </div>
      <div className="flex items-center justify-between gap-3">
        <span className="text-20 font-semibold">
          <Price value={last} decimals={DECIMALS} hasFlash />
        </span>
        <Spark
          values={sparkOf(prices.map(({ value }) => value))}
          width={112}
          height={26}
          isUp={lead === undefined ? undefined : sign(lead) >= 0}
          label={t('markets.series.lately', { symbol: timeline?.underlying ?? '' })}
        />
      </div>
      <Target
        lead={lead}
        strike={strike}
        isMissing={status === 'missing'}
        startMs={isAhead ? event.start_time : undefined}
      />
      <div className="flex min-h-6 items-center justify-between gap-3 text-12">
        {isAhead ? (
          <span className="text-muted">{t('markets.series.openAtStart')}</span>
        ) : (
          <LegPrices event={event} market={market} bbos={bbos} />
        )}
        <ResultDots items={timeline?.items ?? []} nowMs={nowMs} />
      </div>
    </li>
  );
}

type TargetProps = {
  readonly lead: string | undefined;
  readonly strike: string | undefined;
  readonly isMissing: boolean;
  readonly startMs: number | undefined;
};

function Target({ lead, strike, isMissing, startMs }: TargetProps) {
  const t = useWords();
  let what: ReactNode = t('markets.series.strikeSoon');
  if (isMissing) what = t('markets.series.noStrike');
  if (startMs !== undefined) what = t('markets.series.strikeAt', { when: hourMinute(startMs) });
  if (isDecimal(strike)) {
    what = t('markets.series.toBeat', { price: number(strike, { decimals: DECIMALS }) });
  }
  return (
    <p className="flex justify-between gap-3 text-12 text-muted tabular-nums">
      <span className="truncate">{what}</span>
      {lead !== undefined && (
        <span className={colourOf(lead)}>
          {t(sign(lead) < 0 ? 'markets.series.behind' : 'markets.series.ahead', {
            amount: number(magnitude(lead), { decimals: DECIMALS }),
          })}
        </span>
      )}
    </p>
  );
}

function sparkOf(values: readonly number[]): readonly number[] {
  return values
    .filter((_, at) => (values.length - 1 - at) % SPARK_EVERY === 0)
    .slice(-SPARK_POINTS);
}

const SHOWN = 10;

type ResultDotsProps = { readonly items: readonly OutcomeTimelineItem[]; readonly nowMs: number };

function ResultDots({ items, nowMs }: ResultDotsProps) {
  const t = useWords();
  const past = items.filter(({ endTime }) => endTime <= nowMs).slice(0, SHOWN);
  const ups = past.filter(({ winningOutcome }) => winningOutcome === 'Yes').length;
  const downs = past.filter(({ winningOutcome }) => winningOutcome === 'No').length;
  const neither = past.filter(isNeither).length;
  const results = t('markets.series.results', { ups, downs });
  if (past.length === 0) {
    return <span className="shrink-0 text-faint">{t('markets.series.first')}</span>;
  }
  return (
    <span
      role="img"
      aria-label={
        neither === 0 ? results : `${results}, ${t('markets.series.neither', { neither })}`
      }
      className="flex shrink-0 items-center gap-1"
    >
      {past.toReversed().map((item) => (
        <span
          key={item.instrumentId}
          className={classes(
            'size-2 rounded-full',
            item.winningOutcome === 'Yes' && 'bg-buy',
            item.winningOutcome === 'No' && 'bg-sell',
            item.winningOutcome === null && (isNeither(item) ? 'bg-muted' : 'border border-muted'),
          )}
        />
      ))}
    </span>
  );
}

function isNeither({ resolutionStatus, winningOutcome }: OutcomeTimelineItem): boolean {
  return resolutionStatus === 'resolved' && winningOutcome === null;
}

type RunningSeries = Readonly<{ slug: string; event: OutcomeEventMeta; market: OutcomeMarketMeta }>;

/** Lists of the same length share requests. */
export const EVENTS_LOOKED_AT = 50;

export function useRunningSeries(nowMs: number): readonly RunningSeries[] {
  const { data = [] } = useQuery({
    queryKey: ['runningSeries'],
    // Both lists are requested in one query, so that no market is missed between them.
    queryFn: async () => {
      const asked = (['upcoming', 'open'] as const).map((status) =>
        askEvents({ status, sortBy: 'endingSoon', limit: EVENTS_LOOKED_AT }),
      );
      return (await Promise.all(asked)).flat();
    },
    refetchInterval: CALM_MS,
  });
  return runningOf(data, nowMs);
}

export function runningOf(
  events: readonly OutcomeEventMeta[],
  nowMs: number,
): readonly RunningSeries[] {
  const next = new Map<string, RunningSeries>();
  for (const event of events) {
    const { end_time: end, markets, series_slug: slug } = event;
    const [market] = markets;
    if (slug === null || market === undefined || end <= nowMs) continue;
    const known = next.get(slug);
    if (known === undefined || end < known.event.end_time) next.set(slug, { slug, event, market });
  }
  return [...next.values()].sort(
    (a, b) => a.event.end_time - b.event.end_time || (a.slug < b.slug ? -1 : 1),
  );
}

const ITEMS = 14;
const CALM_MS = 15_000;
const TENSE_MS = 2_500;
const TENSE_FOR_MS = 20_000;

function useSeriesTimeline(seriesSlug: string): UseQueryResult<OutcomeSeriesTimeline> {
  return useQuery({
    queryKey: ['outcomeSeriesTimeline', 'card', seriesSlug],
    queryFn: async ({ signal }) =>
      shownTimeline(
        await reader.info.outcomeSeriesTimeline({ seriesSlug, limit: ITEMS }, { signal }),
      ),
    refetchInterval: ({ state }) => (isTense(state.data, venueNow()) ? TENSE_MS : CALM_MS),
  });
}

function isTense(timeline: OutcomeSeriesTimeline | undefined, nowMs: number): boolean {
  return (
    timeline?.items.some(({ endTime, startTime }) =>
      [startTime, endTime].some((at) => Math.abs(nowMs - at) < TENSE_FOR_MS),
    ) === true
  );
}
