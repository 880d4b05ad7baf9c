import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { usePerps } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import type { NameOf } from './tx-words.ts';

/** Names of instruments by their ids: of perps all, of outcome markets those that are open. */
export function useNames(): NameOf {
  const { data: perps } = usePerps();
  const { data: events } = useQuery({
    queryKey: ['outcomeMeta', 'names'],
    queryFn: ({ signal }) => reader.info.outcomeMeta({ status: 'all', limit: 50 }, { signal }),
  });
  return useCallback(
    (id) => {
      const perp = perps?.universe.find(({ index }) => index === id);
      if (perp !== undefined) return perp.name;
      const markets = events?.events.flatMap((event) => event.markets) ?? [];
      const market = markets.find(({ instrument_id: own }) => own === id);
      return market === undefined ? `#${id}` : `“${market.question}”`;
    },
    [perps, events],
  );
}
