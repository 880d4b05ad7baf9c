import { present } from '@oddlot/units';
import { clientOrderKey } from '../messages/client-order-id.ts';
import type { CancelCause, OrderSnapshot } from '../messages/event.ts';
import { emitOrder } from '../resting/emit.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import type { TriggerOrder } from '../state/trigger-book.ts';
import { orderEnded } from './order-ended.ts';
import { triggerSnapshot } from './trigger-snapshot.ts';

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
