import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { GateLists, Reserves, VenueGate, VenueHealth, VenueStatus } from '@oddlot/sdk';
import { reader } from '../../market/venue.ts';

const EVERY_MS = 2_000;
const RESERVES_EVERY_MS = 10_000;

export function useStatus(): UseQueryResult<VenueStatus> {
  return useQuery({
    queryKey: ['venueStatus'],
    queryFn: ({ signal }) => reader.info.venueStatus({}, { signal }),
    refetchInterval: EVERY_MS,
  });
}

/** Whom the lists of a gate name; read again when their lengths change. */
export function useGateLists(gate: VenueGate): UseQueryResult<GateLists> {
  const { accessCodes, blacklist, channel, grants, whitelist } = gate;
  return useQuery({
    queryKey: ['gateLists', channel, accessCodes, blacklist, grants, whitelist],
    queryFn: ({ signal }) => reader.info.gateLists({ channel }, { signal }),
    placeholderData: (before) => before,
  });
}

export function useHealth(): UseQueryResult<VenueHealth> {
  return useQuery({
    queryKey: ['venueHealth'],
    queryFn: ({ signal }) => reader.info.venueHealth({}, { signal }),
    refetchInterval: EVERY_MS,
  });
}

export function useReserves(): UseQueryResult<Reserves> {
  return useQuery({
    queryKey: ['reserves'],
    queryFn: ({ signal }) => reader.info.reserves({}, { signal }),
    refetchInterval: RESERVES_EVERY_MS,
  });
}
