import type { OutcomeEventMeta } from '@oddlot/sdk';
import type { Moment } from '../../market/coming-of.ts';
import { useComingEvents } from '../../market/use-coming-events.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';

/** Some of them are of series, which stand in a section of their own with their countdown. */
const LOOKED_AT = 20;

/** The events outside of series that open or end next, and the time that their countdowns count from. */
export function useNextSingles(
  moment: Moment,
  { most, wanted }: { readonly most: number; readonly wanted: string },
): { readonly events: readonly OutcomeEventMeta[]; readonly nowMs: number } {
  const nowMs = useVenueSecond();
  const events = useComingEvents(moment, { limit: LOOKED_AT, wanted })
    .filter((event) => event.series_slug === null && event[moment] > nowMs)
    .slice(0, most);
  return { events, nowMs };
}
