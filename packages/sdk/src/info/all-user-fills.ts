import type { Fill } from '@oddlot/protocol';
import { historyPages } from './history-page.ts';
import type { InfoContext, InfoOptions } from './query-info.ts';
import type { UserFillsParameters } from './user-fills.ts';

/** What `allUserFills` takes; `limit` is the size of a page. */
export type AllUserFillsParameters = Omit<UserFillsParameters, 'cursor' | 'offset'>;

/**
 * All fills of an account, newest first.
 * The next page is asked for when it is needed.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* allUserFills(
  context: InfoContext,
  parameters: AllUserFillsParameters,
  options?: InfoOptions,
): AsyncGenerator<Fill, void> {
  const request = { type: 'userFills', ...parameters } as const;
  for await (const { data } of historyPages<'userFills', Fill[]>(context, request, options)) {
    yield* data;
  }
}
