import { texts } from 'words:outcomes';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ApiError, type OutcomeSeriesTimeline } from '@oddlot/sdk';
import { usePageTitle } from '../../lib/use-page-title.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { outcomePrices } from '../../market/contexts.ts';
import { tickers } from '../../market/tickers.ts';
import { venueNow } from '../../market/venue.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { EventPanels } from './event-panels.tsx';
import { Holdings } from './holdings.tsx';
import { markOf, withLiveStrike } from './market-facts.ts';
import { shownItem, useEvent, useTimeline } from './queries.ts';
import { SeriesChart } from './series-chart.tsx';
import { SeriesHead } from './series-head.tsx';
import { LastPaid, SeriesResults } from './series-results.tsx';
import { TradeSide } from './trade-side.tsx';
import { useChoice, type ChoiceSearch } from './use-choice.ts';

addWords(texts);

const UNKNOWN_SERIES = 10_017;

/** A question that is asked again and again: the price against the strike, and the running market. */
export function Screen() {
  const t = useWords();
  const { slug = '' }: { readonly slug?: string } = useParams({ strict: false });
  const { data, error, isPending } = useTimeline(slug);
  usePageTitle(data?.title);
  if (data !== undefined) return <Series timeline={data} />;
  if (isPending) {
    return (
      <div className="flex h-full items-center justify-center text-muted">
        <Spinner />
      </div>
    );
  }
  if (error instanceof ApiError && error.code === UNKNOWN_SERIES) {
    return (
      <EmptyState
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
  return (
    <div className="p-4">
      <ErrorSentence error={error} />
    </div>
  );
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
  // Before it opens there is no book to look at, but how it works.
  const isAhead = current !== undefined && current.startTime > venueNow();
  const choosing = useChoice(search, set, isAhead ? 'rules' : 'book');
  const { data: event } = useEvent(current?.eventSlug);
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
            <SeriesChart timeline={timeline} current={current} market={market} />
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
