import { QueryClient, queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import {
  ApiError,
  type OutcomeEventMeta,
  type OutcomeEventPage,
  type OutcomeSeriesTimeline,
  type PerpMeta,
  type PerpUniverse,
  type Settings,
} from '@oddlot/sdk';
import { connection, reader } from './venue.ts';
import { useMemo } from 'react';
import { isLike } from '../lib/typed-text.ts';
import { language, onLanguage, type Words } from '../lib/words.ts';

const META_STALE_MS = 30_000;
const LIMITED_MS = 2_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: META_STALE_MS,
      // A local venue can be reached without a network connection.
      networkMode: 'always',
      // The SDK has already retried failed requests, so a rejected query is retried here only after
      // a rate limit.
      retry: (count, error) => (error instanceof ApiError ? isLimited(error) : count < 2),
      retryDelay: (count, error) =>
        error instanceof ApiError ? (error.retryAfterMs ?? LIMITED_MS) : 1_000 * 2 ** count,
    },
  },
});

connection.subscribe(({ status }, before) => {
  if (status === 'open' && before.status === 'lost') void queryClient.invalidateQueries();
});

onLanguage(() => void queryClient.invalidateQueries());

function isLimited({ httpStatus }: ApiError): boolean {
  return httpStatus === 429;
}

const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => reader.info.settings({}, { signal }),
  staleTime: Infinity,
});
const perpsQuery = queryOptions({
  queryKey: ['perpMeta'],
  queryFn: ({ signal }) => reader.info.perpMeta({}, { signal }),
});

export function askAhead(): void {
  void queryClient.prefetchQuery(settingsQuery);
  void queryClient.prefetchQuery(perpsQuery);
}

export function useSettings(): UseQueryResult<Settings> {
  return useQuery(settingsQuery);
}

export function usePerps(everyMs = META_STALE_MS): UseQueryResult<PerpUniverse> {
  return useQuery({ ...perpsQuery, refetchInterval: everyMs });
}

export function knownPerps(): readonly PerpMeta[] {
  return queryClient.getQueryData<PerpUniverse>(['perpMeta'])?.universe ?? [];
}

export function usePerp(nameOrId: string): PerpMeta | undefined {
  const wanted = nameOrId.toUpperCase();
  return usePerps().data?.universe.find(
    ({ index, name }) => name.toUpperCase() === wanted || String(index) === wanted,
  );
}

type EventFilter = {
  readonly sortBy?: 'volume' | 'trending' | 'liquidity' | 'newest' | 'endingSoon';
  readonly status?: 'upcoming' | 'open' | 'closed' | 'resolved' | 'all';
  readonly tag?: string;
  readonly limit?: number;
};

function eventsQuery(filter: EventFilter) {
  return queryOptions({
    queryKey: ['outcomeMeta', filter],
    queryFn: async ({ signal }) => shownEvents(await reader.info.outcomeMeta(filter, { signal })),
  });
}

/** Translates the venue's demo events. The texts are loaded if the page is not in English. */
export async function shownEvents<Page extends Pick<OutcomeEventPage, 'events'>>(
  page: Page,
): Promise<Page> {
  if (language() === 'en') return page;
  const { translated } = await import('./events/demo-texts.ts');
  return { ...page, events: page.events.map(translated) };
}

/** Translates the title of one of the venue's series. */
export async function shownTimeline(
  timeline: OutcomeSeriesTimeline,
): Promise<OutcomeSeriesTimeline> {
  if (language() === 'en') return timeline;
  const { seriesTitle } = await import('./events/demo-texts.ts');
  return { ...timeline, title: seriesTitle(timeline.seriesSlug, timeline.title) };
}

/** Returns the name of a category. The page translates the common ones. */
export function categoryName(category: string, t: Words): string {
  const known = CATEGORIES.find((each) => each === category);
  return known === undefined ? category : t(`categories.${known}`);
}
const CATEGORIES = ['weather', 'economy', 'sports', 'crypto', 'politics'] as const;

export function useEvents(filter: EventFilter): UseQueryResult<OutcomeEventPage> {
  return useQuery({ ...eventsQuery(filter), refetchInterval: META_STALE_MS });
}

/** Requests events again, or joins a pending request for them. */
export async function askEvents(filter: EventFilter): Promise<readonly OutcomeEventMeta[]> {
  const { events } = await queryClient.fetchQuery({ ...eventsQuery(filter), staleTime: 0 });
  return events;
}

export function useSimulated(): ReadonlySet<string> {
  const { data } = useSettings();
  return useMemo(() => new Set(data?.simulated_accounts), [data]);
}

const MAINNET_ID = 869;

export function isTestnet(settings: { readonly chain_id: number } | undefined): boolean {
  return settings !== undefined && settings.chain_id !== MAINNET_ID;
}

const STATUSES = { start_time: 'upcoming', end_time: 'open' } as const satisfies Record<
  Moment,
  string
>;

export function useComingEvents(
  moment: Moment,
  { limit, wanted }: { readonly limit: number; readonly wanted: string },
): readonly OutcomeEventMeta[] {
  const { data } = useEvents({ sortBy: 'endingSoon', status: STATUSES[moment], limit });
  return comingOf(data?.events ?? [], { moment, wanted });
}

export type Moment = 'start_time' | 'end_time';

export function comingOf(
  events: readonly OutcomeEventMeta[],
  { moment, wanted }: { readonly moment: Moment; readonly wanted: string },
): readonly OutcomeEventMeta[] {
  return events.filter(({ title }) => isLike(title, wanted)).sort((a, b) => a[moment] - b[moment]);
}
