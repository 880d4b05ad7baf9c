import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { OrderEntry, SimulatedAction } from '@oddlot/sdk';
import { reader, venueNow } from '../../../market/venue.ts';
import type { Draft } from './draft.ts';

/** Between two questions: a book moves more often than anybody reads. */
const EVERY_MS = 300;
const AGAIN_MS = 3_000;

/** What the venue says an order would do now; undefined until it has said so. */
export function useSimulated(
  user: string | undefined,
  draft: Draft,
): { readonly data: SimulatedAction | undefined; readonly isOld: boolean } {
  // What the order is without the moment at which a rest ends, which moves all the time.
  const text = draft.entry === undefined ? undefined : JSON.stringify(draft.entry(0));
  const settled = useThrottled(text, EVERY_MS);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['simulate', user, settled],
    queryFn: ({ signal }) => {
      const order = entryNow(JSON.parse(settled ?? '') as OrderEntry);
      const action = { type: 'order' as const, grouping: 'na' as const, orders: [order] };
      return reader.info.simulate({ user: user ?? '', action }, { signal });
    },
    enabled: user !== undefined && settled !== undefined,
    refetchInterval: AGAIN_MS,
    gcTime: 0,
    staleTime: 0,
    placeholderData: (before) => before,
  });
  if (text === undefined) return { data: undefined, isOld: false };
  return { data, isOld: isPlaceholderData || text !== settled };
}

function entryNow(entry: OrderEntry): OrderEntry {
  const { t } = entry;
  if (!('limit' in t) || t.limit.tif !== 'Gtd') return entry;
  // An hour is as good as any other time that is far enough: what rests is not what is asked about.
  return { ...entry, t: { limit: { ...t.limit, expireTime: venueNow() + 3_600_000 } } };
}

/** The value as of at most so long ago. */
function useThrottled<Value>(value: Value, everyMs: number): Value {
  const [settled, setSettled] = useState(value);
  const lastMs = useRef(0);
  useEffect(() => {
    const waitMs = Math.max(0, lastMs.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      lastMs.current = performance.now();
      setSettled(value);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  return settled;
}
