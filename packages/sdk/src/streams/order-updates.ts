import type { OrderUpdate } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `orderUpdates` takes. */
export type OrderUpdatesChannel = { readonly user: string };

/**
 * What becomes of an account's perp orders. After a reset all live orders follow; one that is not
 * among them has ended meanwhile.
 */
export function orderUpdates(
  context: StreamContext,
  parameters: OrderUpdatesChannel,
  listener?: StreamListener<OrderUpdate[]>,
  options?: StreamOptions,
): Subscription<OrderUpdate[]> {
  return new Subscription(
    context,
    { type: 'orderUpdates', ...parameters },
    { listener, ...options },
  );
}
