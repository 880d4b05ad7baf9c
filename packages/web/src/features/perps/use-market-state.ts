import { useQuery } from '@tanstack/react-query';
import { usePerps } from '../../market/queries.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { useTradedPerp } from './traded-perp.ts';

/** A halt should show before somebody has typed an order. */
const EVERY_MS = 3_000;
/** The channel of gates that perps are. */
const PERPS = 0;

type MarketState = {
  /** R-oracle-stale: the venue has no fresh price, so it takes no new risk. */
  readonly isStale: boolean;
  /** R-gate: the operator closed perps to new risk, for everybody. */
  readonly isGateClosed: boolean;
  /** Nothing can be done here any more: all positions were settled. */
  readonly isClosed: boolean;
};

/** Whether the market can be traded, and by prices that are fresh. */
export function useMarketState(): MarketState {
  const { closingTime, delisted, name } = useTradedPerp().perp;
  usePerps(EVERY_MS);
  const { data } = useQuery({
    queryKey: ['venueStatus'],
    queryFn: ({ signal }) => reader.info.venueStatus({}, { signal }),
    refetchInterval: EVERY_MS,
  });
  const oracle = data?.oracles.find(({ coin }) => coin === name);
  return {
    isStale: oracle?.trading === true && oracle.stale,
    isGateClosed: data?.gates.find(({ channel }) => channel === PERPS)?.mode === 'closed',
    isClosed: delisted && closingTime !== null && closingTime <= venueNow(),
  };
}
