import { maxUsdc, microUsdc } from '@oddlot/units';
import { ZERO_ADDRESS } from '../auth/agents.ts';
import { checkFreeMoney } from '../ledger/free-money.ts';
import { holdWithdrawal } from '../ledger/withdrawals.ts';
import type { CommandResult } from '../messages/block.ts';
import type { WithdrawCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { emitWithdrawal } from './settle-withdrawal.ts';

/** Sets money aside for the bridge to pay (R-withdraw). */
export function withdraw(
  execution: Execution,
  account: Account,
  command: WithdrawCommand,
): CommandResult {
  const { state } = execution;
  const reject = checkWithdraw(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  const withdrawal = holdWithdrawal(state, account, {
    amount: microUsdc(command.amountMicroUsdc),
    fee: microUsdc(parametersOf(state).withdrawFeeMicroUsdc),
    destination: command.destination,
    nonce: command.authority.nonce,
  });
  emitWithdrawal(execution, withdrawal, 'pending');
  return { account: account.address };
}

/** Judges a withdrawal: where to, the decimals of the amount, its minimum, the free money. Changes nothing. */
export function checkWithdraw(
  state: State,
  account: Account,
  command: WithdrawCommand,
): Reject | undefined {
  const { destination } = command;
  // Paid there, nobody could ever claim it (R-transfer).
  const { bridge } = state;
  const isLost =
    destination === ZERO_ADDRESS ||
    destination === bridge?.contract ||
    destination === bridge?.token;
  if (isLost) return { reason: 'addressInvalid', address: destination };
  const { withdrawFeeMicroUsdc, withdrawMinMicroUsdc } = parametersOf(state);
  const amount = microUsdc(command.amountMicroUsdc);
  if (command.amountInexact === true) return { reason: 'amountInexact', floor: amount };
  // The fee comes out of the amount, so the amount has to hold it.
  const min = maxUsdc(microUsdc(withdrawMinMicroUsdc), microUsdc(withdrawFeeMicroUsdc));
  if (amount < min) return { reason: 'withdrawBelowMin', min };
  return checkFreeMoney(state, account, 'perp', amount);
}
