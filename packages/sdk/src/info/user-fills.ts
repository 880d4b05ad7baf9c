import type { Fill } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `userFills` takes. */
export type UserFillsParameters = InfoParameters<'userFills'>;

/** The fills of an account, newest first: trades, and what splits, merges and settlements changed. */
export function userFills(
  context: InfoContext,
  parameters: UserFillsParameters,
  options?: InfoOptions,
): Promise<Fill[]> {
  return queryInfo(context, { type: 'userFills', ...parameters }, options);
}
