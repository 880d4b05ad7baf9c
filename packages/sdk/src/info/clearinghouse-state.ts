import type { ClearinghouseState } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `clearinghouseState` takes. */
export type ClearinghouseStateParameters = InfoParameters<'clearinghouseState'>;

/** Positions and margin of a sub-account. */
export function clearinghouseState(
  context: InfoContext,
  parameters: ClearinghouseStateParameters,
  options?: InfoOptions,
): Promise<ClearinghouseState> {
  return queryInfo(context, { type: 'clearinghouseState', ...parameters }, options);
}
