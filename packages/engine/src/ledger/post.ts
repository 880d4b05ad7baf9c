import { addUsdc, type MicroUsdc } from '@oddlot/units';
import type { Account } from '../account.ts';
import type { SubAccount } from '../command.ts';
import type { State } from '../state.ts';

/** The only writers of balances. What one pocket loses another gains, in the same call. */

/** Money enters the venue. */
export function postDeposit(
  state: State,
  account: Account,
  subAccount: SubAccount,
  amount: MicroUsdc,
): void {
  if (subAccount === 'perp') account.perpBalance = addUsdc(account.perpBalance, amount);
  else account.outcomeBalance = addUsdc(account.outcomeBalance, amount);
  state.deposited = addUsdc(state.deposited, amount);
  absorbBalances(state, account);
}

/**
 * Money changes pockets inside one account: between its balance and the cost of a position, an
 * isolated margin, a reserve, or a fee that `postFee` takes on.
 */
export function postToBalance(state: State, account: Account, amount: MicroUsdc): void {
  if (amount < 0n) state.risk.changed(account, undefined);
  account.perpBalance = addUsdc(account.perpBalance, amount);
  absorbBalances(state, account);
}

/** An exchange fee reaches the treasury (R-treasury). */
export function postFee(state: State, fee: MicroUsdc): void {
  state.treasury = addUsdc(state.treasury, fee);
}

function absorbBalances(state: State, account: Account): void {
  state.digest.word(account.index);
  state.digest.amount(account.perpBalance);
  state.digest.amount(account.outcomeBalance);
}
