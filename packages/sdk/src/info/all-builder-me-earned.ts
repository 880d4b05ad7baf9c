import type { BuilderEarning, BuilderRows } from '@oddlot/protocol';
import { historyPages } from './history-page.ts';
import type { InfoContext, InfoOptions } from './query-info.ts';
import type { BuilderMeEarnedParameters } from './builder-me-earned.ts';

/** What `allBuilderMeEarned` takes; `pageSize` is the size of a page. */
export type AllBuilderMeEarnedParameters = Omit<BuilderMeEarnedParameters, 'cursor' | 'page'>;

/**
 * Everything that a builder has earned, one row an order, newest first.
 * The next page is asked for when it is needed.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* allBuilderMeEarned(
  context: InfoContext,
  parameters: AllBuilderMeEarnedParameters,
  options?: InfoOptions,
): AsyncGenerator<BuilderEarning, void> {
  const request = { type: 'builderMeEarned', ...parameters } as const;
  for await (const { data } of historyPages<'builderMeEarned', BuilderRows<BuilderEarning>>(
    context,
    request,
    options,
  )) {
    yield* data.items;
  }
}
