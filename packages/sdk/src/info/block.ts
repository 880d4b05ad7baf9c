import type { BlockDetail } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `block` takes. */
export type BlockParameters = InfoParameters<'block'>;

/** A block by height or hash, with what it executed. */
export function block(
  context: InfoContext,
  parameters: BlockParameters,
  options?: InfoOptions,
): Promise<BlockDetail> {
  return queryInfo(context, { type: 'block', ...parameters }, options);
}
