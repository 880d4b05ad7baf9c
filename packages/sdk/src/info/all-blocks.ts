import { PAGE_LIMITS, type BlockRow } from '@oddlot/protocol';
import { blocks, type BlocksParameters } from './blocks.ts';
import type { InfoContext, InfoOptions } from './query-info.ts';

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
  const { limit = PAGE_LIMITS.blocks.max } = parameters;
  for (let below = before; ;) {
    const page = await blocks(context, { ...parameters, limit, before: below }, options);
    yield* page;
    below = page.at(-1)?.height;
    if (below === undefined || below <= 1) return;
  }
}
