import type {
  Leg,
  OutcomeEventMeta,
  OutcomeOpenOrder,
  OutcomeProbability,
  OutcomeResolution,
  OutcomeSeriesTimeline,
  OutcomeTimelineItem,
} from '@oddlot/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { subtract, sum } from '../../lib/decimal.ts';
import { accountStates, openOutcomeOrders } from '../../market/account.ts';
import { queryClient, shownEvents, shownTimeline } from '../../market/queries.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { useSession, type Session } from '../../session/session.ts';
import { holdingsOf, sharesOf, type Holding } from './market-facts.ts';

const CALM_MS = 5_000;
const TENSE_MS = 1_500;
const TENSE_BEFORE_END_MS = 5_000;

export function useEvent(eventSlug: string | undefined): UseQueryResult<OutcomeEventMeta> {
  return useQuery({
    queryKey: ['outcomeEvent', eventSlug],
    queryFn: async ({ signal }) => {
      const asked = { eventSlug: eventSlug ?? '' };
      const event = await reader.info.outcomeEvent(asked, { signal });
      return (await shownEvents({ events: [event] })).events[0]!;
    },
    enabled: eventSlug !== undefined,
    refetchInterval: ({ state }) => eventPace(state.data, venueNow()),
  });
}

export function useOwner(marketSlug: string | undefined): UseQueryResult<OutcomeEventMeta | null> {
  return useQuery({
    queryKey: ['outcomeOwner', marketSlug],
    queryFn: async ({ signal }) => {
      const query = { marketSlugs: [marketSlug ?? ''], markets: 'event' as const };
      const { events } = await reader.info.outcomeMeta(query, { signal });
      return events[0] ?? null;
    },
    enabled: marketSlug !== undefined,
  });
}

export function eventPace(event: OutcomeEventMeta | undefined, nowMs: number): number | false {
  if (event === undefined) return CALM_MS;
  if (event.status === 'resolved') return false;
  const isTense = event.markets.some(
    ({ end_time: end, phase }) =>
      phase === 'closed' || (phase !== 'resolved' && end - nowMs < TENSE_BEFORE_END_MS),
  );
  return isTense ? TENSE_MS : CALM_MS;
}

export function useAskAfterRemoval(event: OutcomeEventMeta, inSight: ReadonlySet<number>): void {
  const known = useRef<ReadonlySet<number>>(new Set());
  const { slug } = event;
  useEffect(() => {
    const hasRemoval = [...known.current].some((id) => !inSight.has(id));
    known.current = inSight;
    if (hasRemoval) void queryClient.invalidateQueries({ queryKey: ['outcomeEvent', slug] });
  }, [inSight, slug]);
}

export const RANGES = { '1H': '1h', '6H': '6h', '1D': '1d', '1W': '1w', All: 'max' } as const;
export type Range = keyof typeof RANGES;
const PROBABILITY_MS = 20_000;
const MINUTE_MS = 60_000;
const FIDELITY: Readonly<Record<Range, number>> = {
  '1H': 1,
  '6H': 5,
  '1D': 10,
  '1W': 60,
  All: 720,
};
const POINTS_WANTED = 200;

export function fidelityOf(range: Range, ageMs: number): number {
  const closest = Math.max(1, Math.ceil(ageMs / MINUTE_MS / POINTS_WANTED));
  return Math.min(FIDELITY[range], closest);
}

export function useProbabilities(
  instrumentIds: readonly number[],
  range: Range,
  startMs: number,
): UseQueryResult<OutcomeProbability> {
  return useQuery({
    queryKey: ['outcomeProbability', instrumentIds, range],
    queryFn: ({ signal }) =>
      reader.info.outcomeProbability(
        {
          instrumentIds: [...instrumentIds],
          interval: RANGES[range],
          fidelity: fidelityOf(range, venueNow() - startMs),
        },
        { signal },
      ),
    enabled: instrumentIds.length > 0,
    refetchInterval: PROBABILITY_MS,
    placeholderData: (before) => before,
  });
}

export function useResolution(instrumentId: number | undefined): UseQueryResult<OutcomeResolution> {
  return useQuery({
    queryKey: ['outcomeResolution', instrumentId],
    queryFn: ({ signal }) =>
      reader.info.outcomeResolution({ instrumentId: instrumentId ?? 0 }, { signal }),
    enabled: instrumentId !== undefined,
  });
}

const RESULTS = 20;

export function useTimeline(seriesSlug: string | undefined): UseQueryResult<OutcomeSeriesTimeline> {
  return useQuery({
    queryKey: ['outcomeSeriesTimeline', seriesSlug],
    queryFn: async ({ signal }) => {
      const asked = { seriesSlug: seriesSlug ?? '', limit: RESULTS + 10 };
      return shownTimeline(await reader.info.outcomeSeriesTimeline(asked, { signal }));
    },
    enabled: seriesSlug !== undefined,
    refetchInterval: ({ state }) => timelinePace(state.data, venueNow()),
  });
}

function timelinePace(timeline: OutcomeSeriesTimeline | undefined, nowMs: number): number {
  const isTense = timeline?.items.some(
    ({ endTime, resolutionStatus: status }) =>
      status === 'prepared' && endTime - nowMs < TENSE_BEFORE_END_MS,
  );
  return isTense === true ? TENSE_MS : CALM_MS;
}

export function shownItem(timeline: OutcomeSeriesTimeline): OutcomeTimelineItem | undefined {
  if (timeline.current !== null) return timeline.current;
  const nowMs = venueNow();
  return timeline.items.findLast(
    ({ endTime, resolutionStatus: status }) => status === 'prepared' && endTime > nowMs,
  );
}

export type Funds = {
  readonly session: Session | undefined;
  readonly cash: string | undefined;
  readonly perpCash: string | undefined;
  readonly holdings: readonly Holding[];
  readonly orders: readonly OutcomeOpenOrder[];
  readonly freeShares: (leg: Leg) => string;
};

export function useFunds(instrumentId: number): Funds {
  const session = useSession();
  const user = session?.address;
  const state = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'outcome' },
    (account) => account.state,
  );
  const perpCash = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'perp' },
    (account) => account.state?.withdrawable,
  );
  const all = openOutcomeOrders.use(user, ({ orders }) => orders);
  const orders = all.filter((order) => order.instrumentId === instrumentId);
  const holdings = holdingsOf(state, instrumentId);
  const freeShares = (leg: Leg): string => {
    const offered = orders.filter(({ outcome, reduceOnly }) => reduceOnly && outcome === leg);
    return subtract(sharesOf(holdings, leg), sum(offered.map(({ sz }) => sz)));
  };
  return { session, cash: state?.withdrawable, perpCash, holdings, orders, freeShares };
}
