import { clientOrderKey } from '../messages/client-order-key.ts';
import type { OrderRequest } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';

/** A client order id is well formed, and no live order of the account has it. */
export function checkClientOrderId({
  account,
  order,
}: {
  readonly account: Account;
  readonly order: OrderRequest;
}): Reject | undefined {
  if (order.clientOrderId === undefined) return undefined;
  const key = clientOrderKey(order.clientOrderId);
  if (key === undefined) return { reason: 'clientOrderIdInvalid' };
  return account.clientOrders.has(key) ? { reason: 'clientOrderIdDuplicate' } : undefined;
}
