import { present, timeMs } from '@oddlot/units';
import type { OrderSnapshot } from '../event.ts';
import { requestSnapshot } from '../orders/taker-order.ts';
import type { State } from '../state.ts';
import type { TriggerOrder } from './trigger-book.ts';

/** A waiting order as events and readers see it. */
export function triggerSnapshot(state: State, trigger: TriggerOrder): OrderSnapshot {
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  const { orderId, request } = trigger;
  const order = requestSnapshot(orderId, account.address, request, timeMs(trigger.createdMs));
  const size = triggerSize(trigger);
  return {
    ...order,
    remaining: size,
    original: size,
    trigger: request.trigger,
    ...(trigger.isPositionTpsl ? { isPositionTpsl: true as const } : {}),
  };
}

/** The size it asks for, no more than its parent filled; 0 is the whole position. */
export function triggerSize({ request, sizeMax }: TriggerOrder): number {
  return sizeMax === undefined ? request.size : Math.min(request.size, sizeMax);
}
