import { type Address, type MicroUsdc, subUsdc, type TimeMs } from '@oddlot/units';
import { isDeficitDeep, ownerOf, payableWithdrawals } from '../ledger/withdrawals.ts';
import type { State } from '../state/state.ts';

/** A withdrawal that is not settled, as the bridge is to see it. */
export type OpenWithdrawal = {
  readonly withdrawalId: number;
  readonly user: Address;
  readonly destination: Address;
  /** What arrives: the fee is off. */
  readonly pays: MicroUsdc;
  readonly requestedMs: TimeMs;
};

/** The number of the withdrawal that comes next; all that were ever issued have lower ones. */
export function nextWithdrawalId(state: State): number {
  return state.nextWithdrawalId;
}

/** Whether withdrawals wait in the hold, those to come included (R-deficit). */
export function doWithdrawalsWait(state: State): boolean {
  return isDeficitDeep(state);
}

/** All that are not settled, by id, and whether they may be paid now (R-deficit). */
export function openWithdrawals(state: State): {
  readonly withdrawals: readonly OpenWithdrawal[];
  readonly isPayable: boolean;
} {
  const withdrawals: OpenWithdrawal[] = [];
  for (const withdrawal of state.withdrawals.values()) {
    const { amount, destination, fee, requestedMs, withdrawalId } = withdrawal;
    const user = ownerOf(state, withdrawal).address;
    withdrawals.push({ withdrawalId, user, destination, pays: subUsdc(amount, fee), requestedMs });
  }
  const isPayable = withdrawals.length === 0 || payableWithdrawals(state).length > 0;
  return { withdrawals, isPayable };
}
