import {
  ApiError,
  type OutcomeMarketMeta,
  type OutcomeSeriesTimeline,
  type OutcomeTimelineItem,
  type Ticker,
} from '@oddlot/sdk';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { texts } from 'words:outcomes';
import { usePageTitle } from '../../lib/browser.ts';
import { isDecimal, magnitude, sign, subtract } from '../../lib/decimal.ts';
import {
  probability,
  clockTime,
  countdown,
  dateTime,
  hourMinute,
  money,
  number,
  wholeDate,
} from '../../lib/format.ts';
import { addWords, useWords, type Words } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/cells.tsx';
import { outcomePrices, tickers } from '../../market/streams.ts';
import { venueNow } from '../../market/venue.ts';
import { colourOf, Price } from '../../ui/figures.tsx';
import { Dialog } from '../../ui/overlays.tsx';
import { EmptyState, ScreenState } from '../../ui/states.tsx';
import { classes } from '../../ui/styles.ts';
import { EventChart } from './event-chart.tsx';
import { EventPanels } from './event-panels.tsx';
import { Holdings, PaidOut } from './holdings.tsx';
import { lacksStrike, legName, markOf, withLiveStrike } from './market-facts.ts';
import { shownItem, useEvent, useTimeline, type Range } from './queries.ts';
import { useLastReference } from './reference-chart.tsx';
import { Receipt } from './receipt.tsx';
import { TradeSide, useChoice, type ChoiceSearch } from './trade-side.tsx';

addWords(texts);

const UNKNOWN_SERIES = 10_017;

export function Screen() {
  const t = useWords();
  const { slug = '' }: { readonly slug?: string } = useParams({ strict: false });
  const { data, error, isPending } = useTimeline(slug);
  usePageTitle(data?.title);
  if (data !== undefined) return <Series timeline={data} />;
  if (error instanceof ApiError && error.code === UNKNOWN_SERIES) {
    return (
      <EmptyState
        isScreen
        title={t('outcomes.series.none')}
        text={t('outcomes.noEventText')}
        action={
          <Link to="/events" className="text-accent hover:underline">
            {t('outcomes.allEvents')}
          </Link>
        }
      />
    );
  }
  return <ScreenState error={error} isPending={isPending} />;
}

const NO_IDS: readonly number[] = [];

function Series({ timeline }: { readonly timeline: OutcomeSeriesTimeline }) {
  const t = useWords();
  const navigate = useNavigate();
  const search: ChoiceSearch = useSearch({ strict: false });
  const current = shownItem(timeline);
  const set = (part: ChoiceSearch): void => {
    const next = { ...search, ...part };
    void navigate({ to: `/series/${timeline.seriesSlug}`, search: next, replace: true });
  };
  const isAhead = current !== undefined && current.startTime > venueNow();
  const choosing = useChoice(search, set, isAhead ? 'rules' : 'book');
  const { data: event } = useEvent(current?.eventSlug);
  const [range, setRange] = useState<Range>('1H');
  const listed = event?.markets[0];
  const ids = current === undefined ? NO_IDS : [current.instrumentId];
  const byId = tickers.use(
    current === undefined ? undefined : { accountType: 'outcome', instrumentIds: ids },
    (state) => state.byId,
  );
  const market = listed === undefined ? undefined : withLiveStrike(listed, byId);
  const bbos = outcomePrices.use(current === undefined ? undefined : ids, (state) => state.byId);
  const bbo = market === undefined ? undefined : bbos.get(market.instrument_id);
  const running = event !== undefined && market !== undefined ? { event, market } : undefined;
  return (
    <div className="flex min-h-full max-desktop:flex-col">
      <div className="min-w-0 flex-1 max-desktop:pb-16">
        <div className="flex flex-col gap-4 px-4 pt-5 desktop:px-8">
          <SeriesHead timeline={timeline} market={market} byId={byId} />
          {current === undefined ? (
            <EmptyState title={t('outcomes.series.idle')} text={t('outcomes.series.idleText')} />
          ) : (
            <EventChart
              name={timeline.seriesSlug}
              probability={
                running && {
                  event: running.event,
                  markets: [running.market],
                  byId,
                  range,
                  onRange: setRange,
                }
              }
              reference={{ timeline, current, market }}
              initial="underlying"
            />
          )}
          <SeriesResults timeline={timeline} />
          <LastPaid timeline={timeline} />
          {running !== undefined && (
            <Holdings
              {...running}
              bbo={bbo}
              onSell={(leg) => choosing.open({ intent: 'sell', leg })}
            />
          )}
        </div>
        {running !== undefined && (
          <EventPanels {...running} mark={markOf(running.market, byId)} choosing={choosing} />
        )}
      </div>
      {running !== undefined && (
        <TradeSide {...running} mark={markOf(running.market, byId)} bbo={bbo} choosing={choosing} />
      )}
    </div>
  );
}

const DECIMALS = 2;

type SeriesHeadProps = {
  readonly timeline: OutcomeSeriesTimeline;
  readonly market: OutcomeMarketMeta | undefined;
  readonly byId: ReadonlyMap<number, Ticker>;
};

export function SeriesHead({ timeline, market, byId }: SeriesHeadProps) {
  const t = useWords();
  const current = shownItem(timeline);
  const last = useLastReference(market)?.toFixed(DECIMALS);
  const strike = current?.openPrice;
  const hasNone = market !== undefined && lacksStrike(market);
  const lead = isDecimal(last) && isDecimal(strike) ? subtract(last, strike) : undefined;
  return (
    <header>
      <h1 className="text-20 font-semibold text-balance break-words tablet:text-28">
        {timeline.title}
      </h1>
      {current !== undefined && (
        <dl className="mt-3 flex flex-wrap gap-x-10 gap-y-2 max-tablet:grid max-tablet:grid-cols-[repeat(3,auto)] max-tablet:gap-x-4">
          <Figure label={t('outcomes.series.price', { symbol: timeline.underlying })}>
            <Price value={last} decimals={DECIMALS} hasFlash />
          </Figure>
          <Figure label={t('outcomes.series.strike')}>
            {isDecimal(strike)
              ? number(strike, { decimals: DECIMALS })
              : hasNone
                ? t('outcomes.series.noStrike')
                : t('outcomes.series.strikeAt', { when: hourMinute(current.startTime) })}
          </Figure>
          {lead !== undefined && <Lead value={lead} />}
          {market !== undefined && market.phase !== 'upcoming' && (
            <Figure label={legName(market, 'Yes')}>{probability(markOf(market, byId))}</Figure>
          )}
          <Left startMs={current.startTime} endMs={current.endTime} />
        </dl>
      )}
    </header>
  );
}

function Lead({ value }: { readonly value: string }) {
  const t = useWords();
  const isBehind = sign(value) < 0;
  return (
    <Figure label={t(isBehind ? 'outcomes.series.behind' : 'outcomes.series.lead')}>
      <span className={colourOf(value)}>{money(magnitude(value))}</span>
    </Figure>
  );
}

function Left({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const isAhead = nowMs < startMs;
  return (
    <Figure label={t(isAhead ? 'outcomes.series.startsIn' : 'outcomes.series.left')}>
      <span title={wholeDate(isAhead ? startMs : endMs)}>
        {countdown((isAhead ? startMs : endMs) - nowMs)}
      </span>
    </Figure>
  );
}

function Figure({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="text-12 text-muted">{label}</dt>
      <dd className="text-20 font-semibold whitespace-nowrap">{children}</dd>
    </div>
  );
}

const SHOWN = 20;

function SeriesResults({ timeline }: { readonly timeline: OutcomeSeriesTimeline }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const [opened, setOpened] = useState<OutcomeTimelineItem>();
  const past = timeline.items
    .filter(({ endTime, resolutionStatus: status }) => status === 'resolved' || endTime <= nowMs)
    .slice(0, SHOWN)
    .toReversed();
  return (
    <section aria-labelledby="results">
      <h2 id="results" className="text-12 text-muted">
        {t('outcomes.series.results')}
      </h2>
      {past.length === 0 ? (
        <p className="mt-1 text-12">{t('outcomes.series.noResults')}</p>
      ) : (
        <ol className="mt-2 flex flex-wrap gap-1.5">
          {past.map((item) => (
            <li key={item.instrumentId}>
              <Dot item={item} onOpen={() => setOpened(item)} />
            </li>
          ))}
        </ol>
      )}
      <Dialog
        title={t('outcomes.receipt.label')}
        isOpen={opened !== undefined}
        onClose={() => setOpened(undefined)}
      >
        {opened !== undefined && <PastReceipt eventSlug={opened.eventSlug} />}
      </Dialog>
    </section>
  );
}

function LastPaid({ timeline }: { readonly timeline: OutcomeSeriesTimeline }) {
  const last = timeline.items.find(({ resolutionStatus: status }) => status === 'resolved');
  const { data: event } = useEvent(last?.eventSlug);
  const market = event?.markets[0];
  if (event === undefined || market === undefined) return null;
  return <PaidOut event={event} market={market} />;
}

function Dot({ item, onOpen }: Readonly<{ item: OutcomeTimelineItem; onOpen: () => void }>) {
  const t = useWords();
  const { closePrice, endTime, openPrice, winningOutcome: winner } = item;
  const isDecided = item.resolutionStatus === 'resolved';
  const result = resultOf(item, t);
  const prices =
    openPrice !== null && closePrice !== null
      ? `${number(openPrice, { decimals: 2 })} → ${number(closePrice, { decimals: 2 })}`
      : '';
  return (
    <button
      type="button"
      onClick={onOpen}
      title={`${dateTime(endTime)} ${result} ${prices}`}
      aria-label={t('outcomes.series.result', { when: clockTime(endTime), result })}
      className={classes(
        'flex size-6 items-center justify-center rounded-full border text-11',
        winner === 'Yes' && 'border-buy bg-buy/15 text-buy-strong',
        winner === 'No' && 'border-sell bg-sell/15 text-sell-strong',
        winner === null && 'border-line text-muted',
      )}
    >
      {winner === null ? (isDecided ? '=' : '·') : winner === 'Yes' ? '↑' : '↓'}
    </button>
  );
}

function resultOf(item: OutcomeTimelineItem, t: Words): string {
  const { decidedBy, probability: fraction, resolutionStatus, winningOutcome: winner } = item;
  if (winner !== null) return t(winner === 'Yes' ? 'outcomes.series.up' : 'outcomes.series.down');
  if (resolutionStatus === 'resolved') {
    return t('outcomes.series.neither', { amount: number(fraction) });
  }
  return t(decidedBy === 'operator' ? 'outcomes.series.byHand' : 'outcomes.series.pending');
}

function PastReceipt({ eventSlug }: { readonly eventSlug: string }) {
  const t = useWords();
  const { data: event } = useEvent(eventSlug);
  const market = event?.markets[0];
  if (market === undefined) return null;
  if (market.phase !== 'resolved') {
    const isByHand = market.settlement.decided_by === 'operator';
    return <p>{t(isByHand ? 'outcomes.series.waitsForOperator' : 'outcomes.series.waits')}</p>;
  }
  return <Receipt event={event} market={market} />;
}
