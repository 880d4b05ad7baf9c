import { addUsdc, type MicroUsdc, subUsdc } from '@oddlot/units';
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
 * A fill settles: the realised PnL moves from the position's cost to the balance, the exchange fee
 * from the balance to the treasury (R-treasury).
 */
export function postFill(
  state: State,
  account: Account,
  realised: MicroUsdc,
  fee: MicroUsdc,
): void {
  account.perpBalance = subUsdc(addUsdc(account.perpBalance, realised), fee);
  state.treasury = addUsdc(state.treasury, fee);
  absorbBalances(state, account);
}

function absorbBalances(state: State, account: Account): void {
  state.digest.word(account.index);
  state.digest.amount(account.perpBalance);
  state.digest.amount(account.outcomeBalance);
}
