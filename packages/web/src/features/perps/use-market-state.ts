import { useQuery } from '@tanstack/react-query';
import { usePerps } from '../../market/queries.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { useDesk } from './desk.ts';

/** A halt should show before somebody has typed an order. */
const EVERY_MS = 3_000;

export type MarketState = {
  /** R-oracle-stale: the venue has no fresh price, so it takes no new risk. */
  readonly isStale: boolean;
  /** Nothing can be done here any more: all positions were settled. */
  readonly isClosed: boolean;
};

/** How the market is, beside its prices. */
export function useMarketState(): MarketState {
  const { closingTime, delisted, name } = useDesk().perp;
  usePerps(EVERY_MS);
  const { data } = useQuery({
    queryKey: ['venueStatus'],
    queryFn: ({ signal }) => reader.info.venueStatus({}, { signal }),
    refetchInterval: EVERY_MS,
  });
  const oracle = data?.oracles.find(({ coin }) => coin === name);
  return {
    isStale: oracle?.trading === true && oracle.stale,
    isClosed: delisted && closingTime !== null && closingTime <= venueNow(),
  };
}
