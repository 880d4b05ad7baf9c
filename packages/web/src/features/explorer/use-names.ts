import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { usePerps } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { type NameOf, OUTCOME_ID_MIN } from './tx-words.ts';

/** How many ids fit into one question; a request can hardly name more. */
const ASKED_MAX = 50;

/** Names of instruments by their ids: of perps all, of outcome markets those that are asked for. */
export function useNames(ids: readonly number[]): NameOf {
  const { data: perps } = usePerps();
  const wanted = [...new Set(ids)]
    .filter((id) => id >= OUTCOME_ID_MIN)
    .slice(0, ASKED_MAX)
    .toSorted((left, right) => left - right);
  const { data: events } = useQuery({
    queryKey: ['outcomeMeta', 'names', wanted],
    queryFn: ({ signal }) =>
      reader.info.outcomeMeta({ instrumentIds: wanted, limit: ASKED_MAX }, { signal }),
    enabled: wanted.length > 0,
    staleTime: Infinity,
    // A list that moves on keeps the names that it has.
    placeholderData: (before) => before,
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
