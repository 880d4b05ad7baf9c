import { present, timeMs } from '@oddlot/units';
import {
  clientOrderKey,
  type Grouping,
  type OrderRequest,
  type PlaceOrdersCommand,
} from '../messages/command.ts';
import type { EntryResult, OrderStatus } from '../messages/event.ts';
import {
  adoptMarginMode,
  type Executed,
  executeOrder,
  rejectOrder,
} from '../perp-orders/execute-order.ts';
import { requestSnapshot, triggerSnapshot } from '../perp-orders/taker-order.ts';
import { emitOrder } from '../order-common/order-events.ts';
import { type Account, holdingOf, legOf } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import {
  asFired,
  isTrigger,
  type TriggerOrderRequest,
  validateTrigger,
} from './validate-trigger.ts';
import type { Reject } from '../messages/reject.ts';
import { absorbBuilder } from '../order-common/order-builder.ts';
import type { TriggerOrder } from '../state/trigger-book.ts';

/**
 * Executes one order in an action under a new id. A trigger order waits; any other order trades.
 * `heldAtStart` is the position before the first order of the action.
 */
export function placeOrder(
  execution: Execution,
  account: Account,
  order: OrderRequest,
  heldAtStart?: number,
): Executed {
  const orderId = execution.state.nextOrderId++;
  if (!isTrigger(order)) {
    return executeOrder(execution, account, orderId, order, undefined, heldAtStart);
  }
  return { entry: placeChecked(execution, account, orderId, order, 'none', {}) };
}

/**
 * Places a bracket, which is a parent and its TP/SL children (R-grouping). The parent is placed
 * first. The children are dormant while the parent is open without a fill. After that they wait for
 * their trigger price with the parent's filled size; if the parent ends without a fill, they are
 * cancelled.
 */
export function placeBracket(
  execution: Execution,
  account: Account,
  [parent, ...children]: readonly OrderRequest[],
): EntryResult[] {
  const { state } = execution;
  const { entry } = placeOrder(execution, account, present(parent, 'a judged parent'));
  const parentId = present(entry.orderId, 'the id of a parent');
  const isLive = entry.state === 'open';
  const hasFilled = entry.filled > 0;
  const place: TriggerPlace = hasFilled
    ? { groupId: parentId, sizeMax: entry.filled }
    : { groupId: parentId, isDormant: true };
  const entries = children.filter(isTrigger).map((child) => {
    const orderId = state.nextOrderId++;
    return isLive || hasFilled
      ? placeChecked(execution, account, orderId, child, 'normal', place)
      : endWithParent(execution, account, orderId, child);
  });
  addGroup(execution, account, entries, {
    groupId: parentId,
    kind: 'normal',
    parentId: isLive ? parentId : undefined,
  });
  return [entry, ...entries];
}

export function placePositionTpsl(
  execution: Execution,
  account: Account,
  orders: readonly OrderRequest[],
): EntryResult[] {
  const { state } = execution;
  const groupId = state.nextOrderId;
  const place = { groupId, isPositionTpsl: true };
  const entries = orders.filter(isTrigger).map((order) => {
    const orderId = state.nextOrderId++;
    return placeChecked(execution, account, orderId, order, 'position', place);
  });
  addGroup(execution, account, entries, { groupId, kind: 'position', parentId: undefined });
  return entries;
}

function placeChecked(
  execution: Execution,
  account: Account,
  orderId: number,
  order: TriggerOrderRequest,
  grouping: Grouping,
  place: TriggerPlace,
): EntryResult {
  const { state } = execution;
  const context = { state, account, order, timeMs: state.timeMs };
  const reject = validateTrigger(context, grouping);
  if (reject === undefined) return placeTrigger(execution, account, orderId, order, place);
  const fired = { trigger: order.trigger, isPositionTpsl: grouping === 'position' };
  return rejectOrder(execution, account, orderId, asFired(order), reject, fired);
}

/**
 * Ends a child whose parent ended without a fill: it is rejected if it is itself invalid, and
 * otherwise cancelled with the parent.
 */
function endWithParent(
  execution: Execution,
  account: Account,
  orderId: number,
  order: TriggerOrderRequest,
): EntryResult {
  const { state } = execution;
  const request = asFired(order);
  const { clientOrderId } = request;
  const fired = { trigger: order.trigger, isPositionTpsl: false };
  const context = { state, account, order, timeMs: state.timeMs };
  const reject = validateTrigger(context, 'normal');
  if (reject !== undefined) return rejectOrder(execution, account, orderId, request, reject, fired);
  const now = timeMs(state.timeMs);
  const snapshot = requestSnapshot(orderId, account.address, request, now, fired);
  emitOrder(execution, 'cancelled', snapshot, 'parentCanceled');
  return { orderId, clientOrderId, state: 'cancelled', filled: 0, filledNotional: 0 };
}

function addGroup(
  execution: Execution,
  account: Account,
  entries: readonly EntryResult[],
  group: {
    readonly groupId: number;
    readonly kind: 'normal' | 'position';
    readonly parentId: number | undefined;
  },
): void {
  const { state } = execution;
  const childIds = entries.flatMap((entry) =>
    entry.state === 'open' && entry.orderId !== undefined ? [entry.orderId] : [],
  );
  const [first] = childIds;
  if (first === undefined) return;
  const child = present(state.triggers.find(first), 'a child that waits').request;
  const holding = holdingOf(
    account,
    present(state.perps.get(child.instrumentId), 'the instrument of a judged order'),
    legOf(account, child),
    parametersOf(state).defaultLeverage,
  );
  state.groups.add({
    ...group,
    accountIndex: account.index,
    holding,
    isLong: !child.isBuy,
    createdMs: state.timeMs,
    quantity: child.size,
    childIds,
  });
}

/** Checks that an action's orders fit its grouping (R-grouping). */
export function checkGrouping({ grouping, orders }: PlaceOrdersCommand): Reject | undefined {
  if (grouping === undefined || grouping === 'none') return undefined;
  const why = grouping === 'normal' ? normalFault(orders) : positionFault(orders);
  return why === undefined ? undefined : { reason: 'groupingInvalid', why };
}

/**
 * Returns the reason the orders are not a parent followed by one or two trigger orders that reduce
 * its position.
 */
function normalFault(orders: readonly OrderRequest[]): string | undefined {
  const [parent, ...children] = orders;
  if (parent === undefined || children.length < 1 || children.length > 2) {
    return 'a parent takes one or two children';
  }
  if (children.some((child) => child.trigger === undefined)) return 'children are trigger orders';
  if (children.some((child) => !child.reduceOnly)) return 'children are reduce-only';
  if (children.some((child) => child.instrumentId !== parent.instrumentId)) {
    return 'parent and children are of one instrument';
  }
  return children.some((child) => child.isBuy === parent.isBuy)
    ? 'children are on the side opposite to their parent'
    : undefined;
}

/**
 * Returns the reason the orders are not a take-profit, a stop-loss, or one of each, for one
 * position.
 */
function positionFault(orders: readonly OrderRequest[]): string | undefined {
  const [first, second] = orders;
  if (first === undefined || orders.length > 2) return 'a position takes one or two orders';
  if (orders.some((order) => order.trigger === undefined)) return 'its orders are trigger orders';
  if (orders.some((order) => !order.reduceOnly)) return 'its orders are reduce-only';
  if (second === undefined) return undefined;
  if (first.instrumentId !== second.instrumentId || first.isBuy !== second.isBuy) {
    return 'its orders are for one position';
  }
  return first.trigger?.kind === second.trigger?.kind
    ? 'it takes one take-profit and one stop-loss'
    : undefined;
}

/** The group of a trigger order, and whether the order first waits for a parent. */
type TriggerPlace = {
  readonly groupId?: number;
  readonly isPositionTpsl?: boolean;
  readonly isDormant?: boolean;
  readonly sizeMax?: number;
};

/**
 * Stores a checked order until the mark reaches its trigger price, outside the book and without
 * margin (R-trigger).
 */
function placeTrigger(
  execution: Execution,
  account: Account,
  orderId: number,
  order: TriggerOrderRequest,
  place: TriggerPlace = {},
): EntryResult {
  const { state } = execution;
  const { clientOrderId } = order;
  const trigger: TriggerOrder = {
    orderId,
    accountIndex: account.index,
    request: asFired(order),
    createdMs: state.timeMs,
    groupId: place.groupId,
    isPositionTpsl: place.isPositionTpsl ?? false,
    isDormant: place.isDormant ?? false,
    sizeMax: place.sizeMax,
    dueMs: undefined,
    firing: undefined,
  };
  const perp = present(state.perps.get(order.instrumentId), 'the instrument of a judged order');
  adoptMarginMode(account, perp, order, parametersOf(state).defaultLeverage);
  state.triggers.add(trigger);
  if (order.builder !== undefined) absorbBuilder(state, order.builder);
  if (clientOrderId !== undefined) {
    const key = present(clientOrderKey(clientOrderId), 'a valid client order id');
    account.clientOrders.set(key, orderId);
    state.digest.text(key);
  }
  emitOrder(execution, 'open', triggerSnapshot(state, trigger));
  return waitingEntry(trigger, 'open');
}

function waitingEntry({ orderId, request }: TriggerOrder, state: OrderStatus): EntryResult {
  const { clientOrderId } = request;
  return { orderId, clientOrderId, state, filled: 0, filledNotional: 0 };
}
