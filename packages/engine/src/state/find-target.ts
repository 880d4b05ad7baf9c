import { NONE } from '../book/order-pool.ts';
import { readSlotInt } from '../book/read-slot.ts';
import { clientOrderKey } from '../messages/client-order-key.ts';
import type { ModifyOrderCommand } from '../messages/command.ts';
import type { Account } from './account.ts';
import type { State } from './state.ts';

/** The account's own order in the book; an order that waits for the mark is not there. */
export function findTarget(
  state: State,
  account: Account,
  { instrumentId, target }: ModifyOrderCommand,
): number {
  const { pool } = state;
  const orderId =
    'orderId' in target
      ? target.orderId
      : account.clientOrders.get(clientOrderKey(target.clientOrderId) ?? '');
  const slot = orderId === undefined ? NONE : pool.find(orderId);
  if (slot === NONE || readSlotInt(pool.account, slot) !== account.index) return NONE;
  return readSlotInt(pool.instrument, slot) === instrumentId ? slot : NONE;
}
