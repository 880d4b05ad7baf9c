import type { BuilderClaim, BuilderRows } from '@oddlot/protocol';
import { historyPages } from './history-page.ts';
import type { InfoContext, InfoOptions } from './query-info.ts';
import type { BuilderMeClaimedParameters } from './builder-me-claimed.ts';

/** What `allBuilderMeClaimed` takes; `pageSize` is the size of a page. */
export type AllBuilderMeClaimedParameters = Omit<BuilderMeClaimedParameters, 'cursor' | 'page'>;

/**
 * Everything that a builder has claimed, newest first.
 * The next page is asked for when it is needed.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* allBuilderMeClaimed(
  context: InfoContext,
  parameters: AllBuilderMeClaimedParameters,
  options?: InfoOptions,
): AsyncGenerator<BuilderClaim, void> {
  const request = { type: 'builderMeClaimed', ...parameters } as const;
  for await (const { data } of historyPages<'builderMeClaimed', BuilderRows<BuilderClaim>>(
    context,
    request,
    options,
  )) {
    yield* data.items;
  }
}
