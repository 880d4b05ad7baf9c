import type { OrderUpdate, UpdatedOutcomeOrder } from '@oddlot/protocol';
import { liveOutcomeOrderRecords, outcomeOrderRecord } from '../../../translate/event-to-stream.ts';
import type { ChannelContext } from './node-channel.ts';
import type { UserParams, UserRowWriter } from './user-event-channel.ts';

/** What becomes of one account's outcome orders at the book. */
export function outcomeOrderUpdates({
  state,
}: ChannelContext): UserRowWriter<UserParams, OrderUpdate<UpdatedOutcomeOrder>> {
  return {
    channel: 'outcomeOrderUpdates',
    accountType: 'outcome',
    *rows(block, isWatched) {
      for (const event of block.result.events) {
        if (event.type !== 'orderUpdated' || event.order.outcome === undefined) continue;
        const user = event.order.account;
        if (isWatched(user)) yield { user, row: outcomeOrderRecord(state(), event, block.timeMs) };
      }
    },
    frame: (_, rows) => JSON.stringify(rows),
    snapshot: ({ user }, occasion) => {
      if (occasion === 'subscribe') return undefined;
      return { data: JSON.stringify(liveOutcomeOrderRecords(state(), user)), isSnapshot: true };
    },
  };
}
