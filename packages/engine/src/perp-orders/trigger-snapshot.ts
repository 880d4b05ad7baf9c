import { present, timeMs } from '@oddlot/units';
import type { OrderSnapshot } from '../messages/event.ts';
import type { State } from '../state/state.ts';
import type { TriggerOrder } from '../state/trigger-order.ts';
import { requestSnapshot } from './taker-order.ts';

/** A waiting order as events and readers see it; one that has fired says what it has filled. */
export function triggerSnapshot(state: State, trigger: TriggerOrder): OrderSnapshot {
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  const { firing, groupId, orderId, request } = trigger;
  const order = requestSnapshot(orderId, account.address, request, timeMs(trigger.createdMs));
  const size = triggerSize(trigger);
  const { filled, filledNotional } = firing ?? order;
  return {
    ...order,
    remaining: size,
    original: filled + size,
    filled,
    filledNotional,
    trigger: request.trigger,
    ...(trigger.isPositionTpsl ? { isPositionTpsl: true as const } : parentOf(groupId)),
    ...(firing === undefined ? {} : { isTriggered: true as const }),
  };
}

/** A group that hangs on no position has the id of its parent. */
function parentOf(groupId: number | undefined): Pick<OrderSnapshot, 'parentOrderId'> {
  return groupId === undefined ? {} : { parentOrderId: groupId };
}

/** What it asks for: the rest of one that has fired, else no more than its parent filled; 0 is the whole position. */
export function triggerSize({ firing, request, sizeMax }: TriggerOrder): number {
  if (firing !== undefined) return firing.rest;
  return sizeMax === undefined ? request.size : Math.min(request.size, sizeMax);
}
