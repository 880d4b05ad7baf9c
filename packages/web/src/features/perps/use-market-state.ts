import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryClient } from '../../market/queries.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { useDesk } from './desk.ts';

const EVERY_MS = 4_000;

export type MarketState = {
  /** R-oracle-stale: the venue has no fresh price, so it takes no new risk. */
  readonly isStale: boolean;
  /** Nothing can be done here any more: all positions were settled. */
  readonly isClosed: boolean;
};

/** How the market is, beside its prices. */
export function useMarketState(): MarketState {
  const { perp } = useDesk();
  const oracle = useQuery({
    queryKey: ['venueStatus'],
    queryFn: ({ signal }) => reader.info.venueStatus({}, { signal }),
    refetchInterval: EVERY_MS,
  }).data?.oracles.find(({ coin }) => coin === perp.name);
  const isTrading = oracle?.trading;
  const isOld = isTrading !== undefined && isTrading === (perp.haltTrading || perp.delisted);
  // The list of markets is asked for seldom; a halt should show at once.
  useEffect(() => {
    if (isOld) void queryClient.invalidateQueries({ queryKey: ['perpMeta'] });
  }, [isOld]);
  const isClosed = perp.delisted && perp.closingTime !== null && perp.closingTime <= venueNow();
  return { isStale: isTrading === true && oracle?.stale === true, isClosed };
}
