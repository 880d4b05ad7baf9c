import type { UserHistoricalOrdersUpdate } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `userHistoricalOrders` takes. */
export type UserHistoricalOrdersChannel = {
  readonly user: string;
  /** `perp` unless told. */
  readonly accountType?: readonly ('perp' | 'outcome')[] | undefined;
};

/** An account's orders: the 200 that changed last first, then those that each block changed. */
export function userHistoricalOrders(
  context: StreamContext,
  parameters: UserHistoricalOrdersChannel,
  listener?: StreamListener<UserHistoricalOrdersUpdate>,
  options?: StreamOptions,
): Subscription<UserHistoricalOrdersUpdate> {
  return new Subscription(
    context,
    { type: 'userHistoricalOrders', ...parameters },
    { listener, ...options },
  );
}
