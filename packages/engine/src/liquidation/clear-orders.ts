import { NONE, readSlot, readSlotInt, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { cancelPerpOrder, cancelTrigger } from '../perp-orders/end-order.ts';
import { type Account, type Holding, holdingKey, legOf } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { Scope } from '../state/liquidations.ts';
import { emitStep, tradeOffBook } from './trade-off-book.ts';
import { healthOf, isLiquidatable, isWorkable, positionsOf } from './scope.ts';
import type { CancelCause } from '../messages/event.ts';
import type { TriggerOrder } from '../state/trigger-book.ts';

/**
 * Step (1) of a liquidation: cancels the resting orders and triggers that could open a position of
 * an endangered margin account. A cross account's isolated opening orders are cancelled too, which
 * releases their reserve.
 */
export function clearOrders(execution: Execution, scope: Scope): void {
  const { state } = execution;
  const { account } = scope;
  const health = healthOf(state, scope);
  let cancelled = 0;
  const holdings = scope.holding === undefined ? [...account.holdings.values()] : [scope.holding];
  for (const holding of holdings) {
    const keepsReducing = scope.holding === undefined && holding.isIsolated;
    let slot = holding.orders.head;
    while (slot !== NONE) {
      const next = readSlotInt(state.pool.ownNext, slot);
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

/** Returns true for an order that has a reserve or can only increase the position in its leg. */
function isOpening({ state }: Execution, { size }: Holding, slot: number): boolean {
  if (state.reserves.has(readSlot(state.pool.orderId, slot))) return true;
  const flags = readSlotInt(state.pool.flags, slot);
  const isBuy = (flags & SIDE_BUY) !== 0;
  return (flags & REDUCE_ONLY) === 0 && (size === 0 || isBuy === size > 0);
}

/**
 * Closes the common size of cross hedge pairs at the mark without a fee, one pair after the other
 * until the margin account is safe. This is part of step (1) and is recorded as such, with both
 * positions and with the mark as the price.
 */
export function closeHedgePairs(execution: Execution, scope: Scope): void {
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

function cancelTriggers(
  execution: Execution,
  account: Account,
  cause: CancelCause,
  picks: (trigger: TriggerOrder) => boolean,
): number {
  const picked = [...execution.state.triggers.ofAccount(account.index)].filter(picks);
  for (const trigger of picked) cancelTrigger(execution, trigger, cause);
  return picked.length;
}
