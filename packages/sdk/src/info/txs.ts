import type { TxBrief } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `txs` takes. */
export type TxsParameters = InfoParameters<'txs'>;

/** Transactions with what they say: of a block in their order, or the newest. */
export function txs(
  context: InfoContext,
  parameters: TxsParameters,
  options?: InfoOptions,
): Promise<TxBrief[]> {
  return queryInfo(context, { type: 'txs', ...parameters }, options);
}
