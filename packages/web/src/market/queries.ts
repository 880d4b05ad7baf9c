import { QueryClient, queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import {
  ApiError,
  type OutcomeEventMeta,
  type OutcomeEventPage,
  type PerpMeta,
  type PerpUniverse,
  type Settings,
} from '@oddlot/sdk';
import { connection, reader } from './venue.ts';
import { useMemo } from 'react';
import { isLike } from '../lib/typed-text.ts';

/** What changes seldom is asked for and kept; what changes all the time is in the stores. */

const META_STALE_MS = 30_000;
const LIMITED_MS = 2_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: META_STALE_MS,
      // Whether there is a network is known by trying: a venue on this machine needs none.
      networkMode: 'always',
      // The SDK has tried again already; a refusal stays one, unless it is to come back later.
      retry: (count, error) => (error instanceof ApiError ? isLimited(error) : count < 2),
      retryDelay: (count, error) =>
        error instanceof ApiError ? (error.retryAfterMs ?? LIMITED_MS) : 1_000 * 2 ** count,
    },
  },
});

// What was missed is asked for again when the venue is back.
connection.subscribe(({ status }, before) => {
  if (status === 'open' && before.status === 'lost') void queryClient.invalidateQueries();
});

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

/** All perps; who shows their states asks more often than who lists them. */
export function usePerps(everyMs = META_STALE_MS): UseQueryResult<PerpUniverse> {
  return useQuery({ ...perpsQuery, refetchInterval: everyMs });
}

export function knownPerps(): readonly PerpMeta[] {
  return queryClient.getQueryData<PerpUniverse>(['perpMeta'])?.universe ?? [];
}

/** A perp by its name (`BTC-USDC`) or its id; undefined while it is not known. */
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

export function useEvents(filter: EventFilter): UseQueryResult<OutcomeEventPage> {
  return useQuery({
    queryKey: ['outcomeMeta', filter],
    queryFn: ({ signal }) => reader.info.outcomeMeta(filter, { signal }),
    refetchInterval: META_STALE_MS,
  });
}

export function useSimulated(): ReadonlySet<string> {
  const { data } = useSettings();
  return useMemo(() => new Set(data?.simulated_accounts), [data]);
}

/** The id of the network whose money is real; its venues go by names of their own. */
const MAINNET_ID = 869;

/** Whether money is not real, by what the venue says of itself; unknown until it has said it. */
export function isTestnet(settings: { readonly chain_id: number } | undefined): boolean {
  return settings !== undefined && settings.chain_id !== MAINNET_ID;
}

/** The events that have it before them. */
const STATUSES = { start_time: 'upcoming', end_time: 'open' } as const satisfies Record<
  Moment,
  string
>;

/** Events that open or end next, the first of them first. Of more than `limit` the ones that end last are not looked at. */
export function useComingEvents(
  moment: Moment,
  { limit, wanted }: { readonly limit: number; readonly wanted: string },
): readonly OutcomeEventMeta[] {
  const { data } = useEvents({ sortBy: 'endingSoon', status: STATUSES[moment], limit });
  return comingOf(data?.events ?? [], { moment, wanted });
}

export type Moment = 'start_time' | 'end_time';

/** Those whose titles are like what is wanted, by when they open or end: the venue lists both by their end. */
export function comingOf(
  events: readonly OutcomeEventMeta[],
  { moment, wanted }: { readonly moment: Moment; readonly wanted: string },
): readonly OutcomeEventMeta[] {
  return events.filter(({ title }) => isLike(title, wanted)).sort((a, b) => a[moment] - b[moment]);
}
