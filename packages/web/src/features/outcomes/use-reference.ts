import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OutcomeMarketMeta, OutcomeTimelineItem } from '@oddlot/sdk';
import { toPixels } from '../../lib/decimal.ts';
import { channelOf, referencePrices } from '../../market/reference-prices.ts';
import { reader, venueNow } from '../../market/venue.ts';

/** A price and when it was seen. */
export type Seen = { readonly t: number; readonly value: number };

/** Before the start, so that the averaging of the strike is in sight. */
const BEFORE_MS = 180_000;
const STALE_MS = 60_000;

/** The last price of the underlying. */
export function useLastReference(market: OutcomeMarketMeta | undefined): number | undefined {
  return referencePrices.use(channelOf(market), ({ prices }) => prices.at(-1)?.value);
}

/** The prices of the underlying since before a market began, oldest first. */
export function useReference(
  market: OutcomeMarketMeta | undefined,
  { startTime }: OutcomeTimelineItem,
): readonly Seen[] {
  const live = referencePrices.use(channelOf(market), ({ prices }) => prices);
  // Of a market that has not begun the last minutes are shown.
  const [fromMs] = useState(() => Math.min(startTime, venueNow()) - BEFORE_MS);
  const { symbol, source } = market?.underlying ?? {};
  const { data } = useQuery({
    queryKey: ['cryptoPriceHistory', symbol, source, fromMs],
    queryFn: ({ signal }) =>
      reader.info.cryptoPriceHistory(
        {
          symbol: symbol ?? '',
          source: source === 'spot' ? 'spot' : 'oracle',
          startTime: fromMs,
          endTime: venueNow(),
        },
        { signal },
      ),
    enabled: symbol !== undefined,
    refetchInterval: STALE_MS,
  });
  const past = (data?.data ?? []).map(({ timestamp, value }) => ({
    t: timestamp,
    value: toPixels(value),
  }));
  const lastMs = past.at(-1)?.t ?? fromMs;
  const fresh = live
    .filter(({ timestamp }) => timestamp > lastMs)
    .map(({ timestamp, value }) => ({ t: timestamp, value }));
  return [...past, ...fresh];
}
