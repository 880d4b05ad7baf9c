import type { OutcomeEventMeta } from '@oddlot/sdk';
import { isLike } from '../lib/is-like.ts';
import { useEvents } from './queries.ts';

/** What an event can have before it, and the events that have. */
const STATUSES = { start_time: 'upcoming', end_time: 'open' } as const;

export type Moment = keyof typeof STATUSES;

/**
 * Events that open or end next, the first of them first. The venue lists them by their end, also those that have yet to
 * open: of more than `limit` the ones that end last are not looked at.
 */
export function useComingEvents(
  moment: Moment,
  { limit, wanted }: { readonly limit: number; readonly wanted: string },
): readonly OutcomeEventMeta[] {
  const { data } = useEvents({ sortBy: 'endingSoon', status: STATUSES[moment], limit });
  return (data?.events ?? [])
    .filter(({ title }) => isLike(title, wanted))
    .sort((a, b) => a[moment] - b[moment]);
}
