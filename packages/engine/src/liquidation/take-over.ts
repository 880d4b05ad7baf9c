import {
  addUsdc,
  maxUsdc,
  type MicroUsdc,
  minUsdc,
  negUsdc,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import { postToBalance } from '../ledger/post.ts';
import { insuranceFund, isInsuranceFund, mayTakeOver } from '../perp/insurance-fund.ts';
import {
  type Account,
  type Holding,
  holdingOf,
  settingsChanged,
  settingsOf,
} from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { Scope } from '../state/risk-index.ts';
import type { State } from '../state/state.ts';
import { bankruptcyPrice } from './bankruptcy-price.ts';
import { tradeOffBook } from './close-position.ts';
import { rankPositions, wouldBankrupt } from './deleverage.ts';
import { emitStep } from './emit-step.ts';
import { healthOf, isWorkable, positionsOf, scopeOf } from './scope.ts';

/**
 * Steps (3) and (4) of R-liquidation: each position goes to the insurance fund at its bankruptcy
 * price if the fund may take it, otherwise to the traders on the other side (R-adl), and what nobody
 * can take falls to the fund all the same (R-deficit).
 */
export function takeOverAll(execution: Execution, scope: Scope): void {
  const positions = positionsOf(scope).filter((each) => isWorkable(execution.state, each));
  takeOver(execution, scope, positions);
}

/** Takes over some positions of a scope, wherever their markets stand. */
export function takeOver(execution: Execution, scope: Scope, positions: readonly Holding[]): void {
  const { state } = execution;
  const balanceBefore = scope.account.perpBalance;
  for (const holding of positions) {
    const health = healthOf(state, scope);
    const price = bankruptcyPrice(holding, health.equity, health.maintenance);
    if (mayTakeOver(state, holding, holding.size, price)) {
      emitStep(execution, scope, health, 'insurance', [holding], price);
      giveToFund(execution, scope.account, holding, price);
    } else {
      emitStep(execution, scope, health, 'adl', [holding], price);
      deleverage(execution, scope.account, holding, price);
      if (holding.size !== 0) giveToFund(execution, scope.account, holding, price);
    }
  }
  if (positionsOf(scope).length > 0) return;
  // A cross account gives what it has left, an isolated position what it has just paid out.
  const kept = scope.holding === undefined ? ZERO_USDC : balanceBefore;
  giveRest(execution, scope.account, kept);
}

function giveToFund(execution: Execution, account: Account, holding: Holding, price: number): void {
  const { state } = execution;
  const fund = insuranceFund(state);
  const target = fundHolding(state, fund, holding.perp);
  const size = holding.size;
  tradeOffBook(execution, { account, holding }, -size, price);
  tradeOffBook(execution, { account: fund, holding: target }, size, price);
}

/** The fund is a cross account, in instruments where others may only be isolated too. */
function fundHolding(state: State, fund: Account, perp: Perp): Holding {
  const { defaultLeverage } = parametersOf(state);
  const settings = settingsOf(fund, perp, defaultLeverage);
  if (settings.isIsolated) {
    settings.isIsolated = false;
    settingsChanged(fund, perp, settings);
  }
  return holdingOf(fund, perp, 0, defaultLeverage);
}

/** Closes against the highest ranked positions of the other side; nobody is flipped or ruined. */
function deleverage(execution: Execution, account: Account, holding: Holding, price: number): void {
  const { commandIndex, events, state } = execution;
  const { perp } = holding;
  for (const ranked of rankPositions(state, perp, holding.size < 0)) {
    if (holding.size === 0) return;
    if (ranked.account === account) continue;
    const size = Math.min(Math.abs(holding.size), Math.abs(ranked.holding.size));
    if (wouldBankrupt(state, ranked, size, price)) continue;
    const signed = ranked.holding.size > 0 ? -size : size;
    const realised = tradeOffBook(execution, ranked, signed, price);
    tradeOffBook(execution, { account, holding }, -signed, price);
    events.push({
      type: 'deleveraged',
      commandIndex,
      account: ranked.account.address,
      instrumentId: perp.definition.instrumentId,
      size,
      price,
      realised,
    });
    const closed = scopeOf(ranked.account, ranked.holding);
    state.risk.changed(closed.account, closed.holding);
  }
}

/** What equity is left when the last position is gone goes to the fund: rounding, mostly. */
function giveRest(execution: Execution, account: Account, kept: MicroUsdc): void {
  const { state } = execution;
  const rest = subUsdc(account.perpBalance, kept);
  if (rest <= 0n) return;
  postToBalance(state, account, negUsdc(rest));
  postToBalance(state, insuranceFund(state), rest);
}

/**
 * R-deficit: a balance or isolated margin below zero with no position left falls to the fund, then
 * to the fee treasury, then to the fund below zero. Balances of others are never cut.
 */
export function closeDeficit(execution: Execution, scope: Scope): void {
  const { state } = execution;
  const { account, holding } = scope;
  if (isInsuranceFund(state, account)) return;
  const amount = holding === undefined ? account.perpBalance : holding.isolatedMargin;
  if (amount >= 0n) return;
  const missing = negUsdc(amount);
  if (holding === undefined) postToBalance(state, account, missing);
  else holding.isolatedMargin = ZERO_USDC;
  coverDeficit(execution, missing);
}

function coverDeficit(execution: Execution, missing: MicroUsdc): void {
  const { state } = execution;
  const fund = insuranceFund(state);
  const fromFund = minUsdc(missing, maxUsdc(fund.perpBalance, ZERO_USDC));
  const afterFund = subUsdc(missing, fromFund);
  const fromTreasury = minUsdc(afterFund, state.treasury);
  state.treasury = subUsdc(state.treasury, fromTreasury);
  const belowZero = subUsdc(afterFund, fromTreasury);
  postToBalance(state, fund, negUsdc(addUsdc(fromFund, belowZero)));
}
