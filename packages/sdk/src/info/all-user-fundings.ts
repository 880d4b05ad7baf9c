import type { FundingRow, UserFundings } from '@oddlot/protocol';
import { historyPages } from './history-page.ts';
import type { InfoContext, InfoOptions } from './query-info.ts';
import type { UserFundingsParameters } from './user-fundings.ts';

/** What `allUserFundings` takes; `limit` is the size of a page. */
export type AllUserFundingsParameters = Omit<UserFundingsParameters, 'cursor' | 'offset'>;

/**
 * All funding payments of an account, newest first.
 * The next page is asked for when it is needed.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* allUserFundings(
  context: InfoContext,
  parameters: AllUserFundingsParameters,
  options?: InfoOptions,
): AsyncGenerator<FundingRow, void> {
  const request = { type: 'userFundings', ...parameters } as const;
  for await (const { data } of historyPages<'userFundings', UserFundings>(
    context,
    request,
    options,
  )) {
    yield* data.data;
  }
}
