import type { OutcomeEventMeta } from '@oddlot/sdk';
import { useEvents } from './queries.ts';
import { isLike } from '../lib/typed-text.ts';

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

/** What an event can have before it. */
export type Moment = 'start_time' | 'end_time';

/** Those whose titles are like what is wanted, by when they open or end: the venue lists both by their end. */
export function comingOf(
  events: readonly OutcomeEventMeta[],
  { moment, wanted }: { readonly moment: Moment; readonly wanted: string },
): readonly OutcomeEventMeta[] {
  return events.filter(({ title }) => isLike(title, wanted)).sort((a, b) => a[moment] - b[moment]);
}
