import { divCeil, divFloor, RATE_ONE, timeMs, ZERO_USDC } from '@oddlot/units';
import { LIMITS } from '../messages/limits.ts';
import { restrictingPerp, restrictedLimit } from '../perp/margin-restriction.ts';
import { isInsuranceFund } from '../perp/insurance-fund.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { type Progress, safeDistance, type Scope } from '../state/liquidations.ts';
import { bankruptcyPrice } from './bankruptcy-price.ts';
import { clearOrders, closeHedgePairs } from './clear-orders.ts';
import { emitStep } from './trade-off-book.ts';
import type { Rankings } from './rankings.ts';
import {
  byScope,
  compareRatio,
  healthOf,
  isDeep,
  isLiquidatable,
  isWorkable,
  positionsOf,
  scopesToCheck,
} from './scope.ts';
import { closeDeficit } from './deficit.ts';
import { takeOverAll } from './take-over.ts';
import type { OrderRequest } from '../messages/command.ts';
import { matchOrder } from '../perp-orders/match-order.ts';
import { type TakerOrder, takerSnapshot, observePerpEntry } from '../perp-orders/taker-order.ts';
import { emitOrder } from '../order-common/order-events.ts';

/**
 * Step (7) of a block (R-liquidation): checks the margin accounts that could be endangered and
 * liquidates any with a ratio of at most 1. Accounts deferred by earlier blocks come first,
 * followed by the others by ratio, lowest first, and then by address. Accounts that a price gap
 * made insolvent have already been settled by `settleInsolvent`. The number per block is limited
 * (R-storms).
 */
export function liquidate(execution: Execution, rankings: Rankings): void {
  const { state } = execution;
  // Liquidations in progress are checked when they are due. A restored venue iterates in a
  // different order, so margin accounts are sorted by address.
  for (const scope of scopesToCheck(state).sort(byScope)) {
    if (!state.liquidations.has(scope)) look(execution, scope);
  }
  if (state.liquidations.size === 0) return;
  const due = state.liquidations
    .all()
    .filter(({ progress }) => progress.nextMs <= state.timeMs)
    .map((each) => ({ ...each, health: healthOf(state, each.scope) }))
    .sort(
      (a, b) =>
        Math.min(a.progress.nextMs, 0) - Math.min(b.progress.nextMs, 0) ||
        compareRatio(a.health, b.health) ||
        byScope(a.scope, b.scope),
    );
  const { liquidationsPerBlock } = LIMITS;
  // Deferred accounts get a negative time, so that the next block handles them first, the
  // longest-waiting first.
  for (const { progress } of due.slice(liquidationsPerBlock)) {
    progress.nextMs = Math.min(progress.nextMs, 0) - 1;
  }
  for (const { progress, scope } of due.slice(0, liquidationsPerBlock)) {
    work(execution, scope, progress, rankings);
  }
}

function look(execution: Execution, scope: Scope): void {
  const { state } = execution;
  if (isInsuranceFund(state, scope.account)) return;
  if (scope.holding?.isIsolated === false) {
    // The position was closed and its instrument switched back to cross margin, so it belongs to
    // another margin account.
    state.risk.forget(scope);
    state.liquidations.end(scope);
    return;
  }
  const health = healthOf(state, scope);
  if (isLiquidatable(health)) {
    state.liquidations.start(scope, state.timeMs);
    return;
  }
  state.liquidations.end(scope);
  if (health.notional === 0n) {
    state.risk.forget(scope);
    closeDeficit(execution, scope);
    return;
  }
  state.risk.wait(scope, safeDistance(health.equity, health.risk, health.notional));
}

function work(execution: Execution, scope: Scope, progress: Progress, rankings: Rankings): void {
  const { state } = execution;
  // A closed position may have been reopened with cross margin, in which case it belongs to another
  // margin account.
  const isSafe = (): boolean =>
    scope.holding?.isIsolated === false || !isLiquidatable(healthOf(state, scope));
  progress.nextMs = state.timeMs + parametersOf(state).liquidationRetryMs;
  if (isSafe()) return finish(execution, scope);
  // If all of its markets are suspended, the account's orders stay (R-halt, R-oracle-stale).
  if (!positionsOf(scope).some((each) => isWorkable(state, each))) return finish(execution, scope);
  clearOrders(execution, scope);
  if (isSafe()) return finish(execution, scope);
  closeHedgePairs(execution, scope);
  if (isSafe()) return finish(execution, scope);
  for (const holding of positionsOf(scope)) {
    if (!isWorkable(state, holding)) continue;
    sendToMarket(execution, scope, holding, progress);
    if (isSafe()) return finish(execution, scope);
  }
  if (isDeep(healthOf(state, scope))) takeOverAll(execution, scope, { rankings });
  finish(execution, scope);
}

/**
 * Returns a safe or empty margin account to the index; otherwise its liquidation stays in progress.
 */
function finish(execution: Execution, scope: Scope): void {
  execution.state.risk.changed(scope.account, scope.holding);
  look(execution, scope);
}

/**
 * Step (2) of a liquidation: sends a reduce-only order at the bankruptcy price, within the band
 * around the mark. A large position is sent in two parts: a share immediately, and the whole
 * position after a delay.
 */
function sendToMarket(
  execution: Execution,
  scope: Scope,
  holding: Holding,
  progress: Progress,
): void {
  const { state } = execution;
  const health = healthOf(state, scope);
  const size = sizeToSend(execution, holding, progress);
  if (size === 0) return;
  const { liquidationBandE8 } = parametersOf(state);
  const bankrupt = bankruptcyPrice(state, scope, holding, health);
  const isRestricted = restrictingPerp(state, scope) !== undefined;
  const limit = limitPrice(holding, bankrupt, liquidationBandE8, isRestricted);
  const key = holdingKey(holding.perp.definition.instrumentId, holding.leg);
  // If the book cannot fill any of the order, the step is recorded once instead of every second.
  if (progress.tried.has(key) && !holding.perp.book.crosses(holding.size < 0, limit)) return;
  progress.tried.add(key);
  emitStep(execution, scope, health, 'market', [holding], limit);
  const { filled } = marketClose(execution, { account: scope.account, holding, size, limit });
  const partial = progress.partials.get(key);
  if (partial !== undefined) partial.left = Math.max(0, partial.left - filled);
}

function sizeToSend(execution: Execution, holding: Holding, progress: Progress): number {
  const { state } = execution;
  const parameters = parametersOf(state);
  const magnitude = Math.abs(holding.size);
  const key = holdingKey(holding.perp.definition.instrumentId, holding.leg);
  let partial = progress.partials.get(key);
  if (partial === undefined) {
    if (holding.notional <= BigInt(parameters.liquidationPartialMicroUsdc)) return magnitude;
    const share = BigInt(magnitude) * BigInt(parameters.liquidationPartialShareE8);
    partial = { sinceMs: timeMs(state.timeMs), left: Number(divCeil(share, BigInt(RATE_ONE))) };
    progress.partials.set(key, partial);
  }
  const isWhole = state.timeMs - partial.sinceMs >= parameters.liquidationPartialWaitMs;
  return isWhole ? magnitude : Math.min(magnitude, partial.left);
}

/**
 * Returns the limit price of a liquidation order. A long position does not sell below the
 * bankruptcy price or the band, and a short position does not buy above them. For a
 * margin-restricted account, the limit is as close to the mark as for its other fills.
 */
function limitPrice(
  holding: Holding,
  bankrupt: number,
  bandE8: number,
  isRestricted: boolean,
): number {
  const { mark } = holding.perp;
  const one = BigInt(RATE_ONE);
  if (holding.size > 0) {
    const floor = Number(divCeil(BigInt(mark) * (one - BigInt(bandE8)), one));
    return Math.max(bankrupt, floor, isRestricted ? restrictedLimit(holding) : 0);
  }
  const ceiling = Number(divFloor(BigInt(mark) * (one + BigInt(bandE8)), one));
  return Math.max(
    1,
    Math.min(bankrupt, ceiling, isRestricted ? restrictedLimit(holding) : ceiling),
  );
}

/**
 * Closes part of a position with an immediate, reduce-only order placed by the venue. The order has
 * no price band and no minimum or maximum size. Returns the filled size and its value.
 */
export function marketClose(
  execution: Execution,
  close: {
    readonly account: Account;
    readonly holding: Holding;
    readonly size: number;
    readonly limit: number;
    /** With `none`, the close is free; by default, it pays the liquidation fee and no taker fee. */
    readonly fee?: 'none';
  },
): { readonly filled: number; readonly value: number } {
  const { state } = execution;
  const { account, holding, limit, size } = close;
  const request: OrderRequest = {
    instrumentId: holding.perp.definition.instrumentId,
    isBuy: holding.size < 0,
    price: limit,
    size,
    reduceOnly: true,
    timeInForce: 'ioc',
  };
  const taker: TakerOrder = {
    orderId: state.nextOrderId++,
    account,
    holding,
    request,
    price: limit,
    original: size,
    remaining: size,
    filledNotional: 0,
    reserve: ZERO_USDC,
    feeOverpaid: 0,
    builder: undefined,
    forced: close.fee === 'none' ? 'unwind' : 'liquidation',
    amended: undefined,
    fired: undefined,
  };
  if (state.observer !== undefined) observePerpEntry(state, taker);
  const stopped = matchOrder(execution, taker);
  const order = takerSnapshot(taker, timeMs(state.timeMs));
  if (taker.remaining === 0) emitOrder(execution, 'filled', order);
  else emitOrder(execution, 'cancelled', order, stopped ?? 'iocRemainder');
  return { filled: size - taker.remaining, value: taker.filledNotional };
}
