import type { OutcomeEventMeta, OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { useIsFetching } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { usePageTitle } from '../../lib/browser.ts';
import { isDecimal, sign, toPixels } from '../../lib/decimal.ts';
import {
  probability,
  compact,
  countdown,
  hourlyRate,
  money,
  number,
  relative,
} from '../../lib/format.ts';
import { isLike } from '../../lib/typed-text.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { priceDecimals, useVenueSecond } from '../../market/cells.tsx';
import {
  changeOf,
  isSinceStart,
  openInterestOf,
  usePerpRows,
  type PerpRow,
  type Trend,
} from '../../market/past-prices.ts';
import { useComingEvents, useEvents, useSettings, type Moment } from '../../market/queries.ts';
import { EventCards } from '../../market/events/event-card.tsx';
import {
  EVENTS_LOOKED_AT,
  SeriesCards,
  useRunningSeries,
} from '../../market/series/series-cards.tsx';
import { byLikelihood, useOutcomeTickers, yesPriceOf } from '../../market/streams.ts';
import { connection } from '../../market/venue.ts';
import { FirstSteps, firstVisit, openTestAccount } from '../../session/first-steps.tsx';
import { hadAccount, useIsSessionLoaded, useSession } from '../../session/session.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { Badge, EventTitle, Percent, Price, Spark } from '../../ui/figures.tsx';
import { useHotkey } from '../../ui/keyboard.tsx';
import { EmptyState, onDemand, Skeleton } from '../../ui/states.tsx';
import { byDecimal, Table, type Column } from '../../ui/table.tsx';

const FundingTable = onDemand(async () => (await import('./funding-table.tsx')).FundingTable);

export function Screen() {
  const t = useWords();
  const field = useRef<HTMLInputElement>(null);
  usePageTitle(t('nav.markets'));
  useHotkey('/', () => field.current?.focus());
  const navigate = useNavigate();
  const search: { readonly q?: unknown } = useSearch({ strict: false });
  const isAnswered = useIsAnswered();
  const wanted = typeof search.q === 'string' ? search.q : '';
  const setWanted = (q: string): void => {
    void navigate({ to: '/', search: q === '' ? {} : { q }, replace: true });
  };
  return (
    <div className="flex min-h-full flex-col">
      <h1 className="visually-hidden">{t('nav.markets')}</h1>
      <FirstVisitStrip />
      <div className="grid flex-1 desktop:grid-cols-[minmax(0,13fr)_minmax(0,10fr)]">
        <section className="min-w-0 border-line desktop:border-e" aria-labelledby="perps">
          <div className="flex h-12 items-center justify-between gap-4 border-b border-line px-4">
            <h2 id="perps" className="flex items-baseline gap-3 text-15 font-semibold">
              {t('markets.perps')}
              <span className="text-12 font-normal text-muted max-tablet:hidden">
                {t('markets.unit')}
              </span>
            </h2>
            <div className="w-56">
              <TextField
                ref={field}
                label={t('markets.search')}
                isLabelHidden
                type="search"
                placeholder={t('markets.search')}
                value={wanted}
                onChange={setWanted}
              />
            </div>
          </div>
          <PerpsTable wanted={wanted} />
          <div className={isAnswered ? undefined : 'hidden'}>
            <Funding wanted={wanted} />
            <Link
              to="/activity"
              className="flex h-9 items-center gap-2 px-4 text-12 text-muted hover:text-text"
            >
              <span aria-hidden="true">→</span>
              {t('markets.activity')}
            </Link>
            <SeriesSection wanted={wanted} />
            <EndingSoon wanted={wanted} />
          </div>
        </section>
        <div className={isAnswered ? 'contents' : 'contents max-desktop:hidden'}>
          <EventsGrid wanted={wanted} />
        </div>
      </div>
    </div>
  );
}

function Funding({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex h-9 w-full items-center gap-2 px-4 text-12 text-muted hover:text-text"
      >
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        {t('markets.fundingAll')}
      </button>
      {isOpen && <FundingTable wanted={wanted} />}
    </>
  );
}

const ANSWERS_MS_MAX = 4_000;
const CALM_MS = 100;

/**
 * Returns true once the first queries have been answered. Until then, content below an empty
 * section would shift.
 */
function useIsAnswered(): boolean {
  const open = useIsFetching({ predicate: ({ state }) => state.dataUpdateCount === 0 });
  const [isAnswered, setIsAnswered] = useState(false);
  const isLost = useStore(connection, ({ status }) => status === 'lost');
  useEffect(() => {
    const timer = setTimeout(() => setIsAnswered(true), ANSWERS_MS_MAX);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (open > 0) return undefined;
    const calm = setTimeout(() => setIsAnswered(true), CALM_MS);
    return () => clearTimeout(calm);
  }, [open]);
  return isAnswered || isLost;
}

export function FirstVisitStrip() {
  const t = useWords();
  const session = useSession();
  const isLoaded = useIsSessionLoaded();
  const { at, error } = useStore(firstVisit);
  const { data: settings } = useSettings();
  useEffect(
    () => () => {
      if (firstVisit.getState().at === 'done') firstVisit.setState({ at: 'idle' });
    },
    [],
  );
  const isUnderWay = at !== 'idle' && at !== 'done';
  const isNew = session === undefined || at !== 'idle';
  if (!isNew || (!isLoaded && hadAccount())) return null;
  const hasFaucet = settings?.faucet_amount !== null;
  const amount = settings === undefined ? '…' : money(settings.faucet_amount, { decimals: 0 });
  const isDone = at === 'done';
  return (
    <section
      aria-label={t('first.title')}
      className="flex min-h-16 flex-wrap items-center gap-x-6 gap-y-2 border-b border-line bg-accent/6 px-4 py-3"
    >
      <div className="min-w-60 flex-1">
        <p className="text-15 font-semibold">{isDone ? t('first.done') : t('first.title')}</p>
        {at === 'idle' ? (
          <p className="text-13 text-muted">
            {hasFaucet ? t('first.text', { amount }) : t('first.textNoFaucet')}
          </p>
        ) : (
          <FirstSteps isInLine />
        )}
      </div>
      {isDone && (
        <Link to="/trade/BTC-USDC" className="text-13 font-medium text-accent hover:underline">
          {t('first.toTrade', { market: 'BTC-USDC' })}
        </Link>
      )}
      {hasFaucet && !isDone && (
        <span className="max-tablet:flex max-tablet:w-full max-tablet:flex-col">
          <Button
            kind="accent"
            size="large"
            disabled={settings === undefined || !isLoaded}
            isBusy={isUnderWay && error === undefined}
            onClick={() => void openTestAccount()}
          >
            {t('first.button')}
          </Button>
        </span>
      )}
    </section>
  );
}

export function SeriesSection({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const series = useRunningSeries(nowMs).filter(({ event }) => isLike(event.title, wanted));
  const byId = useOutcomeTickers(series.map(({ market }) => market));
  if (series.length === 0) return null;
  return (
    <Section id="series" title={t('markets.recurring')}>
      <ul className="grid gap-px bg-line tablet:grid-cols-2">
        <SeriesCards series={series} byId={byId} nowMs={nowMs} />
        {series.length % 2 === 1 && (
          <li aria-hidden="true" className="bg-panel max-tablet:hidden" />
        )}
      </ul>
    </Section>
  );
}

const LOOKED_AT = 24;
const EVENTS_SHOWN = 12;

function EventsGrid({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { data } = useEvents({ sortBy: 'trending', status: 'open', limit: LOOKED_AT });
  const singles = (data?.events ?? [])
    .filter(({ series_slug: series }) => series === null)
    .slice(0, EVENTS_SHOWN);
  const events = singles.filter((event) => matches(event, wanted));
  return (
    <section
      className="flex min-w-0 flex-col max-desktop:border-t max-desktop:border-line"
      aria-labelledby="events"
    >
      <div className="flex h-12 shrink-0 items-center justify-between border-b border-line px-4">
        <h2 id="events" className="text-15 font-semibold">
          {t('markets.events')}
        </h2>
        <Link to="/events" className="text-12 text-muted hover:text-text">
          {t('markets.allEvents')}
        </Link>
      </div>
      {data === undefined ? (
        <Loading />
      ) : events.length === 0 ? (
        <div className="h-40">
          <EmptyState
            title={singles.length === 0 ? t('markets.noEvents') : t('markets.nothingFound')}
            text={singles.length === 0 ? t('markets.noEventsText') : undefined}
          />
        </div>
      ) : (
        <EventCards events={events} heading="h3" />
      )}
      <div className={data === undefined ? 'hidden' : 'contents'}>
        <OpeningSoon wanted={wanted} />
        <JustResolved wanted={wanted} />
      </div>
    </section>
  );
}

function Loading() {
  return (
    <div aria-hidden="true" className="grid gap-px bg-line tablet:grid-cols-2">
      {[0, 1].map((at) => (
        <div key={at} className="flex h-[180px] flex-col gap-3 bg-panel p-4">
          <Skeleton width="80%" />
          <Skeleton width="60%" />
          <Skeleton width="60%" />
        </div>
      ))}
    </div>
  );
}

function matches({ markets, tags, title }: OutcomeEventMeta, wanted: string): boolean {
  return isLike([title, ...tags, ...markets.map(({ question }) => question)].join(' '), wanted);
}

const ROW_PX = 48;

function PerpsTable({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const navigate = useNavigate();
  const { hasAny, isLoaded, rows } = usePerpRows(wanted);
  const columns = useMemo(() => columnsOf(t), [t]);
  if (!isLoaded) return <PerpsLoading />;
  const empty = hasAny ? (
    <EmptyState title={t('markets.nothingFound')} />
  ) : (
    <EmptyState title={t('markets.noPerps')} text={t('markets.noPerpsText')} />
  );
  return (
    <Table
      label={t('markets.perps')}
      columns={columns}
      rows={rows}
      rowKey={({ perp }) => perp.index}
      rowHeight={ROW_PX}
      empty={empty}
      sortedBy={{ id: 'volume', isDescending: true }}
      onRowClick={({ perp }) => void navigate({ to: `/trade/${perp.name}` })}
    />
  );
}

function columnsOf(t: Words): readonly Column<PerpRow>[] {
  return [
    {
      id: 'market',
      header: t('markets.market'),
      width: '24%',
      phoneWidth: '42%',
      cell: (row) => <Market row={row} />,
      compare: (a, b) => a.perp.name.localeCompare(b.perp.name),
    },
    {
      id: 'price',
      header: t('markets.price'),
      align: 'right',
      cell: ({ perp, ticker }) => (
        <span className="text-15 font-medium">
          <Price value={ticker?.markPx} decimals={priceDecimals(perp)} hasFlash />
        </span>
      ),
      compare: byDecimal(({ ticker }) => ticker?.markPx),
    },
    {
      id: 'change',
      header: t('markets.change'),
      align: 'right',
      cell: (row) => <Change row={row} t={t} />,
      compare: byDecimal(changeOf),
    },
    {
      id: 'trend',
      header: t('markets.trend'),
      align: 'right',
      from: 'tablet',
      cell: ({ perp, ticker, trend }) => (
        <span className="inline-block align-middle">
          <Spark values={lineOf(trend, ticker)} label={t('markets.trendOf', { name: perp.name })} />
        </span>
      ),
    },
    {
      id: 'volume',
      header: t('markets.volume'),
      align: 'right',
      from: 'tablet',
      cell: ({ ticker }) => compact(ticker?.dayNtlVlm),
      compare: byDecimal(({ ticker }) => ticker?.dayNtlVlm),
    },
    {
      id: 'openInterest',
      header: t('markets.openInterest'),
      align: 'right',
      from: 'tablet',
      cell: (row) => compact(openInterestOf(row)),
      compare: byDecimal(openInterestOf),
    },
    {
      id: 'funding',
      header: t('markets.funding'),
      width: '14%',
      align: 'right',
      from: 'tablet',
      cell: ({ ticker }) => <FundingRate rate={ticker?.funding} t={t} />,
      compare: byDecimal(({ ticker }) => ticker?.funding),
    },
  ];
}

function Change({ row, t }: { readonly row: PerpRow; readonly t: Words }) {
  return (
    <>
      <Percent value={changeOf(row)} />
      {isSinceStart(row.ticker, row.trend) && (
        <span className="block text-11 text-muted">{t('markets.sinceStart')}</span>
      )}
    </>
  );
}

function Market({ row: { perp } }: { readonly row: PerpRow }) {
  const t = useWords();
  return (
    <span className="flex items-center gap-2">
      <Link
        to={`/trade/${perp.name}`}
        className="text-15 font-medium hover:underline"
        onClick={(event) => event.stopPropagation()}
      >
        {perp.name}
      </Link>
      <span className="text-12 text-muted">{perp.maxLeverage}×</span>
      {perp.haltTrading && <Badge tone="warning">{t('markets.halted')}</Badge>}
      {perp.delisted && <Badge tone="warning">{t('markets.delisted')}</Badge>}
      {perp.onlyIsolated && <Badge>{t('markets.isolated')}</Badge>}
    </span>
  );
}

function FundingRate({ rate, t }: { readonly rate: string | undefined; readonly t: Words }) {
  const direction = isDecimal(rate) ? sign(rate) : 0;
  const title =
    direction > 0 ? t('markets.longsPay') : direction < 0 ? t('markets.shortsPay') : undefined;
  return <span title={title}>{hourlyRate(rate)}</span>;
}

function lineOf(trend: Trend | undefined, ticker: Ticker | undefined): readonly number[] {
  if (trend?.open === undefined || !isDecimal(ticker?.markPx)) return [];
  return [toPixels(trend.open), ...trend.closes, toPixels(ticker.markPx)];
}

function PerpsLoading() {
  return (
    <div aria-hidden="true" className="flex flex-col">
      {[0, 1, 2].map((row) => (
        <div
          key={row}
          className="flex h-12 items-center justify-between border-b border-line/50 px-4"
        >
          <Skeleton width="10ch" />
          <Skeleton width="24ch" />
        </div>
      ))}
    </div>
  );
}

const ENDING_SHOWN = 6;

export function EndingSoon({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { events, nowMs } = useNextSingles('end_time', { most: ENDING_SHOWN, wanted });
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

type FavouriteProps = {
  readonly markets: readonly OutcomeMarketMeta[];
  readonly byId: ReadonlyMap<number, Ticker>;
};

function Favourite({ markets, byId }: FavouriteProps) {
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
      <span className="w-11 shrink-0 text-end font-medium">{probability(priceOf(best))}</span>
    </span>
  );
}

const OPENING_SHOWN = 4;

export function OpeningSoon({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { events, nowMs } = useNextSingles('start_time', { most: OPENING_SHOWN, wanted });
  return (
    <EventList id="opening" title={t('markets.openingSoon')}>
      {events.map((event) => (
        <EventLine key={event.slug} event={event}>
          <Countdown ms={event.start_time - nowMs} />
        </EventLine>
      ))}
    </EventList>
  );
}

const RESOLVED_SHOWN = 6;

export function JustResolved({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { data } = useEvents({ sortBy: 'newest', status: 'resolved', limit: RESOLVED_SHOWN });
  const nowMs = useVenueSecond();
  const events = (data?.events ?? []).filter(({ title }) => isLike(title, wanted));
  if (data === undefined) return null;
  if (events.length === 0) return <div className="flex-1 border-t border-line" />;
  return (
    <EventList id="resolved" title={t('markets.resolved')} className="flex-1">
      {events.map((event) => (
        <EventLine key={event.slug} event={event}>
          <span className="max-w-[40%] truncate font-medium">{resultOf(event.markets, t)}</span>
          <span className="w-24 shrink-0 text-end text-muted max-tablet:hidden">
            {relative(resolvedMs(event.markets, event.end_time) - nowMs)}
          </span>
        </EventLine>
      ))}
    </EventList>
  );
}

function resultOf(markets: readonly OutcomeMarketMeta[], t: Words): string {
  const [only] = markets;
  if (markets.length === 1 && only !== undefined) {
    const { settlement_fraction: fraction, winning_outcome: winner } = only.settlement;
    if (winner !== null) return only.outcomes[winner === 'Yes' ? 0 : 1];
    return fraction === null ? '' : t('markets.pays', { fraction: number(fraction) });
  }
  const winners = markets.filter(({ settlement }) => settlement.winning_outcome === 'Yes');
  if (winners.length === 0) return t('markets.nobodyWon');
  const name = winners.map((market) => market.group_title ?? market.question).join(', ');
  return t('markets.won', { name });
}

function resolvedMs(markets: readonly OutcomeMarketMeta[], otherwise: number): number {
  const times = markets.flatMap(({ settlement }) => settlement.resolved_time ?? []);
  return times.length === 0 ? otherwise : Math.max(...times);
}

function EventList({
  children: lines,
  ...heading
}: Readonly<{ id: string; title: string; className?: string; children: readonly ReactNode[] }>) {
  if (lines.length === 0) return null;
  return (
    <Section {...heading}>
      <ul>{lines}</ul>
    </Section>
  );
}

type EventLineProps = { readonly event: OutcomeEventMeta; readonly children: ReactNode };

function EventLine({ event: { slug, title }, children }: EventLineProps) {
  return (
    <li className="relative flex h-10 items-center gap-4 border-b border-line/50 px-4 hover:bg-raised/60">
      <Link to={`/events/${slug}`} className="min-w-0 flex-1 truncate after:absolute after:inset-0">
        <EventTitle title={title} isShort />
      </Link>
      {children}
    </li>
  );
}

function Countdown({ ms }: { readonly ms: number }) {
  return <span className="w-20 shrink-0 text-end text-muted">{countdown(ms)}</span>;
}

type SectionProps = {
  readonly id: string;
  readonly title: string;
  readonly className?: string;
  readonly children: ReactNode;
};

export function Section({ id, title, className, children }: SectionProps) {
  return (
    <section aria-labelledby={id} className={className}>
      <h2
        id={id}
        className="flex h-12 items-center border-y border-line px-4 text-15 font-semibold"
      >
        {title}
      </h2>
      {children}
    </section>
  );
}

function useNextSingles(
  moment: Moment,
  { most, wanted }: { readonly most: number; readonly wanted: string },
): { readonly events: readonly OutcomeEventMeta[]; readonly nowMs: number } {
  const nowMs = useVenueSecond();
  const events = useComingEvents(moment, { limit: EVENTS_LOOKED_AT, wanted })
    .filter((event) => event.series_slug === null && event[moment] > nowMs)
    .slice(0, most);
  return { events, nowMs };
}
