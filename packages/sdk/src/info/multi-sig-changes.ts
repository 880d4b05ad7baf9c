import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `multiSigChanges` takes. */
export type MultiSigChangesParameters = InfoParameters<'multiSigChanges'>;

/** Hashes of the requests that changed who signs for an account, oldest first; `tx` shows each. */
export function multiSigChanges(
  context: InfoContext,
  parameters: MultiSigChangesParameters,
  options?: InfoOptions,
): Promise<string[]> {
  return queryInfo(context, { type: 'multiSigChanges', ...parameters }, options);
}
