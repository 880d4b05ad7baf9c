import { useMemo } from 'react';
import { contexts } from '../../../market/contexts.ts';
import { useVenueSecond } from '../../../market/use-venue-second.ts';
import { useTradedPerp } from '../traded-perp.ts';
import type { Draft } from './draft.ts';
import { isPositive, ordersOf, type Drafted } from './orders-of-draft.ts';

/** What a ticket stands for now. One with a price of its own stays the same while the mark moves. */
export function useDrafted(draft: Draft, isHedge: boolean): Drafted {
  const { coin, grid, perp } = useTradedPerp();
  const hasMark = contexts.use(coin, ({ ctx }) => isPositive(ctx?.markPx ?? ''));
  const followed = draft.type === 'market' ? coin : undefined;
  const markPx = contexts.use(followed, ({ ctx }) => ctx?.markPx);
  const nowMs = useVenueSecond(wholeMinute);
  return useMemo(
    () => ordersOf(draft, { asset: perp.index, grid, hasMark, markPx, nowMs, isHedge }),
    [draft, perp.index, grid, hasMark, markPx, nowMs, isHedge],
  );
}

const MINUTE_MS = 60_000;

/** The end of an order is told to the minute, so that a ticket which stands seldom changes. */
function wholeMinute(nowMs: number): number {
  return Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS;
}
