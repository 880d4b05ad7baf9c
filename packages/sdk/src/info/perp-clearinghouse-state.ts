import type { ClearinghouseState } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `perpClearinghouseState` takes. */
export type PerpClearinghouseStateParameters = InfoParameters<'perpClearinghouseState'>;

/** Positions and margin of the perp sub-account. */
export function perpClearinghouseState(
  context: InfoContext,
  parameters: PerpClearinghouseStateParameters,
  options?: InfoOptions,
): Promise<ClearinghouseState> {
  return queryInfo(context, { type: 'perpClearinghouseState', ...parameters }, options);
}
