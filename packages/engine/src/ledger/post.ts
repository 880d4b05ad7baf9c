import {
  addUsdc,
  maxUsdc,
  type MicroUsdc,
  minUsdc,
  negUsdc,
  rateE8,
  shareDown,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import type { SubAccount } from '../messages/command.ts';
import { insuranceFund, noteFundCost } from '../perp/insurance-fund.ts';
import { accountValue } from '../perp/margin.ts';
import type { Account } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { NO_INSTRUMENT } from '../state/fund-costs.ts';
import type { State } from '../state/state.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';

/**
 * A sub-account of an account. Only this module changes balances; each call debits one balance and
 * credits another by the same amount.
 */
type Pocket = { readonly account: Account; readonly subAccount: SubAccount };

/** Credits money that enters the venue. */
export function postDeposit(
  state: State,
  account: Account,
  subAccount: SubAccount,
  amount: MicroUsdc,
): void {
  postToPocket(state, { account, subAccount }, amount);
  state.deposited = addUsdc(state.deposited, amount);
}

/** Moves money from one sub-account to another, in the same or a different account (R-transfer). */
export function postTransfer(state: State, from: Pocket, to: Pocket, amount: MicroUsdc): void {
  postToPocket(state, from, negUsdc(amount));
  postToPocket(state, to, amount);
}

/**
 * Charges the fee for opening another user's account (R-limits-of-state). All of it goes to the
 * treasury, because it is not an exchange fee, in which the insurance fund would share.
 */
export function postOpeningFee(state: State, from: Pocket, fee: MicroUsdc): void {
  if (fee === 0n) return;
  postToPocket(state, from, negUsdc(fee));
  postToTreasury(state, fee);
}

/** Pays collected fees to the perp balance of an account (R-treasury). */
export function postFromTreasury(state: State, account: Account, amount: MicroUsdc): void {
  postToTreasury(state, negUsdc(amount));
  postToBalance(state, account, amount);
}

/** Credits the treasury with an amount the caller debits elsewhere. */
export function postToTreasury(state: State, amount: MicroUsdc): void {
  state.treasury = addUsdc(state.treasury, amount);
  state.digest.amount(state.treasury);
}

/**
 * Moves money inside one account: between its balance and the cost of a position, an isolated
 * margin, a reserve, or a fee that `postFee` collects.
 */
export function postToBalance(state: State, account: Account, amount: MicroUsdc): void {
  if (amount < 0n) state.risk.changed(account, undefined);
  if (amount !== 0n) state.blockRecord.beforeChange?.(account);
  account.perpBalance = addUsdc(account.perpBalance, amount);
  absorbBalances(state, account);
}

/**
 * Collects an exchange fee. The insurance fund receives its share first; the remainder goes to the
 * treasury (R-treasury, R-insurance-fund).
 */
export function postFee(state: State, fee: MicroUsdc): void {
  if (fee === 0n) return;
  const share = fundShare(state, fee);
  if (share > 0n) postToBalance(state, insuranceFund(state), share);
  postToTreasury(state, subUsdc(fee, share));
}

/**
 * Returns the fund's share of a fee: the whole fee while the fund's account value is negative
 * (R-deficit), a share, rounded down, while the value is below target, and nothing once it reaches
 * the target.
 */
function fundShare(state: State, fee: MicroUsdc): MicroUsdc {
  const value = accountValue(state, insuranceFund(state));
  if (value < 0n) return fee;
  const missing = subUsdc(state.insuranceTarget, value);
  if (missing <= 0n) return ZERO_USDC;
  const { insuranceFeeShareE8 } = parametersOf(state);
  return minUsdc(missing, shareDown(fee, rateE8(insuranceFeeShareE8)));
}

/**
 * Covers the deficit of an account (R-deficit): from the insurance fund up to its account value,
 * from the fee treasury, and from the fund below zero, in that order. The caller has already
 * credited the account.
 */
export function postDeficit(state: State, missing: MicroUsdc): void {
  const fund = insuranceFund(state);
  const afterFund = subUsdc(missing, maxUsdc(ZERO_USDC, accountValue(state, fund)));
  const fromTreasury = minUsdc(maxUsdc(ZERO_USDC, afterFund), state.treasury);
  if (fromTreasury > 0n) postToTreasury(state, negUsdc(fromTreasury));
  postToBalance(state, fund, subUsdc(fromTreasury, missing));
  noteFundCost(state, NO_INSTRUMENT, subUsdc(missing, maxUsdc(ZERO_USDC, fromTreasury)));
}

/**
 * Covers a negative account value of the fund from the treasury as far as possible (R-deficit).
 * This is the last step of a block.
 */
export function coverFund(state: State): void {
  const fund = insuranceFund(state);
  const missing = negUsdc(accountValue(state, fund));
  const paid = minUsdc(missing, state.treasury);
  if (paid > 0n) postFromTreasury(state, fund, paid);
}

function postToPocket(state: State, { account, subAccount }: Pocket, amount: MicroUsdc): void {
  if (subAccount === 'perp') {
    postToBalance(state, account, amount);
    return;
  }
  account.outcomeBalance = addUsdc(account.outcomeBalance, amount);
  absorbBalances(state, account);
}

function absorbBalances(state: State, account: Account): void {
  state.digest.wordAndAmounts(account.index, account.perpBalance, account.outcomeBalance);
}

/** Reserves money for a buy, or releases money if the amount is negative (R-reserve). */
export function postReserve(state: State, account: Account, amount: MicroUsdc): void {
  account.outcomeBalance = subUsdc(account.outcomeBalance, amount);
  account.outcomeReserved = addUsdc(account.outcomeReserved, amount);
  absorb(state, account);
}

/** Pays for a buy from its reserve; the caller credits the counterparty in the same step. */
export function postFromReserve(state: State, account: Account, amount: MicroUsdc): void {
  account.outcomeReserved = subUsdc(account.outcomeReserved, amount);
  absorb(state, account);
}

/** Credits the free balance, or debits it if the amount is negative. */
export function postToOutcome(state: State, account: Account, amount: MicroUsdc): void {
  account.outcomeBalance = addUsdc(account.outcomeBalance, amount);
  absorb(state, account);
}

/** Locks collateral for new pairs, or releases collateral if the amount is negative. */
export function postCollateral(state: State, market: OutcomeMarket, amount: MicroUsdc): void {
  market.locked = addUsdc(market.locked, amount);
  state.digest.word(market.definition.instrumentId);
  state.digest.amount(market.locked);
}

function absorb(state: State, account: Account): void {
  state.digest.wordAndAmounts(account.index, account.outcomeBalance, account.outcomeReserved);
}
