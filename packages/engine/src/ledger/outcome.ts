import { addUsdc, type MicroUsdc, subUsdc } from '@oddlot/units';
import type { Account } from '../state/account.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';

/** The writers of money in the outcome sub-account. What one pocket loses another gains. */

/** Sets money of a buy aside, or gives it back when negative (R-reserve). */
export function postReserve(state: State, account: Account, amount: MicroUsdc): void {
  account.outcomeBalance = subUsdc(account.outcomeBalance, amount);
  account.outcomeReserved = addUsdc(account.outcomeReserved, amount);
  absorb(state, account);
}

/** A buy pays out of its reserve; where it goes is the caller's to say in the same step. */
export function postFromReserve(state: State, account: Account, amount: MicroUsdc): void {
  account.outcomeReserved = subUsdc(account.outcomeReserved, amount);
  absorb(state, account);
}

/** Money enters the free balance, or leaves it when negative. */
export function postToOutcome(state: State, account: Account, amount: MicroUsdc): void {
  account.outcomeBalance = addUsdc(account.outcomeBalance, amount);
  absorb(state, account);
}

/** Collateral is locked behind new pairs, or released when negative. */
export function postCollateral(state: State, market: OutcomeMarket, amount: MicroUsdc): void {
  market.locked = addUsdc(market.locked, amount);
  state.digest.word(market.definition.instrumentId);
  state.digest.amount(market.locked);
}

function absorb(state: State, account: Account): void {
  state.digest.wordAndAmounts(account.index, account.outcomeBalance, account.outcomeReserved);
}
