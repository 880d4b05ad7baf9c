import type { OutcomeEventMeta } from '@oddlot/sdk';
import { comingOf, type Moment } from './coming-of.ts';
import { useEvents } from './queries.ts';

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
