import type { VenueHealth } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `venueHealth` takes. */
export type VenueHealthParameters = InfoParameters<'venueHealth'>;

/** How the process does that answers: its lag, who listens, and whether it follows the settlement chain. */
export function venueHealth(
  context: InfoContext,
  parameters: VenueHealthParameters = {},
  options?: InfoOptions,
): Promise<VenueHealth> {
  return queryInfo(context, { type: 'venueHealth', ...parameters }, options);
}
