import { microUsdc } from '@oddlot/units';
import { checkDestination } from '../auth/destination.ts';
import { postFromTreasury } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import type { TreasurySendCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { insuranceFund, insuranceTarget } from '../perp/insurance-fund.ts';
import { accountValue } from '../perp/margin.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { openAccount } from './credit-faucet.ts';

/** Pays collected fees to an account's perp balance, opened now when it is new (R-treasury). */
export function treasurySend(execution: Execution, command: TreasurySendCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkTreasurySend(state, command);
  if (reject !== undefined) return { reject };
  const amount = microUsdc(command.amountMicroUsdc);
  const receiver = openAccount(execution, command.destination);
  postFromTreasury(state, receiver, amount);
  events.push({ type: 'treasurySent', commandIndex, account: receiver.address, amount });
  return {};
}

/**
 * Judges a payment: whom it goes to, the decimals of the amount, its minimum, the insurance fund, the treasury.
 * Changes nothing. The operator's commands run before a block has its marks, so the fund is judged
 * by the marks and the open interest that the last one left; the target kept in the state is that of
 * the last block's beginning, and a restored state has none.
 */
export function checkTreasurySend(state: State, command: TreasurySendCommand): Reject | undefined {
  const unreachable = checkDestination(state, command.destination);
  if (unreachable !== undefined) return unreachable;
  const required = microUsdc(command.amountMicroUsdc);
  if (command.amountInexact === true) return { reason: 'amountInexact', floor: required };
  if (required <= 0n) return { reason: 'transferBelowMin', min: microUsdc(1) };
  if (accountValue(state, insuranceFund(state)) < insuranceTarget(state)) {
    return { reason: 'insuranceBelowTarget' };
  }
  const available = state.treasury;
  if (required <= available) return undefined;
  return { reason: 'balanceInsufficient', required, available };
}
