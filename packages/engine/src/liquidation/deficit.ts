import { type MicroUsdc, negUsdc, ZERO_USDC } from '@oddlot/units';
import { postDeficit, postToBalance } from '../ledger/post.ts';
import { insuranceFund, isInsuranceFund } from '../perp/insurance-fund.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { Scope } from '../state/liquidations.ts';

/**
 * Pays the fund any equity that remains after the last position is closed, mostly from rounding.
 */
export function payRemainderToFund(
  execution: Execution,
  account: Account,
  paidOut: MicroUsdc | undefined,
): void {
  const { state } = execution;
  const rest = paidOut ?? account.perpBalance;
  if (rest <= 0n) return;
  postToBalance(state, account, negUsdc(rest));
  postToBalance(state, insuranceFund(state), rest);
  emitSettled(execution, account, negUsdc(rest));
}

/**
 * Covers a negative balance or isolated margin without a position (R-deficit): from the fund, from
 * the fee treasury, and from the fund below zero, in that order. Other accounts' balances are never
 * reduced.
 */
export function closeDeficit(execution: Execution, scope: Scope): void {
  const { state } = execution;
  const { account, holding } = scope;
  if (isInsuranceFund(state, account)) return;
  const amount = holding === undefined ? account.perpBalance : holding.isolatedMargin;
  if (amount >= 0n) return;
  const missing = negUsdc(amount);
  if (holding === undefined) postToBalance(state, account, missing);
  else {
    holding.isolatedMargin = ZERO_USDC;
    state.digest.amount(ZERO_USDC);
  }
  postDeficit(state, missing);
  emitSettled(execution, account, missing);
}

/** Emits the event that lists the transfer in the account's ledger. */
function emitSettled(
  { commandIndex, events, state }: Execution,
  { address: account }: Account,
  amount: MicroUsdc,
): void {
  const fund = insuranceFund(state).address;
  events.push({ type: 'fundSettled', commandIndex, account, fund, amount });
}
