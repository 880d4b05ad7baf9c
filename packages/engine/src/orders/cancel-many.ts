import { NONE } from '../book/order-pool.ts';
import { readSlotInt } from '../book/read-slot.ts';
import type { CancelCause, OrderSnapshot } from '../messages/event.ts';
import { cancelTrigger } from '../perp-orders/end-order.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { TriggerOrder } from '../state/trigger-order.ts';
import { cancelOrder } from './cancel-order.ts';
import { snapshotOf } from './snapshot-of.ts';

/** Which of an account's orders go. */
type Picks = {
  readonly resting: (order: OrderSnapshot) => boolean;
  readonly waiting: (trigger: TriggerOrder) => boolean;
};

/**
 * Cancels the orders of an account that are picked, by order id, children that sleep before them all:
 * a parent would take them along, and each is to end for the same cause.
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
