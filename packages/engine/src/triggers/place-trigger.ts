import { present } from '@oddlot/units';
import { clientOrderKey } from '../messages/client-order-key.ts';
import type { EntryResult, OrderStatus } from '../messages/order-result.ts';
import { adoptMarginMode } from '../perp-orders/execute-order.ts';
import { triggerSnapshot } from '../perp-orders/trigger-snapshot.ts';
import { emitOrder } from '../resting/emit.ts';
import { absorbBuilder } from '../resting/order-builder.ts';
import type { Account } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { TriggerOrder } from '../state/trigger-order.ts';
import { asFired, type TriggerOrderRequest } from './validate-trigger.ts';

/** How a trigger enters: what it belongs to, and whether it waits for a parent first. */
export type TriggerPlace = {
  readonly groupId?: number;
  readonly isPositionTpsl?: boolean;
  readonly isDormant?: boolean;
  readonly sizeMax?: number;
};

/** Lets a judged order wait for the mark, off the book and without margin (R-trigger). */
export function placeTrigger(
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

/** A trigger has filled nothing while it waits. */
function waitingEntry({ orderId, request }: TriggerOrder, state: OrderStatus): EntryResult {
  const { clientOrderId } = request;
  return { orderId, clientOrderId, state, filled: 0, filledNotional: 0 };
}
