import { ownerOf, payWithdrawal, returnWithdrawal } from '../ledger/withdrawals.ts';
import type { CommandResult } from '../messages/block.ts';
import type { SettleWithdrawalCommand } from '../messages/command.ts';
import type { WithdrawalChanged } from '../messages/event.ts';
import type { Execution } from '../state/execution.ts';
import type { Withdrawal } from '../state/withdrawal.ts';

/**
 * Ends a withdrawal: paid and gone, or returned to the account (R-withdraw). A bridge may tell the
 * same twice, after a crash for example: of what is settled nothing is settled again.
 */
export function settleWithdrawal(
  execution: Execution,
  { blockNumber, error, paid, txHash, withdrawalId }: SettleWithdrawalCommand,
): CommandResult {
  const { state } = execution;
  const withdrawal = state.withdrawals.get(withdrawalId);
  if (withdrawal === undefined) return {};
  if (paid) payWithdrawal(state, withdrawal);
  else returnWithdrawal(state, withdrawal);
  const { bridge } = state;
  if (bridge !== undefined && blockNumber !== undefined) {
    bridge.bookedBlock = Math.max(bridge.bookedBlock, blockNumber);
  }
  emitWithdrawal(execution, withdrawal, paid ? 'completed' : 'failed', { txHash, error });
  return { account: ownerOf(state, withdrawal).address };
}

/** Tells how far a withdrawal is. */
export function emitWithdrawal(
  { commandIndex, events, state }: Execution,
  withdrawal: Withdrawal,
  status: WithdrawalChanged['status'],
  { error, txHash }: End = {},
): void {
  const { amount, destination, fee, nonce, withdrawalId } = withdrawal;
  events.push({
    type: 'withdrawalChanged',
    commandIndex,
    account: ownerOf(state, withdrawal).address,
    withdrawalId,
    status,
    amount,
    fee,
    destination,
    nonce,
    ...(txHash === undefined ? {} : { txHash }),
    ...(error === undefined ? {} : { error }),
  });
}

type End = { readonly [Key in 'txHash' | 'error']?: WithdrawalChanged[Key] | undefined };
