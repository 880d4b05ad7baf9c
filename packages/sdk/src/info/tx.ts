import type { TxDetail } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `tx` takes. */
export type TxParameters = InfoParameters<'tx'>;

/** A transaction by its hash: the request as it was received, and what became of it. */
export function tx(
  context: InfoContext,
  parameters: TxParameters,
  options?: InfoOptions,
): Promise<TxDetail> {
  return queryInfo(context, { type: 'tx', ...parameters }, options);
}
