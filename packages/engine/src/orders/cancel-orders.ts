import { NONE, readSlotInt } from '../book/order-pool.ts';
import { clientOrderKey } from '../messages/command.ts';
import type { CancelCause, OrderSnapshot } from '../messages/event.ts';
import { cancelPerpOrder, cancelTrigger } from '../perp-orders/end-order.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import type { TriggerOrder } from '../state/trigger-book.ts';
import { snapshotOf } from './target-entries.ts';
import { isOutcomeId } from '../messages/limits.ts';
import { cancelOutcomeOrder } from '../outcome/outcome-order.ts';

type Picks = {
  readonly resting: (order: OrderSnapshot) => boolean;
  readonly waiting: (trigger: TriggerOrder) => boolean;
};

/**
 * Cancels the selected orders of an account by order id. Waiting children come first; otherwise
 * cancelling the parent would cancel them with a different cause.
 */
export function cancelMany(
  execution: Execution,
  account: Account,
  cause: CancelCause,
  picks: Picks,
): OrderSnapshot[] {
  const { pool, triggers } = execution.state;
  const picked: number[] = [];
  const asleep: number[] = [];
  for (const { head } of account.orderLists) {
    for (let slot = head; slot !== NONE; slot = readSlotInt(pool.ownNext, slot)) {
      const order = snapshotOf(execution.state, slot);
      if (picks.resting(order)) picked.push(order.orderId);
    }
  }
  for (const trigger of triggers.ofAccount(account.index)) {
    if (picks.waiting(trigger)) (trigger.isDormant ? asleep : picked).push(trigger.orderId);
  }
  return [...asleep, ...picked.sort((a, b) => a - b)].flatMap((orderId) => {
    const trigger = triggers.find(orderId);
    if (trigger !== undefined) return [cancelTrigger(execution, trigger, cause)];
    const slot = pool.find(orderId);
    return slot === NONE ? [] : [cancelOrder(execution, slot, cause)];
  });
}

function cancelOrder(execution: Execution, slot: number, cause: CancelCause): OrderSnapshot {
  return isOutcomeId(readSlotInt(execution.state.pool.instrument, slot))
    ? cancelOutcomeOrder(execution, slot, cause)
    : cancelPerpOrder(execution, slot, cause);
}

/** Returns true if the account has this resting or waiting order in the instrument. */
export function isOwnLive(
  { pool, triggers }: State,
  account: Account,
  instrumentId: number,
  orderId: number | undefined,
): boolean {
  if (orderId === undefined) return false;
  const trigger = triggers.find(orderId);
  if (trigger !== undefined) {
    return trigger.accountIndex === account.index && trigger.request.instrumentId === instrumentId;
  }
  const slot = pool.find(orderId);
  return (
    slot !== NONE &&
    readSlotInt(pool.account, slot) === account.index &&
    readSlotInt(pool.instrument, slot) === instrumentId
  );
}

/**
 * Cancels one of the account's resting or waiting orders; returns undefined if there is no such
 * order.
 */
export function cancelOwn(
  execution: Execution,
  account: Account,
  instrumentId: number,
  orderId: number,
): OrderSnapshot | undefined {
  const { state } = execution;
  if (!isOwnLive(state, account, instrumentId, orderId)) return undefined;
  const trigger = state.triggers.find(orderId);
  return trigger === undefined
    ? cancelOrder(execution, state.pool.find(orderId), 'userCanceled')
    : cancelTrigger(execution, trigger, 'userCanceled');
}

/** Returns the id of a live order, which is negative while the order is in the delay queue. */
export function orderIdOf(account: Account, clientOrderId: string): number | undefined {
  const key = clientOrderKey(clientOrderId);
  return key === undefined ? undefined : account.clientOrders.get(key);
}

/** If an expiry queue has more entries than this, it is rebuilt when most of them are stale. */
const EXPIRY_REBUILD_MIN = 1_024;

/** Cancels expired orders (R-tif), sorted by due time and order id. */
export function expireOrders(execution: Execution, untilMs = execution.state.timeMs): void {
  const { state } = execution;
  for (;;) {
    const orderId = state.expiries.popDue(untilMs);
    if (orderId === undefined) break;
    const slot = state.pool.find(orderId);
    if (slot !== NONE) cancelOrder(execution, slot, 'expired');
  }
  const { size } = state.expiries;
  if (size > EXPIRY_REBUILD_MIN && size > 2 * state.pool.size) {
    state.expiries.retain((orderId) => state.pool.find(orderId) !== NONE);
  }
}
