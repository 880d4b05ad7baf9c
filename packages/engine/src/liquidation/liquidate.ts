import { divCeil, divFloor, RATE_ONE, timeMs } from '@oddlot/units';
import { NONE, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { read } from '../book/read-slot.ts';
import { LIMITS } from '../messages/limits.ts';
import { cancelPerpOrder } from '../perp-orders/end-order.ts';
import { isInsuranceFund } from '../perp/insurance-fund.ts';
import { type Holding, holdingKey, legOf } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { Progress } from '../state/liquidations.ts';
import { safeDistance, type Scope } from '../state/risk-index.ts';
import { cancelTriggers } from '../triggers/cancel-triggers.ts';
import { bankruptcyPrice } from './bankruptcy-price.ts';
import { tradeOffBook } from './close-position.ts';
import { emitStep } from './emit-step.ts';
import { marketClose } from './market-close.ts';
import { Rankings } from './rankings.ts';
import {
  byScope,
  compareRatio,
  healthOf,
  isDeep,
  isLiquidatable,
  isWorkable,
  positionsOf,
} from './scope.ts';
import { closeDeficit, takeOverAll } from './take-over.ts';

/**
 * R-liquidation, step (7) of a block: looks at the scopes that could be in danger, and works the
 * ones whose ratio is 1 or less, those that earlier blocks left over first, then the lowest ratio,
 * then the address. A block works so many and no more (R-storms).
 */
export function liquidate(execution: Execution): void {
  const { state } = execution;
  // What is under way is looked at when it is its turn. A restored venue has another order of what
  // changed, so that of the addresses decides.
  for (const scope of state.risk.take().sort(byScope)) {
    if (!state.liquidations.has(scope)) look(execution, scope);
  }
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
  // The rest go first in the next block, the longer they were left the earlier: a time below 0 says so.
  for (const { progress } of due.slice(liquidationsPerBlock)) {
    progress.nextMs = Math.min(progress.nextMs, 0) - 1;
  }
  const rankings = new Rankings(state);
  for (const { progress, scope } of due.slice(0, liquidationsPerBlock)) {
    work(execution, scope, progress, rankings);
  }
}

/** Decides whether a scope is in danger, and when to look again if not. */
function look(execution: Execution, scope: Scope): void {
  const { state } = execution;
  if (isInsuranceFund(state, scope.account)) return;
  if (scope.holding?.isIsolated === false) {
    // The position closed and its instrument went back to cross, which is another scope.
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

/** One pass over a scope: orders away, then the market, then the fund, then the others. */
function work(execution: Execution, scope: Scope, progress: Progress, rankings: Rankings): void {
  const { state } = execution;
  // A position that closed may have come back under cross margin: that is another scope.
  const isSafe = (): boolean =>
    scope.holding?.isIsolated === false || !isLiquidatable(healthOf(state, scope));
  progress.nextMs = state.timeMs + parametersOf(state).liquidationRetryMs;
  if (isSafe()) return finish(execution, scope);
  // Where all of its markets wait, so do its orders: they may be what closes it (R-halt, R-oracle-stale).
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
  if (isDeep(healthOf(state, scope))) takeOverAll(execution, scope, rankings);
  finish(execution, scope);
}

/** Leaves a scope to the index again when it is safe or empty; keeps it in progress otherwise. */
function finish(execution: Execution, scope: Scope): void {
  execution.state.risk.changed(scope.account, scope.holding);
  look(execution, scope);
}

/**
 * Step (1): a scope in danger keeps no resting orders and no triggers that could open. A cross
 * account's isolated opening orders go too: their reserve comes back to it.
 */
function clearOrders(execution: Execution, scope: Scope): void {
  const { state } = execution;
  const { account } = scope;
  const health = healthOf(state, scope);
  let cancelled = 0;
  const holdings = scope.holding === undefined ? [...account.holdings.values()] : [scope.holding];
  for (const holding of holdings) {
    const keepsReducing = scope.holding === undefined && holding.isIsolated;
    let slot = holding.orders.head;
    while (slot !== NONE) {
      const next = read(state.pool.ownNext, slot);
      if (!keepsReducing || isOpening(execution, holding, slot)) {
        cancelPerpOrder(execution, slot, 'liquidation');
        cancelled += 1;
      }
      slot = next;
    }
  }
  cancelled += cancelTriggers(execution, account, 'liquidation', ({ request }) => {
    if (request.reduceOnly) return false;
    if (scope.holding === undefined) return true;
    const { leg, perp } = scope.holding;
    return request.instrumentId === perp.definition.instrumentId && legOf(account, request) === leg;
  });
  if (cancelled > 0) emitStep(execution, scope, health, 'cancel', positionsOf(scope));
}

/** True of an order that holds a reserve, or would only enlarge what its leg has. */
function isOpening({ state }: Execution, { size }: Holding, slot: number): boolean {
  if (state.reserves.has(read(state.pool.orderId, slot))) return true;
  const flags = read(state.pool.flags, slot);
  const isBuy = (flags & SIDE_BUY) !== 0;
  return (flags & REDUCE_ONLY) === 0 && (size === 0 || isBuy === size > 0);
}

/**
 * The common part of a cross hedge pair closes against itself at the mark, free of fee, one pair after
 * the other while the scope is in danger: whoever is safe again keeps the rest. It belongs to
 * step (1) and is recorded as such: the two positions, and the mark as the price.
 */
function closeHedgePairs(execution: Execution, scope: Scope): void {
  if (scope.holding !== undefined || scope.account.positionMode !== 'hedge') return;
  const { account } = scope;
  for (const long of positionsOf(scope)) {
    if (long.leg !== 0 || !isWorkable(execution.state, long)) continue;
    const { instrumentId } = long.perp.definition;
    const short = account.holdings.get(holdingKey(instrumentId, 1));
    if (short === undefined || short.isIsolated) continue;
    const common = Math.min(long.size, -short.size);
    if (common <= 0) continue;
    const health = healthOf(execution.state, scope);
    if (!isLiquidatable(health)) return;
    emitStep(execution, scope, health, 'cancel', [long, short], long.perp.mark);
    tradeOffBook(execution, { account, holding: long }, -common, long.perp.mark);
    tradeOffBook(execution, { account, holding: short }, common, long.perp.mark);
  }
}

/**
 * Step (2): a reduce-only order at the bankruptcy price, never further from the mark than the band.
 * A large position goes in two parts: a share at once, the whole after a wait.
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
  const bankrupt = bankruptcyPrice(holding, health.equity, health.maintenance);
  const limit = limitPrice(holding, bankrupt, liquidationBandE8);
  const key = holdingKey(holding.perp.definition.instrumentId, holding.leg);
  // A book that can fill nothing is told of once, not in an order and a record every second.
  if (progress.tried.has(key) && !holding.perp.book.crosses(holding.size < 0, limit)) return;
  progress.tried.add(key);
  emitStep(execution, scope, health, 'market', [holding], limit);
  const filled = marketClose(execution, { account: scope.account, holding, size, limit });
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

/** A long sells no lower than the bankruptcy price and the band's end, a short buys no higher. */
function limitPrice(holding: Holding, bankrupt: number, bandE8: number): number {
  const { mark } = holding.perp;
  const one = BigInt(RATE_ONE);
  if (holding.size > 0) {
    const floor = Number(divCeil(BigInt(mark) * (one - BigInt(bandE8)), one));
    return Math.max(bankrupt, floor);
  }
  const ceiling = Number(divFloor(BigInt(mark) * (one + BigInt(bandE8)), one));
  return Math.max(1, Math.min(bankrupt, ceiling));
}
