import type { AssetPosition } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `outcomePositions` takes. */
export type OutcomePositionsParameters = InfoParameters<'outcomePositions'>;

/** Shares of an account: YES has a positive size, NO a negative one. */
export function outcomePositions(
  context: InfoContext,
  parameters: OutcomePositionsParameters,
  options?: InfoOptions,
): Promise<AssetPosition[]> {
  return queryInfo(context, { type: 'outcomePositions', ...parameters }, options);
}
