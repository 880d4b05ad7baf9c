import { CLIENT_PAGE_LIMITS, type BlockRow } from '@oddlot/protocol';
import type { BlocksParameters } from './query-parameters.ts';
import { queryInfo, type InfoContext, type InfoOptions } from './query-info.ts';

/** What `allBlocks` takes; `limit` is the size of a page. */
export type AllBlocksParameters = BlocksParameters;

/**
 * All blocks, newest first, down to the first one. The next page is asked for when it is needed.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* allBlocks(
  context: InfoContext,
  { before, ...parameters }: AllBlocksParameters = {},
  options?: InfoOptions,
): AsyncGenerator<BlockRow, void> {
  const { limit = CLIENT_PAGE_LIMITS.blocks.max } = parameters;
  for (let below = before; ;) {
    const request = { type: 'blocks', ...parameters, limit, before: below } as const;
    const page = await queryInfo(context, request, options);
    yield* page;
    below = page.at(-1)?.height;
    if (below === undefined || below <= 1) return;
  }
}
