import type { OutcomeMarketMeta, ReferencePrice, ReferencePricesChannel } from '@oddlot/sdk';
import { createLive } from './live.ts';
import { reader } from './venue.ts';

type ReferenceState = {
  /** Oldest first: the last minute, and what came since. */
  readonly prices: readonly ReferencePrice[];
};

/** A day at one a second would be too many; a chart that shows more asks for the past. */
const PRICES_MAX = 4_000;

/** What the underlying of a series costs, about once a second. */
export const referencePrices = createLive<ReferencePricesChannel, ReferenceState>({
  key: ({ symbol, topic }) => `${topic} ${symbol ?? ''}`,
  initial: () => ({ prices: [] }),
  open: (parameters, store) => {
    const stream = reader.streams.referencePrices(parameters, (event) => {
      if (event.type === 'reset') return;
      const { prices } = store.getState();
      const lastMs = prices.at(-1)?.timestamp ?? 0;
      const fresh = event.data.prices.filter(({ timestamp }) => timestamp > lastMs);
      if (fresh.length > 0) store.setState({ prices: [...prices, ...fresh].slice(-PRICES_MAX) });
    });
    return () => stream.close();
  },
});

/** Where the price of what a market is about is told; undefined for one that is about no price. */
export function channelOf(
  market: OutcomeMarketMeta | undefined,
): ReferencePricesChannel | undefined {
  const underlying = market?.underlying;
  if (underlying === null || underlying === undefined) return undefined;
  const symbol = underlying.symbol.toLowerCase();
  return underlying.source === 'spot'
    ? { topic: 'crypto_prices', symbol: `${symbol}usdt` }
    : { topic: 'crypto_prices_oracle', symbol: `${symbol}/usd` };
}
