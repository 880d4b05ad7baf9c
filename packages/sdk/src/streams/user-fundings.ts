import type { UserFundingsUpdate } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `userFundings` takes. */
export type UserFundingsChannel = { readonly user: string };

/** Funding that an account's positions paid and collected: the last 200 first, then the new ones. */
export function userFundings(
  context: StreamContext,
  parameters: UserFundingsChannel,
  listener?: StreamListener<UserFundingsUpdate>,
  options?: StreamOptions,
): Subscription<UserFundingsUpdate> {
  return new Subscription(
    context,
    { type: 'userFundings', ...parameters },
    { listener, ...options },
  );
}
