import type { UserFundings } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `userFundings` takes. */
export type UserFundingsParameters = InfoParameters<'userFundings'>;

/** The funding payments of an account, newest first. */
export function userFundings(
  context: InfoContext,
  parameters: UserFundingsParameters,
  options?: InfoOptions,
): Promise<UserFundings> {
  return queryInfo(context, { type: 'userFundings', ...parameters }, options);
}
