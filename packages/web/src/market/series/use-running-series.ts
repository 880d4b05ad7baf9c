import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { OutcomeEventMeta, OutcomeMarketMeta, OutcomeSeriesTimeline } from '@oddlot/sdk';
import { reader, venueNow } from '../venue.ts';

export type RunningSeries = {
  readonly slug: string;
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
};

const LOOKED_AT_MAX = 50;

/** Series come round by themselves: each once, those that end first before the others. */
export function useRunningSeries(nowMs: number): readonly RunningSeries[] {
  const { data = [] } = useQuery({
    queryKey: ['runningSeries'],
    // Both at once: one that opens between two questions would be in neither answer.
    queryFn: async ({ signal }) => {
      const asked = (['upcoming', 'open'] as const).map((status) =>
        reader.info.outcomeMeta({ status, sortBy: 'endingSoon', limit: LOOKED_AT_MAX }, { signal }),
      );
      return (await Promise.all(asked)).flatMap(({ events }) => events);
    },
    refetchInterval: CALM_MS,
  });
  return runningOf(data, nowMs);
}

export function runningOf(
  events: readonly OutcomeEventMeta[],
  nowMs: number,
): readonly RunningSeries[] {
  const next = new Map<string, RunningSeries>();
  for (const event of events) {
    const { end_time: end, markets, series_slug: slug } = event;
    const [market] = markets;
    if (slug === null || market === undefined || end <= nowMs) continue;
    const known = next.get(slug);
    if (known === undefined || end < known.event.end_time) next.set(slug, { slug, event, market });
  }
  return [...next.values()].sort(
    (a, b) => a.event.end_time - b.event.end_time || (a.slug < b.slug ? -1 : 1),
  );
}

/** As many results as a card has dots for, and those that are to come. */
const ITEMS = 14;
const CALM_MS = 15_000;
/** Around a start and an end the strike and the result are about to come. */
const TENSE_MS = 2_500;
const TENSE_FOR_MS = 20_000;

export function useSeriesTimeline(seriesSlug: string): UseQueryResult<OutcomeSeriesTimeline> {
  return useQuery({
    queryKey: ['outcomeSeriesTimeline', 'card', seriesSlug],
    queryFn: ({ signal }) =>
      reader.info.outcomeSeriesTimeline({ seriesSlug, limit: ITEMS }, { signal }),
    refetchInterval: ({ state }) => (isTense(state.data, venueNow()) ? TENSE_MS : CALM_MS),
  });
}

function isTense(timeline: OutcomeSeriesTimeline | undefined, nowMs: number): boolean {
  return (
    timeline?.items.some(({ endTime, startTime }) =>
      [startTime, endTime].some((at) => Math.abs(nowMs - at) < TENSE_FOR_MS),
    ) === true
  );
}
