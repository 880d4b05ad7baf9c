import { clientOrderKey } from '../messages/client-order-key.ts';
import type { OrderRequest } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';

/** One action cannot use a client order id twice: at least one of the orders would fail. */
export function checkRepeat(seen: Set<string>, order: OrderRequest): Reject | undefined {
  if (order.clientOrderId === undefined) return undefined;
  const key = clientOrderKey(order.clientOrderId) ?? order.clientOrderId;
  if (seen.has(key)) return { reason: 'clientOrderIdDuplicate' };
  seen.add(key);
  return undefined;
}
