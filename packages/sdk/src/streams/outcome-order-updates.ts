import type { OrderUpdate, UpdatedOutcomeOrder } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `outcomeOrderUpdates` takes. */
export type OutcomeOrderUpdatesChannel = { readonly user: string };

/**
 * What becomes of an account's orders on outcome markets once they are at the book. After a reset all
 * live orders follow; one that is not among them has ended meanwhile.
 */
export function outcomeOrderUpdates(
  context: StreamContext,
  parameters: OutcomeOrderUpdatesChannel,
  listener?: StreamListener<OrderUpdate<UpdatedOutcomeOrder>[]>,
  options?: StreamOptions,
): Subscription<OrderUpdate<UpdatedOutcomeOrder>[]> {
  return new Subscription(
    context,
    { type: 'outcomeOrderUpdates', ...parameters },
    { listener, ...options },
  );
}
