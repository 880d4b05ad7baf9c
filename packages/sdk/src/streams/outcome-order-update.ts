import type { OutcomeOrderRelease } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `outcomeOrderUpdate` takes. */
export type OutcomeOrderUpdateChannel = {
  readonly user: string;
  /** Tells of orders that reach the book too, not only of those that fail before. */
  readonly includeSuccess?: boolean | undefined;
};

/**
 * How acknowledged orders on outcome markets left the delay queue, one event per order: told apart by
 * `traceId` and `i`. After a reset nothing is repeated; the receipts know (`exchange.waitForAction`).
 */
export function outcomeOrderUpdate(
  context: StreamContext,
  parameters: OutcomeOrderUpdateChannel,
  listener?: StreamListener<OutcomeOrderRelease>,
  options?: StreamOptions,
): Subscription<OutcomeOrderRelease> {
  return new Subscription(
    context,
    { type: 'outcomeOrderUpdate', ...parameters },
    { listener, ...options },
  );
}
