import type { ClearinghouseState } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `clearinghouseState` takes. */
export type ClearinghouseStateChannel = {
  readonly user: string;
  readonly accountType?: 'perp' | 'outcome' | undefined;
};

/** The state of a sub-account. */
export type AccountStateUpdate = {
  user: string;
  accountType: 'perp' | 'outcome';
  clearinghouseState: ClearinghouseState;
};

/** Positions and margin of a sub-account, after each block that changed them. */
export function clearinghouseState(
  context: StreamContext,
  parameters: ClearinghouseStateChannel,
  listener?: StreamListener<AccountStateUpdate>,
  options?: StreamOptions,
): Subscription<AccountStateUpdate> {
  return new Subscription(
    context,
    { type: 'clearinghouseState', ...parameters },
    { listener, ...options },
  );
}
