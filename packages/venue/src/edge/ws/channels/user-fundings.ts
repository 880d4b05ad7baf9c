import type { FundingRow, UserFundingsUpdate } from '@oddlot/protocol';
import { type FundingRows, fundingRowsOf } from '../../../history/funding-rows.ts';
import type { ChannelContext } from './node-channel.ts';
import type { UserParams, UserRowWriter } from './user-event-channel.ts';

/** What one account's positions paid and collected; a newcomer is shown the newest rows. */
export function userFundings(
  { state }: ChannelContext,
  recent: Pick<FundingRows, 'of'>,
): UserRowWriter<UserParams, FundingRow> {
  return {
    channel: 'userFundings',
    rows: (block, isWatched) => fundingRowsOf(state(), block, isWatched),
    frame: ({ user }, rows) => {
      const update: UserFundingsUpdate = { user, fundings: [...rows] };
      return JSON.stringify(update);
    },
    snapshot: ({ user }) => {
      const update: UserFundingsUpdate = { user, isSnapshot: true, fundings: recent.of(user) };
      return { data: JSON.stringify(update) };
    },
  };
}
