import { timeMs } from '@oddlot/units';
import { readSlot, readSlotInt, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { clientOrderKey, type ModifyOrderCommand, type OrderRequest } from '../messages/command.ts';
import type { State } from '../state/state.ts';
import { timeInForceOf } from './snapshot.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';

/**
 * Returns the remainder of a resting order as a new order with the amended values. Its size is the
 * new total less the filled size (R-modify). The result has no builder or client order id.
 */
export function amendedRequest(
  { pool }: State,
  slot: number,
  command: ModifyOrderCommand,
): OrderRequest {
  const flags = readSlotInt(pool.flags, slot);
  const expireMs = readSlot(pool.expireMs, slot);
  const filled = readSlot(pool.original, slot) - readSlot(pool.remaining, slot);
  return {
    instrumentId: command.instrumentId,
    isBuy: (flags & SIDE_BUY) !== 0,
    price: command.price,
    size: command.size - filled,
    reduceOnly: (flags & REDUCE_ONLY) !== 0,
    timeInForce: timeInForceOf(readSlotInt(pool.tif, slot)),
    ...(expireMs === 0 ? {} : { expireMs: timeMs(expireMs) }),
    ...(command.priceInexact === true ? { priceInexact: true } : {}),
    ...(command.sizeInexact === true ? { sizeInexact: true } : {}),
  };
}

/**
 * Checks that a client order id is well formed and that the account has no other live order with
 * it.
 */
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

/**
 * Rejects a client order id already used by an earlier order in the same action, because at least
 * one of the orders would fail.
 */
export function checkRepeat(seen: Set<string>, order: OrderRequest): Reject | undefined {
  if (order.clientOrderId === undefined) return undefined;
  const key = clientOrderKey(order.clientOrderId) ?? order.clientOrderId;
  if (seen.has(key)) return { reason: 'clientOrderIdDuplicate' };
  seen.add(key);
  return undefined;
}
