import type { Account } from '../account.ts';
import { NONE } from '../book/order-pool.ts';
import { clientOrderKey } from '../client-order-id.ts';
import type { ModifyOrderCommand } from '../command.ts';
import type { State } from '../state.ts';
import { read } from './order-snapshot.ts';

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
  if (slot === NONE || read(pool.account, slot) !== account.index) return NONE;
  return read(pool.instrument, slot) === instrumentId ? slot : NONE;
}
