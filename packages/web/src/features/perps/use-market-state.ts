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
  const { data } = useQuery({
    queryKey: ['venueStatus'],
    queryFn: ({ signal }) => reader.info.venueStatus({}, { signal }),
    refetchInterval: EVERY_MS,
  });
  const oracle = data?.oracles.find(({ coin }) => coin === perp.name);
  const isTrading = oracle?.trading;
  const { closingTime, delisted, haltTrading } = perp;
  const hasChanged = isTrading !== undefined && isTrading === (haltTrading || delisted);
  const isOld = hasChanged || (delisted && closingTime === null);
  // The list of markets is asked for seldom; a halt should show at once, and the hour of a closing market.
  useEffect(() => {
    if (isOld) void queryClient.invalidateQueries({ queryKey: ['perpMeta'] });
  }, [isOld, data?.height]);
  const isClosed = delisted && closingTime !== null && closingTime <= venueNow();
  return { isStale: isTrading === true && oracle?.stale === true, isClosed };
}
