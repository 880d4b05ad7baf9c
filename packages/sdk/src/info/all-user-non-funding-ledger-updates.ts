import type { LedgerUpdate } from '@oddlot/protocol';
import { historyPages } from './history-page.ts';
import type { InfoContext, InfoOptions } from './query-info.ts';
import type { UserNonFundingLedgerUpdatesParameters } from './user-non-funding-ledger-updates.ts';

/** What `allUserNonFundingLedgerUpdates` takes; `limit` is the size of a page. */
export type AllUserNonFundingLedgerUpdatesParameters = Omit<
  UserNonFundingLedgerUpdatesParameters,
  'cursor' | 'offset'
>;

/**
 * Everything that changed an account other than trading and funding, newest first.
 * The next page is asked for when it is needed.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* allUserNonFundingLedgerUpdates(
  context: InfoContext,
  parameters: AllUserNonFundingLedgerUpdatesParameters,
  options?: InfoOptions,
): AsyncGenerator<LedgerUpdate, void> {
  const request = { type: 'userNonFundingLedgerUpdates', ...parameters } as const;
  for await (const { data } of historyPages<'userNonFundingLedgerUpdates', LedgerUpdate[]>(
    context,
    request,
    options,
  )) {
    yield* data;
  }
}
