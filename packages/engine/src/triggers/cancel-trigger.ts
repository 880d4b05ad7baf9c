import { present, timeMs } from '@oddlot/units';
import { clientOrderKey } from '../client-order-id.ts';
import type { CancelCause } from '../event.ts';
import type { Execution } from '../execution.ts';
import { emitOrder } from '../orders/emit.ts';
import { requestSnapshot } from '../orders/taker-order.ts';
import type { TriggerOrder } from './trigger-book.ts';

/** Ends a waiting order and tells its owner why. */
export function cancelTrigger(
  execution: Execution,
  trigger: TriggerOrder,
  cause: CancelCause,
): void {
  const { state } = execution;
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  const { orderId, request } = trigger;
  state.triggers.remove(trigger);
  const key = request.clientOrderId === undefined ? undefined : clientOrderKey(request.clientOrderId);
  if (key !== undefined) account.clientOrders.delete(key);
  const order = requestSnapshot(orderId, account.address, request, timeMs(trigger.createdMs));
  emitOrder(execution, 'cancelled', { ...order, trigger: request.trigger }, cause);
}
