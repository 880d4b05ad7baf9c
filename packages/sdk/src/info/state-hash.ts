import type { StateHash } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `stateHash` takes. */
export type StateHashParameters = InfoParameters<'stateHash'>;

/** The hash of the whole state after a block, by default the latest. */
export function stateHash(
  context: InfoContext,
  parameters: StateHashParameters = {},
  options?: InfoOptions,
): Promise<StateHash> {
  return queryInfo(context, { type: 'stateHash', ...parameters }, options);
}
