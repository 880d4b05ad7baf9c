import type { OutcomeTradesUpdate } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `outcomeTrades` takes. */
export type OutcomeTradesChannel = { /** Up to 50. */ readonly instrumentIds: readonly number[] };

/**
 * The trades of a group of outcome markets, those of one block together. After a reset the last 50
 * follow, known ones among them: tell them apart by `tid`.
 */
export function outcomeTrades(
  context: StreamContext,
  parameters: OutcomeTradesChannel,
  listener?: StreamListener<OutcomeTradesUpdate>,
  options?: StreamOptions,
): Subscription<OutcomeTradesUpdate> {
  return new Subscription(
    context,
    { type: 'outcomeTrades', ...parameters },
    { listener, ...options },
  );
}
