import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { VenueStatus } from '@oddlot/sdk';
import { reader } from '../../market/venue.ts';

const EVERY_MS = 2_000;

/** Who operates the venue, and how it does. */
export function useStatus(): UseQueryResult<VenueStatus> {
  return useQuery({
    queryKey: ['venueStatus'],
    queryFn: ({ signal }) => reader.info.venueStatus({}, { signal }),
    refetchInterval: EVERY_MS,
  });
}
