import { addUsdc, type MicroUsdc, negUsdc, subUsdc, ZERO_USDC } from '@oddlot/units';
import { postDeficit, postToBalance } from '../ledger/post.ts';
import { insuranceFund, isInsuranceFund, mayTakeOver } from '../perp/insurance-fund.ts';
import {
  type Account,
  type Holding,
  holdingOf,
  settingsChanged,
  settingsOf,
} from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { Holder } from '../state/holders.ts';
import type { Perp } from '../state/perp.ts';
import type { Scope } from '../state/risk-index.ts';
import type { State } from '../state/state.ts';
import { bankruptcyPrice } from './bankruptcy-price.ts';
import { tradeOffBook } from './close-position.ts';
import { mayDeleverage, type RankedPosition } from './deleverage.ts';
import { emitStep } from './emit-step.ts';
import { netLegs } from './net-legs.ts';
import type { Rankings } from './rankings.ts';
import { healthOf, isDeep, isWorkable, positionsOf, scopeOf } from './scope.ts';

/**
 * Steps (2b) to (4) of R-liquidation: an isolated leg closes against its owner's other one, then each
 * position goes to the insurance fund at its bankruptcy price if the fund may take it, otherwise to
 * the traders on the other side (R-adl), and what nobody can take falls to the fund all the same
 * (R-deficit).
 */
export function takeOverAll(execution: Execution, scope: Scope, rankings: Rankings): void {
  const positions = positionsOf(scope).filter((each) => isWorkable(execution.state, each));
  takeOver(execution, scope, positions, rankings);
}

/** Takes over some positions of a scope, wherever their markets stand. */
export function takeOver(
  execution: Execution,
  scope: Scope,
  positions: readonly Holding[],
  rankings: Rankings,
): void {
  const { state } = execution;
  if (positions.length > 0) netLegs(execution, scope);
  // Maintenance falls faster than the size where tiers end: what is left may be well off.
  if (positionsOf(scope).length === 0 || !isDeep(healthOf(state, scope))) return;
  let paidOut = ZERO_USDC;
  for (const holding of positions) {
    const health = healthOf(state, scope);
    const price = bankruptcyPrice(holding, health.equity, health.maintenance);
    if (mayTakeOver(state, holding, holding.size, price)) {
      emitStep(execution, scope, health, 'insurance', [holding], price);
      paidOut = addUsdc(paidOut, giveToFund(execution, scope.account, holding, price));
    } else {
      emitStep(execution, scope, health, 'adl', [holding], price);
      const side = { account: scope.account, holding };
      paidOut = addUsdc(paidOut, deleverage(execution, side, price, rankings));
      if (holding.size === 0) continue;
      // R-deficit: nobody else takes the rest. It has a record of its own, as every step has.
      emitStep(execution, scope, healthOf(state, scope), 'insurance', [holding], price);
      paidOut = addUsdc(paidOut, giveToFund(execution, scope.account, holding, price));
    }
  }
  if (positionsOf(scope).length > 0) return;
  // A cross account gives what it has left, an isolated position what its take-over paid out.
  giveRest(execution, scope.account, scope.holding === undefined ? undefined : paidOut);
}

/** Returns what the close paid to the owner's balance. */
function giveToFund(
  execution: Execution,
  account: Account,
  holding: Holding,
  price: number,
): MicroUsdc {
  const { state } = execution;
  const fund = insuranceFund(state);
  const target = fundHolding(state, fund, holding.perp);
  const { size } = holding;
  const before = target.size;
  const paid = closeFailing(execution, { account, holding }, -size, price);
  tradeOffBook(execution, { account: fund, holding: target }, size, price);
  // Another position, which is offered at its own price again.
  if (Math.sign(target.size) !== Math.sign(before)) {
    state.fundUnwindBands.delete(holding.perp.definition.instrumentId);
  }
  return paid;
}

/** Closes part of what fails, and returns what that paid to its owner's balance. */
function closeFailing(
  execution: Execution,
  side: Holder,
  signedSize: number,
  price: number,
): MicroUsdc {
  const before = side.account.perpBalance;
  tradeOffBook(execution, side, signedSize, price);
  return subUsdc(side.account.perpBalance, before);
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

/**
 * Closes against the highest ranked positions of the other side, the owner's own among them; nobody
 * is flipped or ruined. Returns what the failing side was paid.
 */
function deleverage(
  execution: Execution,
  failing: Holder,
  price: number,
  rankings: Rankings,
): MicroUsdc {
  const { perp, size } = failing.holding;
  const isLong = size < 0;
  const paid = closeRanked(execution, failing, price, rankings.of(perp, isLong));
  if (failing.holding.size === 0) return paid;
  const late = closeRanked(execution, failing, price, rankings.renewed(perp, isLong));
  return addUsdc(paid, late);
}

function closeRanked(
  execution: Execution,
  failing: Holder,
  price: number,
  ranking: Iterable<RankedPosition>,
): MicroUsdc {
  const { commandIndex, events, state } = execution;
  const { holding } = failing;
  let paid = ZERO_USDC;
  for (const ranked of ranking) {
    if (holding.size === 0) break;
    // The book may have closed or turned a position since it was ranked.
    if (Math.sign(ranked.holding.size) !== -Math.sign(holding.size)) continue;
    const size = Math.min(Math.abs(holding.size), Math.abs(ranked.holding.size));
    if (!mayDeleverage(state, ranked, size, price)) continue;
    const signed = ranked.holding.size > 0 ? -size : size;
    const realised = tradeOffBook(execution, ranked, signed, price);
    paid = addUsdc(paid, closeFailing(execution, failing, -signed, price));
    events.push({
      type: 'deleveraged',
      commandIndex,
      account: ranked.account.address,
      instrumentId: holding.perp.definition.instrumentId,
      size,
      price,
      realised,
    });
    const closed = scopeOf(ranked.account, ranked.holding);
    state.risk.changed(closed.account, closed.holding);
  }
  return paid;
}

/** What equity is left when the last position is gone goes to the fund: rounding, mostly. */
function giveRest(execution: Execution, account: Account, paidOut: MicroUsdc | undefined): void {
  const { state } = execution;
  const rest = paidOut ?? account.perpBalance;
  if (rest <= 0n) return;
  postToBalance(state, account, negUsdc(rest));
  postToBalance(state, insuranceFund(state), rest);
  emitSettled(execution, account, negUsdc(rest));
}

/** The account's ledger shows where its money went, or came from. */
function emitSettled(
  { commandIndex, events, state }: Execution,
  { address: account }: Account,
  amount: MicroUsdc,
): void {
  const fund = insuranceFund(state).address;
  events.push({ type: 'fundSettled', commandIndex, account, fund, amount });
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
  else {
    holding.isolatedMargin = ZERO_USDC;
    state.digest.amount(ZERO_USDC);
  }
  postDeficit(state, missing);
  emitSettled(execution, account, missing);
}
