import type { Trade } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `trades` takes. */
export type TradesChannel = { readonly coin: string };

/**
 * The trades of an instrument, those of one block together. After a reset the last 50 follow, known
 * ones among them: tell them apart by `tid`.
 */
export function trades(
  context: StreamContext,
  parameters: TradesChannel,
  listener?: StreamListener<Trade[]>,
  options?: StreamOptions,
): Subscription<Trade[]> {
  return new Subscription(context, { type: 'trades', ...parameters }, { listener, ...options });
}
