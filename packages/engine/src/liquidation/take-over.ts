import { addUsdc, type MicroUsdc, ZERO_USDC } from '@oddlot/units';
import { restrictingPerp } from '../perp/margin-restriction.ts';
import { insuranceFund, mayTakeOver, noteTakingCost } from '../perp/insurance-fund.ts';
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
import { type Scope, scopeOf } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';
import { bankruptcyPrice } from './bankruptcy-price.ts';
import { emitStep, netLegs, tradeOffBook } from './trade-off-book.ts';
import type { Rankings } from './rankings.ts';
import { type Health, healthOf, isDeep, isWorkable, positionsOf } from './scope.ts';
import { payRemainderToFund } from './deficit.ts';

/** Lots of a failing position that another account has taken over outside the book. */
export type Close = {
  readonly failing: Scope;
  readonly holding: Holding;
  readonly counter: Holder;
  /** The sign is 1 if the counterparty bought the lots, and −1 if it sold them. */
  readonly counterSign: 1 | -1;
  readonly size: number;
  readonly opened: number;
  price: number;
  /** The indexes of the two position events and of the notice to the deleveraged account. */
  readonly failingEvent: number;
  readonly counterEvent: number;
  readonly noticeEvent: number | undefined;
};

export type Pass = {
  readonly rankings: Rankings;
  /** The price at which the fund's limits are checked; the price of the close by default. */
  readonly askedPrice?: (holding: Holding) => number;
  readonly onClose?: (close: Close) => void;
};

/** Runs steps (2b) to (4) of R-liquidation for all positions in markets with a valid price. */
export function takeOverAll(execution: Execution, scope: Scope, pass: Pass): void {
  const positions = positionsOf(scope).filter((each) => isWorkable(execution.state, each));
  takeOver(execution, scope, positions, pass);
}

/**
 * Runs steps (2b) to (4) for the given positions of a margin account, whatever the state of their
 * markets.
 */
export function takeOver(
  execution: Execution,
  scope: Scope,
  positions: readonly Holding[],
  pass: Pass,
): void {
  const { state } = execution;
  if (positions.length > 0) netLegs(execution, scope);
  // The remaining positions may already be safe: maintenance margin falls faster than size, and a
  // margin-restricted account closes at the mark.
  if (positionsOf(scope).length === 0 || !isDeep(healthOf(state, scope))) return;
  let paidOut = ZERO_USDC;
  for (const holding of positions) {
    if (holding.size === 0) continue;
    if (!isDeep(healthOf(state, scope))) break;
    paidOut = addUsdc(paidOut, takeOverOne(execution, scope, holding, pass));
  }
  if (positionsOf(scope).length > 0) return;
  // A cross account pays all its remaining equity, an isolated position its payout.
  payRemainderToFund(execution, scope.account, scope.holding === undefined ? undefined : paidOut);
}

/**
 * Runs steps (3) and (4) for one position: it goes to the insurance fund at its bankruptcy price if
 * the fund may take it, otherwise to the traders on the other side (R-adl). If the account is
 * insolvent, any remainder goes to the fund regardless (R-deficit); if it is solvent, the remainder
 * waits. Returns the amount that the closes paid to the owner's balance.
 */
export function takeOverOne(
  execution: Execution,
  scope: Scope,
  holding: Holding,
  pass: Pass,
): MicroUsdc {
  const { state } = execution;
  const health = healthOf(state, scope);
  const price = closingPrice(state, scope, holding, health);
  const asked = pass.askedPrice?.(holding) ?? price;
  if (mayTakeOver(state, holding, holding.size, asked)) {
    emitStep(execution, scope, health, 'insurance', [holding], price);
    return giveToFund(execution, scope, holding, price, pass);
  }
  emitStep(execution, scope, health, 'adl', [holding], price);
  const paid = deleverage(execution, scope, holding, price, pass);
  if (holding.size === 0 || health.equity >= 0n) return paid;
  // The remainder goes to the fund and is recorded as a separate step.
  emitStep(execution, scope, healthOf(state, scope), 'insurance', [holding], price);
  return addUsdc(paid, giveToFund(execution, scope, holding, price, pass));
}

/** Returns the bankruptcy price, or the mark for a margin-restricted account with equity. */
function closingPrice(state: State, scope: Scope, holding: Holding, health: Health): number {
  const isRestricted = health.equity >= 0n && restrictingPerp(state, scope) !== undefined;
  return isRestricted ? holding.perp.mark : bankruptcyPrice(state, scope, holding, health);
}

function giveToFund(
  execution: Execution,
  failing: Scope,
  holding: Holding,
  price: number,
  pass: Pass,
): MicroUsdc {
  const { state } = execution;
  const fund = insuranceFund(state);
  const target = fundHolding(state, fund, holding.perp);
  const { size } = holding;
  const before = target.size;
  noteTakingCost(state, holding.perp, size, price);
  const own = tradeOffBook(execution, { account: failing.account, holding }, -size, price);
  const other = tradeOffBook(execution, { account: fund, holding: target }, size, price);
  // If the fund's position changed direction, unwinding restarts with the narrowest band.
  if (Math.sign(target.size) !== Math.sign(before)) {
    state.fundUnwindBands.delete(holding.perp.definition.instrumentId);
  }
  const isAgainst = Math.sign(before) === -Math.sign(size);
  pass.onClose?.({
    failing,
    holding,
    counter: { account: fund, holding: target },
    counterSign: size > 0 ? 1 : -1,
    size: Math.abs(size),
    opened: Math.max(0, Math.abs(size) - (isAgainst ? Math.abs(before) : 0)),
    price,
    failingEvent: own.event,
    counterEvent: other.event,
    noticeEvent: undefined,
  });
  return own.paid;
}

/**
 * Returns the fund's holding of a perp, which is always cross, even in instruments that only allow
 * isolated margin.
 */
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
 * Closes against the highest-ranked positions on the other side, including positions of the same
 * owner, up to their size when the gap occurred. No position changes direction.
 */
function deleverage(
  execution: Execution,
  failing: Scope,
  holding: Holding,
  price: number,
  pass: Pass,
): MicroUsdc {
  const { commandIndex, events, state } = execution;
  const { perp } = holding;
  let paid = ZERO_USDC;
  for (const { account, holding: ranked } of pass.rankings.of(perp, holding.size < 0)) {
    if (holding.size === 0) break;
    // The book may have closed or reversed a position since the ranking was computed.
    if (Math.sign(ranked.size) !== -Math.sign(holding.size)) continue;
    const size = Math.min(Math.abs(holding.size), state.blockRecord.heldSince(ranked));
    if (size <= 0) continue;
    const signed = ranked.size > 0 ? -size : size;
    const counter = { account, holding: ranked };
    state.blockRecord.takeHeld(ranked, size);
    const other = tradeOffBook(execution, counter, signed, price);
    const own = tradeOffBook(execution, { account: failing.account, holding }, -signed, price);
    paid = addUsdc(paid, own.paid);
    const noticeEvent = events.length;
    events.push({
      type: 'deleveraged',
      commandIndex,
      account: account.address,
      instrumentId: perp.definition.instrumentId,
      size,
      price,
      realised: other.realised,
    });
    const closed = scopeOf(account, ranked);
    state.risk.changed(closed.account, closed.holding);
    pass.onClose?.({
      failing,
      holding,
      counter,
      counterSign: signed > 0 ? 1 : -1,
      size,
      opened: 0,
      price,
      failingEvent: own.event,
      counterEvent: other.event,
      noticeEvent,
    });
  }
  return paid;
}
