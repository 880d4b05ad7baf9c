import { NONE } from '../book/order-pool.ts';
import type { CancelCause } from '../messages/event.ts';
import { emitOrder } from '../resting/emit.ts';
import type { Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { OrderGroup } from '../state/group-book.ts';
import { cancelTrigger } from './cancel-trigger.ts';
import { cancelOrder } from './resting.ts';
import { triggerSnapshot } from './trigger-snapshot.ts';

/**
 * What the end of one order means for others (R-grouping, R-trigger). Whoever ends an order says so
 * here, after its own event; an order in no group costs a look-up. Cancelling an order ends it and
 * ending one cancels others, so this file and the two that cancel import each other.
 */

/** How an order ended. */
export type Ending = {
  readonly status: 'filled' | 'cancelled' | 'rejected';
  readonly cause?: CancelCause;
};

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
  if (slot !== NONE) cancelOrder(execution, slot, 'siblingFilled');
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
