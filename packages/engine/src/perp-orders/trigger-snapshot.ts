import { present, timeMs } from '@oddlot/units';
import type { OrderSnapshot } from '../messages/event.ts';
import type { State } from '../state/state.ts';
import type { TriggerOrder } from '../state/trigger-order.ts';
import { requestSnapshot } from './taker-order.ts';

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
