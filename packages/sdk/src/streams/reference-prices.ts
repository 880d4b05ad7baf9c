import type { RtdsTopic } from '@oddlot/protocol';
import type { ReferencePricesUpdate } from '../transport/price-feed.ts';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `referencePrices` takes. */
export type ReferencePricesChannel = {
  /** Prices of spot markets, of the oracle, or its averages over 30 or 60 seconds. */
  readonly topic: RtdsTopic;
  /** `btcusdt` of spot prices, `btc/usd` of all others; every symbol when it is absent. */
  readonly symbol?: string | undefined;
};

/**
 * What the underlyings of outcome markets cost, about once a second. With a symbol its last minute
 * comes first, as a snapshot, and again after a reset.
 */
export function referencePrices(
  context: StreamContext,
  { topic, symbol }: ReferencePricesChannel,
  listener?: StreamListener<ReferencePricesUpdate>,
  options?: StreamOptions,
): Subscription<ReferencePricesUpdate> {
  return new Subscription(context, { type: topic, symbol }, { listener, ...options });
}
