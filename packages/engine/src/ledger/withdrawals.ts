import {
  addUsdc,
  type MicroUsdc,
  negUsdc,
  present,
  RATE_ONE,
  subUsdc,
  timeMs,
} from '@oddlot/units';
import { LIMITS } from '../messages/limits.ts';
import { insuranceFund, isInsuranceFund } from '../perp/insurance-fund.ts';
import { accountValue } from '../perp/margin.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import type { Withdrawal } from '../state/bridge.ts';
import { postToBalance, postToTreasury } from './post.ts';

type WithdrawalRequest = Pick<Withdrawal, 'amount' | 'fee' | 'destination' | 'nonce'>;

/** Debits the amount from the perp balance and puts it on hold. */
export function holdWithdrawal(
  state: State,
  account: Account,
  request: WithdrawalRequest,
): Withdrawal {
  const withdrawal: Withdrawal = {
    withdrawalId: state.nextWithdrawalId,
    accountIndex: account.index,
    requestedMs: timeMs(state.timeMs),
    ...request,
  };
  state.nextWithdrawalId += 1;
  state.withdrawals.set(withdrawal.withdrawalId, withdrawal);
  postToBalance(state, account, negUsdc(request.amount));
  postToHold(state, withdrawal, request.amount);
  state.digest.amount(request.fee);
  state.digest.text(request.destination);
  return withdrawal;
}

/**
 * Settles a withdrawal that the bridge has paid: the amount leaves the hold, and the amount less
 * the fee leaves the venue.
 */
export function payWithdrawal(state: State, withdrawal: Withdrawal): void {
  state.withdrawals.delete(withdrawal.withdrawalId);
  postToHold(state, withdrawal, negUsdc(withdrawal.amount));
  const paid = subUsdc(withdrawal.amount, withdrawal.fee);
  state.withdrawn = addUsdc(state.withdrawn, paid);
  state.digest.amount(state.withdrawn);
  postToTreasury(state, withdrawal.fee);
}

/** Returns the amount and the fee of a withdrawal that the bridge can never pay. */
export function returnWithdrawal(state: State, withdrawal: Withdrawal): void {
  state.withdrawals.delete(withdrawal.withdrawalId);
  postToHold(state, withdrawal, negUsdc(withdrawal.amount));
  postToBalance(state, ownerOf(state, withdrawal), withdrawal.amount);
}

export function ownerOf(state: State, { accountIndex }: Withdrawal): Account {
  return present(state.accounts[accountIndex], 'the owner of a withdrawal');
}

/**
 * Returns the withdrawals that the bridge should pay, by id. There are none while the insurance
 * fund has a large deficit (R-deficit): requests are still accepted but have to wait.
 */
export function payableWithdrawals(state: State): readonly Withdrawal[] {
  return isDeficitDeep(state) ? [] : [...state.withdrawals.values()];
}

/** Returns true if the deficit of the fund exceeds one thousandth of all other accounts' money. */
export function isDeficitDeep(state: State): boolean {
  const missing = negUsdc(accountValue(state, insuranceFund(state)));
  if (missing <= 0n) return false;
  let balances = 0n;
  for (const account of state.accounts) {
    if (isInsuranceFund(state, account)) continue;
    balances += account.perpBalance + account.outcomeBalance + account.withdrawHold;
    for (const { isolatedMargin, reserved } of account.holdings.values()) {
      balances += isolatedMargin + reserved;
    }
  }
  return missing * BigInt(RATE_ONE) > balances * BigInt(LIMITS.fundDeficitE8);
}

function postToHold(state: State, withdrawal: Withdrawal, amount: MicroUsdc): void {
  const account = ownerOf(state, withdrawal);
  account.withdrawHold = addUsdc(account.withdrawHold, amount);
  state.digest.number(withdrawal.withdrawalId);
  state.digest.amount(account.withdrawHold);
}
