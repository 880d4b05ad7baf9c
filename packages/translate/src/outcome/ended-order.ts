import {
  clientOrderKey,
  type EngineEvent,
  type EntryResult,
  type OrderSnapshot,
} from '@oddlot/engine';
import type { Address } from '@oddlot/units';

/** The order that a cancel or an amend refers to. */
export type OrderTarget = {
  readonly instrumentId: number;
  readonly orderId?: number;
  readonly clientOrderId?: string;
};

/** The final state of an order, as far as it is stored. */
export type EndedOrder = Pick<
  EntryResult,
  'orderId' | 'clientOrderId' | 'state' | 'filled' | 'filledNotional'
>;

export type EndedLookup = (account: Address, target: OrderTarget) => EndedOrder | undefined;

/**
 * Returns a lookup that searches first the orders that ended in these events, and then the stored
 * orders.
 */
export function endedBy(
  events: readonly EngineEvent[],
  remembered: EndedLookup | undefined,
): EndedLookup {
  const latestFirst = events.toReversed();
  return (account, target) => {
    for (const event of latestFirst) {
      if (event.type !== 'orderUpdated' || event.status === 'open') continue;
      if (event.order.account === account && isTarget(event.order, target)) {
        return { ...event.order, state: event.status };
      }
    }
    return remembered?.(account, target);
  };
}

function isTarget(order: OrderSnapshot, target: OrderTarget): boolean {
  if (order.instrumentId !== target.instrumentId) return false;
  if (target.orderId !== undefined) return order.orderId === target.orderId;
  if (order.clientOrderId === undefined || target.clientOrderId === undefined) return false;
  return clientOrderKey(order.clientOrderId) === clientOrderKey(target.clientOrderId);
}
