import type { PermitDeposit } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `depositWithPermit` takes; `signPermit` makes it. */
export type DepositWithPermitParameters = InfoParameters<'depositWithPermit'>;

/** Deposits USDC of the settlement chain without ether. The same permit again is the same transaction. */
export function depositWithPermit(
  context: InfoContext,
  parameters: DepositWithPermitParameters,
  options?: InfoOptions,
): Promise<PermitDeposit> {
  return queryInfo(context, { type: 'depositWithPermit', ...parameters }, options);
}
