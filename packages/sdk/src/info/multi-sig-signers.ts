import type { MultiSigSignerSet } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `multiSigSigners` takes. */
export type MultiSigSignersParameters = InfoParameters<'multiSigSigners'>;

/** Who signs for an account, and how many of them are needed; null for an ordinary account. */
export function multiSigSigners(
  context: InfoContext,
  parameters: MultiSigSignersParameters,
  options?: InfoOptions,
): Promise<MultiSigSignerSet> {
  return queryInfo(context, { type: 'multiSigSigners', ...parameters }, options);
}
