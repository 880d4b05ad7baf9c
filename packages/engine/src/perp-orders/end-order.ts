import { present } from '@oddlot/units';
import { NONE } from '../book/order-pool.ts';
import { clientOrderKey } from '../messages/client-order-id.ts';
import type { CancelCause, OrderSnapshot } from '../messages/event.ts';
import { emitOrder } from '../resting/emit.ts';
import type { Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { OrderGroup } from '../state/group-book.ts';
import type { State } from '../state/state.ts';
import type { TriggerOrder } from '../state/trigger-order.ts';
import { perpSnapshotOf } from './perp-snapshot.ts';
import { removeOrder } from './resting.ts';
import { triggerSnapshot } from './trigger-snapshot.ts';

/**
 * How perp orders end, in the book and before it, and what the end of one means for others (R-grouping, R-trigger). Whoever ends an order says so
 * here, after its own event; an order in no group costs a look-up. Cancelling an order ends it and
 * ending one cancels others, so all of it stands in one file.
 */

/** How an order ended. */
export type Ending = {
  readonly status: 'filled' | 'cancelled' | 'rejected';
  readonly cause?: CancelCause;
};

/** Ends a resting perp order without a fill and tells its owner why. */
export function cancelPerpOrder(
  execution: Execution,
  slot: number,
  cause: CancelCause,
): OrderSnapshot {
  const order = perpSnapshotOf(execution.state, slot);
  removeOrder(execution.state, slot);
  emitOrder(execution, 'cancelled', order, cause);
  orderEnded(execution, order, { status: 'cancelled', cause });
  return order;
}

/**
 * Ends a waiting order and tells its owner why. One that has ended already is left alone: a list of
 * orders to cancel may hold a parent and the children that went with it.
 */
export function cancelTrigger(
  execution: Execution,
  trigger: TriggerOrder,
  cause: CancelCause,
): OrderSnapshot {
  const { state } = execution;
  const order = triggerSnapshot(state, trigger);
  if (!state.triggers.isLive(trigger)) return order;
  removeTrigger(state, trigger);
  emitOrder(execution, 'cancelled', order, cause);
  orderEnded(execution, order, { status: 'cancelled', cause });
  return order;
}

/** Takes a waiting order out of everything but its group, without a word. */
export function removeTrigger(state: State, trigger: TriggerOrder): void {
  const { clientOrderId } = trigger.request;
  state.triggers.remove(trigger);
  if (clientOrderId === undefined) return;
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  account.clientOrders.delete(present(clientOrderKey(clientOrderId), 'a valid client order id'));
}

/** Wakes or cancels the children of a parent, cancels the sibling of a child that filled. */
export function orderEnded(
  execution: Execution,
  order: { readonly orderId: number; readonly filled: number },
  ending: Ending,
): void {
  const { groups, triggers } = execution.state;
  triggers.forget(order.orderId);
  const group = groups.of(order.orderId);
  if (group === undefined) return;
  if (group.parentId === order.orderId) parentEnded(execution, group, order.filled, ending);
  else childEnded(execution, group, order.orderId, ending);
}

/** Children live on when their parent filled, or when margin cut short what it was filling. */
function parentEnded(
  execution: Execution,
  group: OrderGroup,
  filled: number,
  { cause, status }: Ending,
): void {
  const { state } = execution;
  state.groups.parentLeft(group);
  const hasFilled = wakesChildren(status, filled, cause);
  for (const childId of group.childIds) {
    const child = state.triggers.find(childId);
    if (child === undefined) continue;
    if (!hasFilled) {
      cancelTrigger(execution, child, 'parentCanceled');
      continue;
    }
    state.triggers.wake(child, filled);
    emitOrder(execution, 'open', triggerSnapshot(state, child));
  }
}

/** True when a parent that ended so leaves its children alive. */
export function wakesChildren(
  status: Ending['status'],
  filled: number,
  cause: CancelCause | undefined,
): boolean {
  return status === 'filled' || (cause === 'marginCanceled' && filled > 0);
}

/** A sibling goes when the other has filled in full; after a part, or a failure, it stays. */
function childEnded(
  execution: Execution,
  group: OrderGroup,
  childId: number,
  { status }: Ending,
): void {
  const { state } = execution;
  state.groups.childLeft(group, childId);
  if (status === 'filled') {
    for (const siblingId of group.childIds) cancelSibling(execution, siblingId);
    return;
  }
  if (group.kind === 'position' && !hasPosition(group)) endGroup(execution, group);
}

/** The sibling waits for its price, or has fired and rests. */
function cancelSibling(execution: Execution, orderId: number): void {
  const { pool, triggers } = execution.state;
  const trigger = triggers.find(orderId);
  if (trigger !== undefined) {
    cancelTrigger(execution, trigger, 'siblingFilled');
    return;
  }
  const slot = pool.find(orderId);
  if (slot !== NONE) cancelPerpOrder(execution, slot, 'siblingFilled');
}

/**
 * Ends what hangs on a position that has closed or flipped. A group one of whose orders is at work
 * is left to the end of that order: if it is what closed the position, it says so to its sibling.
 */
export function endPositionGroups(execution: Execution, holding: Holding): void {
  const { groups, triggers } = execution.state;
  for (const group of groups.attachedTo(holding)) {
    if (hasPosition(group)) continue;
    const isAtWork = group.childIds.some((childId) => triggers.find(childId) === undefined);
    if (!isAtWork) endGroup(execution, group);
  }
}

/** Orders of the group that rest are cut with the position, as all reduce-only ones are. */
function endGroup(execution: Execution, group: OrderGroup): void {
  for (const childId of group.childIds) {
    const trigger = execution.state.triggers.find(childId);
    if (trigger !== undefined) cancelTrigger(execution, trigger, 'reduceOnly');
  }
}

/** True while the position that the group hangs on is open, on the same side. */
export function hasPosition({ holding, isLong }: OrderGroup): boolean {
  return isLong ? holding.size > 0 : holding.size < 0;
}
