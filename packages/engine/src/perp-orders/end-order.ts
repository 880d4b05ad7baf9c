import { assert, present } from '@oddlot/units';
import { NONE, readSlot, readSlotInt, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { clientOrderKey } from '../messages/command.ts';
import type { CancelCause, OrderSnapshot } from '../messages/event.ts';
import { emitOrder } from '../order-common/order-events.ts';
import { type Account, type Holding, legOf } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { OrderGroup } from '../state/order-groups.ts';
import type { State } from '../state/state.ts';
import type { TriggerOrder } from '../state/trigger-book.ts';
import { perpSnapshotOf, triggerSize, triggerSnapshot } from './taker-order.ts';
import { addResting, removeOrder } from './rest-order.ts';
import { ordersChanged } from '../perp/margin.ts';

/**
 * The way a perp order ended. The functions in this file end orders, whether or not they have
 * reached the book, and update related orders (R-grouping, R-trigger). Callers that end an order
 * report it here, after its event. Cancelling an order ends it, and ending an order can cancel
 * others, so both are in this file.
 */
type Ending = {
  readonly status: 'filled' | 'cancelled' | 'rejected';
  readonly cause?: CancelCause;
};

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
 * Cancels a waiting order and reports the cause. Orders that have already ended are ignored,
 * because a list of orders to cancel can include both a parent and the children that ended with it.
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

/** Removes a waiting order from all structures except its group, without an event. */
export function removeTrigger(state: State, trigger: TriggerOrder): void {
  const { clientOrderId } = trigger.request;
  state.triggers.remove(trigger);
  if (clientOrderId === undefined) return;
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  account.clientOrders.delete(present(clientOrderKey(clientOrderId), 'a valid client order id'));
}

/** Keeps or cancels the children of an ended parent, and cancels the sibling of a filled child. */
export function orderEnded(
  execution: Execution,
  order: { readonly orderId: number; readonly filled: number },
  ending: Ending,
): void {
  const { groups, triggers } = execution.state;
  triggers.forget(order.orderId);
  const group = groups.of(order.orderId);
  if (group === undefined) return;
  if (group.parentId === order.orderId) parentEnded(execution, group, order.filled);
  else childEnded(execution, group, order.orderId, ending);
}

/**
 * Keeps the children for the filled size of their parent, or cancels them if nothing was filled.
 */
function parentEnded(execution: Execution, group: OrderGroup, filled: number): void {
  const { state } = execution;
  state.groups.parentLeft(group);
  if (filled > 0) {
    growChildren(execution, group, filled);
    return;
  }
  for (const childId of group.childIds) {
    const child = state.triggers.find(childId);
    if (child !== undefined) cancelTrigger(execution, child, 'parentCanceled');
  }
}

/**
 * Updates the children of a live order that has filled more: their size follows the filled size,
 * and after the first fill they wait for their trigger price (R-grouping).
 */
export function parentFilled(
  execution: Execution,
  order: { readonly orderId: number; readonly filled: number },
): void {
  const group = execution.state.groups.of(order.orderId);
  if (group?.parentId !== order.orderId || order.filled === 0) return;
  growChildren(execution, group, order.filled);
}

function growChildren(execution: Execution, group: OrderGroup, filled: number): void {
  const { state } = execution;
  for (const childId of group.childIds) {
    const child = state.triggers.find(childId);
    if (child === undefined) continue;
    const before = child.isDormant ? 0 : triggerSize(child);
    state.triggers.grow(child, filled);
    if (triggerSize(child) !== before) emitOrder(execution, 'open', triggerSnapshot(state, child));
  }
}

/**
 * Cancels the remainder of a parent before its child executes, because the exit ends the entry
 * (R-grouping).
 */
export function cancelParent(execution: Execution, { groupId, orderId }: TriggerOrder): void {
  if (groupId === undefined) return;
  const parentId = execution.state.groups.of(orderId)?.parentId;
  if (parentId !== undefined) cancelSibling(execution, parentId);
}

/**
 * Cancels the sibling of a fully filled child. After a partial fill or a failure, the sibling
 * stays.
 */
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
  if (hasPosition(group)) return;
  if (group.kind === 'position') endGroup(execution, group);
  else endFired(execution, group.accountIndex, group.holding);
}

/**
 * Cancels the sibling, which is either waiting for its trigger price or has triggered and rests.
 */
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
 * Ends the groups of a position that was closed or reversed. A group with an executing order is
 * skipped: if that order closed the position, the sibling is cancelled with the correct cause when
 * that order ends.
 */
function endPositionGroups(execution: Execution, holding: Holding): void {
  const { groups, triggers } = execution.state;
  for (const group of groups.attachedTo(holding)) {
    if (hasPosition(group)) continue;
    const isAtWork = group.childIds.some((childId) => triggers.find(childId) === undefined);
    if (!isAtWork) endGroup(execution, group);
  }
}

/**
 * Ends triggered orders that are retrying for a position that was closed or reversed (R-trigger).
 * As above, groups with an executing order are skipped.
 */
function endFired(execution: Execution, accountIndex: number, holding: Holding): void {
  const { groups, triggers } = execution.state;
  if (!triggers.hasRetries) return;
  for (const trigger of triggers.ofAccount(accountIndex)) {
    if (trigger.firing === undefined || !isBare(execution.state, trigger, holding)) continue;
    const childIds = groups.of(trigger.orderId)?.childIds ?? [];
    const isAtWork = childIds.some((childId) => triggers.find(childId) === undefined);
    if (!isAtWork && triggers.find(trigger.orderId) !== undefined) {
      cancelTrigger(execution, trigger, 'reduceOnly');
    }
  }
}

/**
 * Returns true if the order is for this leg and the leg has no position that the order could
 * reduce.
 */
function isBare(state: State, { accountIndex, request }: TriggerOrder, holding: Holding): boolean {
  const account = present(state.accounts[accountIndex], 'the owner of a trigger');
  const isOfLeg =
    request.instrumentId === holding.perp.definition.instrumentId &&
    legOf(account, request) === holding.leg;
  return isOfLeg && (request.isBuy ? holding.size >= 0 : holding.size <= 0);
}

/**
 * Cancels the waiting orders of a group. The group's resting orders are reduced along with the
 * position, like all reduce-only orders.
 */
function endGroup(execution: Execution, group: OrderGroup): void {
  for (const childId of group.childIds) {
    const trigger = execution.state.triggers.find(childId);
    if (trigger !== undefined) cancelTrigger(execution, trigger, 'reduceOnly');
  }
}

export function hasPosition({ holding, isLong }: OrderGroup): boolean {
  return isLong ? holding.size > 0 : holding.size < 0;
}

/**
 * Reduces reduce-only orders that exceed a position after it shrank, the newest first, and cancels
 * those that reach zero (R-reduce). If the position has closed, orders attached to it end too.
 */
export function cutReduceOnly(execution: Execution, account: Account, holding: Holding): void {
  cutResting(execution, account, holding);
  endPositionGroups(execution, holding);
  endFired(execution, account.index, holding);
}

function cutResting(execution: Execution, account: Account, holding: Holding): void {
  const { state } = execution;
  const long = Math.max(holding.size, 0);
  const short = Math.max(-holding.size, 0);
  if (holding.reduceSell <= long && holding.reduceBuy <= short) return;
  const { pool } = state;
  let slot = holding.orders.tail;
  while (slot !== NONE) {
    const older = readSlotInt(pool.ownPrev, slot);
    const flags = readSlotInt(pool.flags, slot);
    if ((flags & REDUCE_ONLY) !== 0) {
      const isBuy = (flags & SIDE_BUY) !== 0;
      const excess = isBuy ? holding.reduceBuy - short : holding.reduceSell - long;
      if (excess > 0) cutOne(execution, holding, slot, isBuy, excess);
    }
    slot = older;
  }
  assert(holding.reduceSell <= long && holding.reduceBuy <= short, 'reduce-only size is covered');
  ordersChanged(state, account, holding);
}

function cutOne(
  execution: Execution,
  holding: Holding,
  slot: number,
  isBuy: boolean,
  excess: number,
): void {
  const { pool } = execution.state;
  const remaining = readSlot(pool.remaining, slot);
  if (remaining <= excess) {
    cancelPerpOrder(execution, slot, 'reduceOnly');
    return;
  }
  // The order's size decreases; its filled part is unchanged.
  holding.perp.book.resize(slot, remaining - excess);
  pool.original[slot] = readSlot(pool.original, slot) - excess;
  addResting(holding, isBuy, true, -excess);
  emitOrder(execution, 'open', perpSnapshotOf(execution.state, slot));
}
