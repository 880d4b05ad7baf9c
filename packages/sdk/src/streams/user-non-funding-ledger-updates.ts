import type { UserLedgerUpdate } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `userNonFundingLedgerUpdates` takes. */
export type UserNonFundingLedgerUpdatesChannel = {
  readonly user: string;
  readonly accountTypes?: readonly ('perp' | 'outcome')[] | undefined;
};

/** An account's ledger, settlements among it: the newest 200 rows first, then the new ones. */
export function userNonFundingLedgerUpdates(
  context: StreamContext,
  parameters: UserNonFundingLedgerUpdatesChannel,
  listener?: StreamListener<UserLedgerUpdate>,
  options?: StreamOptions,
): Subscription<UserLedgerUpdate> {
  return new Subscription(
    context,
    { type: 'userNonFundingLedgerUpdates', ...parameters },
    { listener, ...options },
  );
}
