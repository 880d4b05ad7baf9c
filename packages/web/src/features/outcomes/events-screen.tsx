import { texts } from 'words:outcomes';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import type { OutcomeEventMeta } from '@oddlot/sdk';
import { usePageTitle } from '../../lib/page-title.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { useEvents } from '../../market/queries.ts';
import { tickers } from '../../market/tickers.ts';
import { reader } from '../../market/venue.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/spinner.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useHotkey } from '../../ui/use-hotkey.ts';
import { EventTile } from './event-tile.tsx';
import { SeriesStrip } from './series-strip.tsx';

addWords(texts);

const SORTS = ['volume', 'newest', 'endingSoon'] as const;
type Sort = (typeof SORTS)[number];
const STATUSES = ['open', 'upcoming', 'resolved'] as const;
type Status = (typeof STATUSES)[number];
const PAGE = 50;
const REFRESH_MS = 15_000;
/** As many markets as one subscription takes. */
const MARKETS_MAX = 50;

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
  const wanted = typeof search.q === 'string' ? search.q : '';
  const topic = typeof search.topic === 'string' ? search.topic : undefined;
  const sort = SORTS.find((each) => each === search.sort) ?? 'volume';
  const status = STATUSES.find((each) => each === search.status) ?? 'open';
  const set = (part: Search): void => {
    void navigate({ to: '/events', search: { ...search, ...part }, replace: true });
  };
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useAllEvents(
    sort,
    status,
  );
  const all = useMemo(() => data?.pages.flatMap(({ events }) => events) ?? [], [data]);
  const topics = useMemo(() => topicsOf(all), [all]);
  const found = all.filter((event) => isFound(event, wanted, topic));
  const singles = found.filter((event) => event.series_slug === null || status !== 'open');
  // A series that starts later is told of too: it is what comes round next.
  const { data: ahead } = useEvents({ status: 'upcoming', sortBy: 'endingSoon', limit: PAGE });
  const recurring = [...found, ...(ahead?.events ?? [])].filter(
    (event) => event.series_slug !== null && isFound(event, wanted, topic),
  );
  const series = status === 'open' ? recurring : [];
  const byId = useTickers(found);
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
      {data === undefined && error === null && <Loading />}
      {data !== undefined && found.length === 0 && (
        <EmptyState
          title={t(all.length === 0 ? 'outcomes.find.none' : 'outcomes.find.nothing')}
          text={all.length === 0 ? t(`outcomes.find.${status}None`) : undefined}
        />
      )}
      {series.length > 0 && <SeriesStrip events={series} byId={byId} />}
      <Grid>
        {singles.map((event) => (
          <EventTile key={event.slug} event={event} byId={byId} />
        ))}
      </Grid>
      {hasNextPage && (
        <div className="flex justify-center p-4">
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('outcomes.find.more')}
          </Button>
        </div>
      )}
      <div className="flex-1" />
    </div>
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
      <div className="flex flex-wrap gap-x-6 gap-y-2 tablet:ml-auto">
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
    <ul className="grid tablet:grid-cols-2 desktop:grid-cols-3 wide:grid-cols-4">{children}</ul>
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

function useAllEvents(sortBy: Sort, status: Status) {
  return useInfiniteQuery({
    queryKey: ['outcomeMeta', 'all', sortBy, status],
    queryFn: ({ pageParam, signal }) =>
      reader.info.outcomeMeta({ sortBy, status, limit: PAGE, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
    refetchInterval: REFRESH_MS,
  });
}

function useTickers(events: readonly OutcomeEventMeta[]) {
  const ids = events
    .flatMap(({ markets }) => markets.map(({ instrument_id: id }) => id))
    .slice(0, MARKETS_MAX)
    .sort((a, b) => a - b);
  return tickers.use(
    ids.length === 0 ? undefined : { accountType: 'outcome', instrumentIds: ids },
    (state) => state.byId,
  );
}

/** Categories and tags, the most frequent first. */
function topicsOf(events: readonly OutcomeEventMeta[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { category, tags } of events) {
    for (const topic of new Set([category, ...tags])) {
      if (topic !== '') counts.set(topic, (counts.get(topic) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([topic]) => topic);
}

function isFound(event: OutcomeEventMeta, wanted: string, topic: string | undefined): boolean {
  const { category, markets, tags, title } = event;
  if (topic !== undefined && category !== topic && !tags.includes(topic)) return false;
  const questions = markets.flatMap(({ group_title: group, question }) => [question, group ?? '']);
  const text = [title, category, ...tags, ...questions].join(' ').toLowerCase();
  return text.includes(wanted.trim().toLowerCase());
}
