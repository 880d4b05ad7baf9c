import type { BlockRow } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `blocks` takes. */
export type BlocksParameters = InfoParameters<'blocks'>;

/** The newest blocks, or those before a height. */
export function blocks(
  context: InfoContext,
  parameters: BlocksParameters = {},
  options?: InfoOptions,
): Promise<BlockRow[]> {
  return queryInfo(context, { type: 'blocks', ...parameters }, options);
}
