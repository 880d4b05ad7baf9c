import type { VenueStatus } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `venueStatus` takes. */
export type VenueStatusParameters = InfoParameters<'venueStatus'>;

/** Who operates the venue, its gates, the money that is nobody's, and how old its prices are. */
export function venueStatus(
  context: InfoContext,
  parameters: VenueStatusParameters = {},
  options?: InfoOptions,
): Promise<VenueStatus> {
  return queryInfo(context, { type: 'venueStatus', ...parameters }, options);
}
