import { type Address, microUsdc, timeMs } from '@oddlot/units';
import { checkDestination } from '../auth/destination.ts';
import { postDeposit } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import type { CreditFaucetCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { accountAt } from '../state/account-at.ts';
import { type Account, createAccount } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** Test money; the first credit opens the account (R-account). */
export function creditFaucet(execution: Execution, command: CreditFaucetCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkCreditFaucet(state, command);
  if (reject !== undefined) return { reject };
  const account = openAccount(execution, command.account);
  const amount = microUsdc(command.amountMicroUsdc);
  postDeposit(state, account, command.subAccount, amount);
  events.push({
    type: 'faucetCredited',
    commandIndex,
    account: command.account,
    subAccount: command.subAccount,
    amount,
  });
  return { account: command.account };
}

/** Judges a grant of test money: whom it goes to. Changes nothing. */
export function checkCreditFaucet(
  state: State,
  { account }: CreditFaucetCommand,
): Reject | undefined {
  return checkDestination(state, account);
}

/** The account under an address, opened now when it is new. */
export function openAccount(execution: Execution, address: Address): Account {
  const { commandIndex, events, state } = execution;
  const known = accountAt(state, address);
  if (known !== undefined) return known;
  const account = createAccount(state.accounts.length, address, timeMs(state.timeMs));
  state.accounts.push(account);
  state.accountIndex.set(address, account.index);
  state.keyChanges += 1;
  state.bridge?.pegs.delete(address);
  state.digest.text(address);
  events.push({ type: 'accountCreated', commandIndex, account: address });
  return account;
}
