import type { LedgerUpdate } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `userNonFundingLedgerUpdates` takes. */
export type UserNonFundingLedgerUpdatesParameters = InfoParameters<'userNonFundingLedgerUpdates'>;

/** What changed an account other than trading and funding, newest first. */
export function userNonFundingLedgerUpdates(
  context: InfoContext,
  parameters: UserNonFundingLedgerUpdatesParameters,
  options?: InfoOptions,
): Promise<LedgerUpdate[]> {
  return queryInfo(context, { type: 'userNonFundingLedgerUpdates', ...parameters }, options);
}
