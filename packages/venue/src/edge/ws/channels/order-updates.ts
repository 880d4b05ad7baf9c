import type { OrderUpdate } from '@oddlot/protocol';
import { liveOrderRecords, orderUpdateRecord } from '../../../translate/event-to-stream.ts';
import { findPerp } from '../../../translate/info/handler.ts';
import type { ChannelContext } from './node-channel.ts';
import type { UserParams, UserRowWriter } from './user-event-channel.ts';

/** What becomes of one account's perp orders. */
export function orderUpdates({ state }: ChannelContext): UserRowWriter<UserParams, OrderUpdate> {
  return {
    channel: 'orderUpdates',
    accountType: 'perp',
    *rows(block, isWatched) {
      for (const event of block.result.events) {
        if (event.type !== 'orderUpdated') continue;
        const { account: user, instrumentId } = event.order;
        // A refused order may name an instrument that does not exist; there is nothing to show of it.
        if (!isWatched(user) || findPerp(state(), instrumentId) === undefined) continue;
        const row = orderUpdateRecord(state(), event, block.timeMs);
        yield { user, row };
      }
    },
    frame: (_, rows) => JSON.stringify(rows),
    snapshot: ({ user }, occasion) => {
      if (occasion === 'subscribe') return undefined;
      return { data: JSON.stringify(liveOrderRecords(state(), user)), isSnapshot: true };
    },
  };
}
