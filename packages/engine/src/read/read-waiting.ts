import { type Address, instrumentId, present, type TimeMs, timeMs } from '@oddlot/units';
import type { OrderSnapshot } from '../messages/event.ts';
import { triggerSnapshot } from '../perp-orders/taker-order.ts';
import type { Holding } from '../state/account.ts';
import { allReverseJobs, type State } from '../state/state.ts';
import type { OrderGroup } from '../state/order-groups.ts';
import type { ReverseJobView, TpslLeg, TpslView, TriggerView } from './views.ts';

/**
 * Returns the account's orders that are waiting for their price or retrying after firing, newest
 * first, each with its waiting children. Orders attached to a position and children of an unfilled
 * parent are excluded.
 */
export function triggerOrders(state: State, address: Address): readonly TriggerView[] {
  const index = state.accountIndex.get(address);
  if (index === undefined) return [];
  return [...state.triggers.ofAccount(index)]
    .filter(({ isDormant, isPositionTpsl }) => !isDormant && !isPositionTpsl)
    .map((trigger) => ({
      order: triggerSnapshot(state, trigger),
      children: childOrders(state, trigger.orderId),
    }))
    .sort((a, b) => b.order.orderId - a.order.orderId);
}

/**
 * Returns the waiting children of a live order by id, or an empty list if the order is not a
 * parent.
 */
export function childOrders(state: State, parentId: number): readonly OrderSnapshot[] {
  const group = state.groups.of(parentId);
  if (group?.parentId !== parentId) return [];
  return group.childIds
    .map((childId) => present(state.triggers.find(childId), 'a child that waits'))
    .filter(({ isDormant }) => isDormant)
    .map((child) => triggerSnapshot(state, child));
}

/** Returns the creation time of each order that is waiting for its price or retrying. */
export function waitingSince(state: State): readonly (readonly [orderId: number, TimeMs])[] {
  return state.triggers.all().map(({ createdMs, orderId }) => [orderId, timeMs(createdMs)]);
}

/**
 * Returns the TP/SL orders attached to a position, in order of creation, with one entry per action.
 */
export function tpslOf(state: State, holding: Holding): readonly TpslView[] {
  return [...state.groups.attachedTo(holding)].map((group) => tpslView(state, group));
}

/**
 * Describes a TP/SL group. Orders in the group that have triggered are open orders and are not
 * included here.
 */
function tpslView(state: State, group: OrderGroup): TpslView {
  let takeProfit: TpslLeg | undefined;
  let stopLoss: TpslLeg | undefined;
  for (const orderId of group.childIds) {
    const request = state.triggers.find(orderId)?.request;
    if (request === undefined) continue;
    const { isMarket, kind, price: triggerPrice } = request.trigger;
    const leg = { orderId, triggerPrice, isMarket, price: request.price };
    if (kind === 'takeProfit') takeProfit = leg;
    else stopLoss = leg;
  }
  return { createdMs: timeMs(group.createdMs), size: group.quantity, takeProfit, stopLoss };
}

/** Returns the account's running reversals, oldest first. */
export function reverseJobs(state: State, address: Address): readonly ReverseJobView[] {
  const index = state.accountIndex.get(address);
  return allReverseJobs(state)
    .filter(({ accountIndex }) => accountIndex === index)
    .map(({ closed, instrumentId: id, isIsolated, opened, phase, sizeAtStart, startedMs }) => ({
      instrumentId: instrumentId(id),
      phase,
      sizeAtStart,
      closed,
      opened,
      isIsolated,
      startedMs: timeMs(startedMs),
    }));
}

export function scheduledCancel(state: State, address: Address): number | undefined {
  const index = state.accountIndex.get(address);
  return index === undefined ? undefined : state.schedules.of(index);
}
