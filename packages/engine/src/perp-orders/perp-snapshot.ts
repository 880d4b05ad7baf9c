import { instrumentId, present, timeMs } from '@oddlot/units';
import { REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { read } from '../book/read-slot.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import { timeInForceOf } from '../resting/order-codes.ts';
import type { State } from '../state/state.ts';
import { firedFields } from './taker-order.ts';

/** A resting perp order as events and readers see it. */
export function perpSnapshotOf(state: State, slot: number): OrderSnapshot {
  const { pool } = state;
  const flags = read(pool.flags, slot);
  const remaining = read(pool.remaining, slot);
  const original = read(pool.original, slot);
  const expireMs = read(pool.expireMs, slot);
  const orderId = read(pool.orderId, slot);
  const fired = state.triggers.firedAs(orderId);
  const order: OrderSnapshot = {
    orderId,
    account: present(state.accounts[read(pool.account, slot)], 'the owner of an order').address,
    instrumentId: instrumentId(read(pool.instrument, slot)),
    isBuy: (flags & SIDE_BUY) !== 0,
    reduceOnly: (flags & REDUCE_ONLY) !== 0,
    timeInForce: timeInForceOf(read(pool.tif, slot)),
    price: read(pool.price, slot),
    remaining,
    original,
    filled: original - remaining,
    filledNotional: read(pool.filledNotional, slot),
    acceptedMs: timeMs(read(pool.acceptedMs, slot)),
    expireMs: expireMs === 0 ? undefined : timeMs(expireMs),
    clientOrderId: pool.clientOrderIds.get(slot),
  };
  return fired === undefined ? order : { ...order, ...firedFields(fired) };
}
