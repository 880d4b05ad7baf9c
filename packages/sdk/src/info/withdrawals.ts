import type { Withdrawal } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `withdrawals` takes. */
export type WithdrawalsParameters = InfoParameters<'withdrawals'>;

/** The withdrawals of an account, newest first. */
export function withdrawals(
  context: InfoContext,
  parameters: WithdrawalsParameters,
  options?: InfoOptions,
): Promise<Withdrawal[]> {
  return queryInfo(context, { type: 'withdrawals', ...parameters }, options);
}
