import type { OutcomeEventMeta, Ticker } from '@oddlot/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { texts } from 'words:outcomes';
import { usePageTitle } from '../../lib/browser.ts';
import { countdown } from '../../lib/format.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/cells.tsx';
import { categoryName, shownEvents, useComingEvents, useEvents } from '../../market/queries.ts';
import { EventCards } from '../../market/events/event-card.tsx';
import { runningOf, SeriesCards } from '../../market/series/series-cards.tsx';
import { useOutcomeTickers } from '../../market/streams.ts';
import { reader } from '../../market/venue.ts';
import { Button, Chip, Segmented, TextField } from '../../ui/controls.tsx';
import { EventTitle } from '../../ui/figures.tsx';
import { useHotkey } from '../../ui/keyboard.tsx';
import { EmptyState, ErrorSentence, Skeleton } from '../../ui/states.tsx';
import { nameOf } from './market-facts.ts';

addWords(texts);

const SEARCH_CHARS_MAX = 100;

type Search = Readonly<{ q?: unknown; topic?: unknown; sort?: unknown; status?: unknown }>;

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
  const upcoming = ahead.filter(isSingle);
  const series = [...events, ...ahead].filter((event) => !isSingle(event));
  const byId = useOutcomeTickers(series.flatMap(({ markets }) => markets));
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
      {isLoaded && singles.length + series.length + upcoming.length === 0 && (
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
      <EventCards events={singles} heading="h2" />
      {hasMore && singles.length > 0 && (
        <div className="flex justify-center p-4">
          <Button isBusy={isLoadingMore} onClick={more}>
            {t('outcomes.find.more')}
          </Button>
        </div>
      )}
      {upcoming.length > 0 && !hasMore && <Soon events={upcoming} />}
      <div className="flex-1" />
    </div>
  );
}

type RecurringProps = {
  readonly events: readonly OutcomeEventMeta[];
  readonly byId: ReadonlyMap<number, Ticker>;
};

function Recurring({ events, byId }: RecurringProps) {
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

type FilterBarProps = {
  readonly wanted: string;
  readonly sort: Sort;
  readonly status: Status;
  readonly onChange: (part: Search) => void;
};

function FilterBar({ wanted, sort, status, onChange }: FilterBarProps) {
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

type TopicsProps = {
  readonly topics: readonly string[];
  readonly chosen: string | undefined;
  readonly onChoose: (topic: string | undefined) => void;
};

function Topics({ topics, chosen, onChoose }: TopicsProps) {
  const t = useWords();
  return (
    <div
      role="group"
      aria-label={t('outcomes.find.topics')}
      className="scroll-row flex gap-2 border-b border-line px-4 py-2"
    >
      <Chip isOn={chosen === undefined} onClick={() => onChoose(undefined)}>
        {t('outcomes.find.all')}
      </Chip>
      {topics.map((each) => (
        <Chip key={each} isOn={chosen === each} onClick={() => onChoose(each)}>
          <span className="capitalize">{categoryName(each, t)}</span>
        </Chip>
      ))}
    </div>
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

function Soon({ events }: { readonly events: readonly OutcomeEventMeta[] }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  return (
    <section aria-labelledby="soon">
      <h2 id="soon" className="border-b border-line px-4 pt-4 pb-2 text-12 text-muted">
        {t('outcomes.find.soon')}
      </h2>
      <ul>
        {events.map((event) => (
          <li
            key={event.slug}
            className="relative flex h-11 items-center gap-4 border-b border-line/50 px-4 hover:bg-raised/60"
          >
            <h3 className="min-w-0 truncate font-medium">
              <Link to={`/events/${event.slug}`} className="after:absolute after:inset-0">
                <EventTitle title={event.title} isShort />
              </Link>
            </h3>
            <span className="min-w-0 flex-1 truncate text-12 text-muted max-tablet:hidden">
              {event.markets.length > 1 &&
                event.markets.map((market) => nameOf(market, event)).join(' · ')}
            </span>
            <span className="ms-auto shrink-0 text-12 text-muted">
              {t('outcomes.find.opensIn')}{' '}
              <span className="text-13 text-text tabular-nums">
                {countdown(event.start_time - nowMs)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const SORTS = ['volume', 'newest', 'endingSoon'] as const;
type Sort = (typeof SORTS)[number];
const STATUSES = ['open', 'upcoming', 'closed', 'resolved'] as const;
type Status = (typeof STATUSES)[number];

type Sought = Readonly<{ sort: Sort; status: Status; topic: string | undefined; words: string }>;

type FoundEvents = {
  readonly events: readonly OutcomeEventMeta[];
  readonly error: Error | null;
  readonly isLoaded: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  more(): void;
};

const PAGE = 50;
/**
 * The search requests pages until it has at least this many results, because a page may be empty.
 */
const ENOUGH = 12;
const REFRESH_MS = 15_000;
const TYPING_MS = 200;

function useFoundEvents({ sort, status, topic, words }: Sought): FoundEvents {
  const query = {
    sortBy: sort,
    status,
    limit: PAGE,
    ...(topic !== undefined && { category: topic }),
    ...(words !== '' && { search: words }),
  };
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isPlaceholderData } =
    useInfiniteQuery({
      queryKey: ['outcomeMeta', 'found', query],
      queryFn: async ({ pageParam, signal }) =>
        shownEvents(await reader.info.outcomeMeta({ ...query, cursor: pageParam }, { signal })),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
      refetchInterval: REFRESH_MS,
      placeholderData: (before) => before,
    });
  const events = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.events) ?? [];
    return [...new Map(all.map((event) => [event.slug, event])).values()];
  }, [data]);
  const isShort = hasNextPage && !isPlaceholderData && events.length < ENOUGH;
  useEffect(() => {
    if (isShort && !isFetchingNextPage) void fetchNextPage();
  }, [isShort, isFetchingNextPage, fetchNextPage]);
  return {
    events,
    error,
    isLoaded: data !== undefined && !(isShort && events.length === 0),
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    more: () => void fetchNextPage(),
  };
}

function useAhead({ status, topic, words }: Sought): readonly OutcomeEventMeta[] {
  const coming = useComingEvents('start_time', { limit: PAGE, wanted: words });
  if (status !== 'open') return [];
  return coming.filter(({ category }) => topic === undefined || category === topic);
}

function useTopics(status: Status, chosen: string | undefined): readonly string[] {
  const { data } = useEvents({ status, sortBy: 'volume', limit: PAGE });
  const counts = new Map<string, number>();
  for (const { category } of data?.events ?? []) {
    if (category !== '') counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  if (chosen !== undefined && !counts.has(chosen)) counts.set(chosen, 0);
  return [...counts].sort(([, a], [, b]) => b - a).map(([topic]) => topic);
}

function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
