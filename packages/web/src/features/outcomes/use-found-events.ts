import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { OutcomeEventMeta } from '@oddlot/sdk';
import { useEvents } from '../../market/queries.ts';
import { useComingEvents } from '../../market/use-coming-events.ts';
import { reader } from '../../market/venue.ts';

export const SORTS = ['volume', 'newest', 'endingSoon'] as const;
export type Sort = (typeof SORTS)[number];
export const STATUSES = ['open', 'upcoming', 'closed', 'resolved'] as const;
export type Status = (typeof STATUSES)[number];

type Sought = {
  readonly sort: Sort;
  readonly status: Status;
  readonly topic: string | undefined;
  readonly words: string;
};

type FoundEvents = {
  readonly events: readonly OutcomeEventMeta[];
  readonly error: Error | null;
  readonly isLoaded: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  more(): void;
};

const PAGE = 50;
/** A search goes on by itself until it has so many: a page of the venue may be empty on the way. */
const ENOUGH = 12;
const REFRESH_MS = 15_000;
const TYPING_MS = 200;

/** Events as the venue lists them, a page at a time. */
export function useFoundEvents({ sort, status, topic, words }: Sought): FoundEvents {
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
      queryFn: ({ pageParam, signal }) =>
        reader.info.outcomeMeta({ ...query, cursor: pageParam }, { signal }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
      refetchInterval: REFRESH_MS,
      placeholderData: (before) => before,
    });
  // An event whose key moved between two pages may be on both.
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

/** What opens next is told of with what is open. */
export function useAhead({ status, topic, words }: Sought): readonly OutcomeEventMeta[] {
  const coming = useComingEvents('start_time', { limit: PAGE, wanted: words });
  if (status !== 'open') return [];
  return coming.filter(({ category }) => topic === undefined || category === topic);
}

/** The categories that there are, the most frequent first; the chosen one stays in sight. */
export function useTopics(status: Status, chosen: string | undefined): readonly string[] {
  const { data } = useEvents({ status, sortBy: 'volume', limit: PAGE });
  const counts = new Map<string, number>();
  for (const { category } of data?.events ?? []) {
    if (category !== '') counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  if (chosen !== undefined && !counts.has(chosen)) counts.set(chosen, 0);
  return [...counts].sort(([, a], [, b]) => b - a).map(([topic]) => topic);
}

/** What is typed, once nobody types any more. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
