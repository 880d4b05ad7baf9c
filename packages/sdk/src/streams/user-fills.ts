import type { UserFillsUpdate } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `userFills` takes. */
export type UserFillsChannel = {
  readonly user: string;
  /** `perp` unless told. */
  readonly accountType?: readonly ('perp' | 'outcome')[] | undefined;
};

/** An account's fills: the newest 200 first, then those of each block. */
export function userFills(
  context: StreamContext,
  parameters: UserFillsChannel,
  listener?: StreamListener<UserFillsUpdate>,
  options?: StreamOptions,
): Subscription<UserFillsUpdate> {
  return new Subscription(context, { type: 'userFills', ...parameters }, { listener, ...options });
}
