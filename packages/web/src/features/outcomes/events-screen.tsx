import { texts } from 'words:outcomes';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import type { OutcomeEventMeta, Ticker } from '@oddlot/sdk';
import { usePageTitle } from '../../lib/use-page-title.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { useOutcomeTickers } from '../../market/outcome-tickers.ts';
import { SeriesCards } from '../../market/series/series-cards.tsx';
import { runningOf } from '../../market/series/use-running-series.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/spinner.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useHotkey } from '../../ui/use-hotkey.ts';
import { EventTile } from './event-tile.tsx';
import { Soon } from './soon.tsx';
import {
  SORTS,
  STATUSES,
  useAhead,
  useFoundEvents,
  useSettled,
  useTopics,
  type Sort,
  type Status,
} from './use-found-events.ts';

addWords(texts);

/** As much text as the venue looks for. */
const SEARCH_CHARS_MAX = 100;

type Search = {
  readonly q?: unknown;
  readonly topic?: unknown;
  readonly sort?: unknown;
  readonly status?: unknown;
};

/** Everything that can be asked about the world here, to be found by topic, word and order. */
export function Screen() {
  const t = useWords();
  usePageTitle(t('nav.events'));
  const navigate = useNavigate();
  const search: Search = useSearch({ strict: false });
  const wanted = typeof search.q === 'string' ? search.q.slice(0, SEARCH_CHARS_MAX) : '';
  const topic = typeof search.topic === 'string' ? search.topic : undefined;
  const sort = SORTS.find((each) => each === search.sort) ?? 'volume';
  const status = STATUSES.find((each) => each === search.status) ?? 'open';
  const set = (part: Search): void => {
    void navigate({ to: '/events', search: { ...search, ...part }, replace: true });
  };
  const sought = { sort, status, topic, words: useSettled(wanted.trim()) };
  const { events, error, hasMore, isLoaded, isLoadingMore, more } = useFoundEvents(sought);
  const topics = useTopics(status, topic);
  const ahead = useAhead(sought);
  const isSingle = (event: OutcomeEventMeta): boolean => {
    return event.series_slug === null || status !== 'open';
  };
  const singles = events.filter(isSingle);
  const soon = ahead.filter(isSingle);
  const series = [...events, ...ahead].filter((event) => !isSingle(event));
  const byId = useOutcomeTickers([...series, ...singles].flatMap(({ markets }) => markets));
  const isFiltered = wanted !== '' || topic !== undefined;
  return (
    <div className="flex min-h-full flex-col">
      <FilterBar wanted={wanted} sort={sort} status={status} onChange={set} />
      {topics.length > 1 && (
        <Topics topics={topics} chosen={topic} onChoose={(next) => set({ topic: next })} />
      )}
      {error !== null && (
        <div className="p-4">
          <ErrorSentence error={error} />
        </div>
      )}
      {!isLoaded && error === null && <Loading />}
      {isLoaded && singles.length + series.length + soon.length === 0 && (
        <EmptyState
          title={t(isFiltered ? 'outcomes.find.nothing' : 'outcomes.find.none')}
          text={t(isFiltered ? 'outcomes.find.nothingText' : `outcomes.find.${status}None`)}
          action={
            isFiltered && (
              <Button onClick={() => set({ q: undefined, topic: undefined })}>
                {t('outcomes.find.clear')}
              </Button>
            )
          }
        />
      )}
      {series.length > 0 && <Recurring events={series} byId={byId} />}
      <Grid>
        {singles.map((event) => (
          <EventTile key={event.slug} event={event} byId={byId} />
        ))}
      </Grid>
      {hasMore && singles.length > 0 && (
        <div className="flex justify-center p-4">
          <Button isBusy={isLoadingMore} onClick={more}>
            {t('outcomes.find.more')}
          </Button>
        </div>
      )}
      {soon.length > 0 && !hasMore && <Soon events={soon} />}
      <div className="flex-1" />
    </div>
  );
}

/** Series come round by themselves: each once, with the market that runs. */
function Recurring({
  events,
  byId,
}: {
  readonly events: readonly OutcomeEventMeta[];
  readonly byId: ReadonlyMap<number, Ticker>;
}) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const series = runningOf(events, nowMs);
  return (
    <section aria-labelledby="series" className="border-b border-line">
      <h2 id="series" className="px-4 pt-3 pb-2 text-12 text-muted">
        {t('outcomes.series.recurring')}
      </h2>
      <ul className="flex gap-px overflow-x-auto border-t border-line bg-line [&>li]:min-w-80 [&>li]:flex-1">
        <SeriesCards series={series} byId={byId} nowMs={nowMs} />
      </ul>
    </section>
  );
}

function FilterBar({
  wanted,
  sort,
  status,
  onChange,
}: {
  readonly wanted: string;
  readonly sort: Sort;
  readonly status: Status;
  readonly onChange: (part: Search) => void;
}) {
  const t = useWords();
  const field = useRef<HTMLInputElement>(null);
  useHotkey('/', () => field.current?.focus());
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-3 border-b border-line px-4 py-3">
      <h1 className="text-20 font-semibold">{t('nav.events')}</h1>
      <div className="w-60 max-tablet:w-full">
        <TextField
          ref={field}
          label={t('outcomes.find.search')}
          isLabelHidden
          type="search"
          placeholder={t('outcomes.find.search')}
          value={wanted}
          onChange={(q) => onChange({ q: q === '' ? undefined : q })}
        />
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-2 tablet:ms-auto">
        <Segmented
          label={t('outcomes.find.sort')}
          size="small"
          value={sort}
          onChange={(next) => onChange({ sort: next === 'volume' ? undefined : next })}
          segments={SORTS.map((value) => ({ value, label: t(`outcomes.find.${value}`) }))}
        />
        <Segmented
          label={t('outcomes.find.status')}
          size="small"
          value={status}
          onChange={(next) => onChange({ status: next === 'open' ? undefined : next })}
          segments={STATUSES.map((value) => ({ value, label: t(`outcomes.find.${value}`) }))}
        />
      </div>
    </div>
  );
}

function Topics({
  topics,
  chosen,
  onChoose,
}: {
  readonly topics: readonly string[];
  readonly chosen: string | undefined;
  readonly onChoose: (topic: string | undefined) => void;
}) {
  const t = useWords();
  return (
    <div
      role="group"
      aria-label={t('outcomes.find.topics')}
      className="flex gap-2 overflow-x-auto border-b border-line px-4 py-2"
    >
      <Chip isOn={chosen === undefined} onClick={() => onChoose(undefined)}>
        {t('outcomes.find.all')}
      </Chip>
      {topics.map((each) => (
        <Chip key={each} isOn={chosen === each} onClick={() => onChoose(each)}>
          <span className="capitalize">{each}</span>
        </Chip>
      ))}
    </div>
  );
}

function Grid({ children }: { readonly children: React.ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <ul className="grid border-b border-line tablet:grid-cols-2 desktop:grid-cols-3 wide:grid-cols-4">
      {children}
    </ul>
  );
}

function Loading() {
  return (
    <ul aria-hidden="true" className="grid gap-px bg-line tablet:grid-cols-2 desktop:grid-cols-3">
      {[1, 2, 3, 4, 5, 6].map((each) => (
        <li key={each} className="h-44 bg-panel p-4">
          <Skeleton width="70%" />
        </li>
      ))}
    </ul>
  );
}
