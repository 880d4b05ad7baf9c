import { type Address, instrumentId, present, type TimeMs, timeMs } from '@oddlot/units';
import { REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { readSlot } from '../book/read-slot.ts';
import type { Building } from '../messages/building.ts';
import type { OrderRequest } from '../messages/command.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import type { State } from '../state/state.ts';
import { timeInForceOf } from './order-codes.ts';

/** Orders of either kind as events and readers see them; each kind adds what is its own. */

/** What an order on an outcome market says beyond that. */
type OutcomeFields = OrderSnapshot['outcome'];

/** An order that is not in the book: on its way, refused, or waiting. */
type LooseOrder = {
  readonly orderId: number;
  readonly request: OrderRequest;
  readonly remaining: number;
  readonly original: number;
  readonly filledNotional: number;
};

/** At a price as its owner sees it. */
export function looseSnapshot(
  order: LooseOrder,
  account: Address,
  price: number,
  acceptedMs: TimeMs,
  outcome?: OutcomeFields,
): OrderSnapshot {
  const { original, remaining, request } = order;
  const snapshot: Building<OrderSnapshot> = {
    orderId: order.orderId,
    account,
    instrumentId: request.instrumentId,
    isBuy: request.isBuy,
    reduceOnly: request.reduceOnly,
    timeInForce: request.timeInForce,
    price,
    remaining,
    original,
    filled: original - remaining,
    filledNotional: order.filledNotional,
    acceptedMs,
    expireMs: request.timeInForce === 'gtd' ? request.expireMs : undefined,
    clientOrderId: request.clientOrderId,
  };
  if (outcome !== undefined) snapshot.outcome = outcome;
  return snapshot;
}

/** An order in the book, at a price as its owner sees it. */
export function slotSnapshot(
  { accounts, pool }: State,
  slot: number,
  price: number,
  outcome?: OutcomeFields,
): OrderSnapshot {
  const flags = readSlot(pool.flags, slot);
  const remaining = readSlot(pool.remaining, slot);
  const original = readSlot(pool.original, slot);
  const expireMs = readSlot(pool.expireMs, slot);
  const snapshot: Building<OrderSnapshot> = {
    orderId: readSlot(pool.orderId, slot),
    account: present(accounts[readSlot(pool.account, slot)], 'the owner of an order').address,
    instrumentId: instrumentId(readSlot(pool.instrument, slot)),
    isBuy: (flags & SIDE_BUY) !== 0,
    reduceOnly: (flags & REDUCE_ONLY) !== 0,
    timeInForce: timeInForceOf(readSlot(pool.tif, slot)),
    price,
    remaining,
    original,
    filled: original - remaining,
    filledNotional: readSlot(pool.filledNotional, slot),
    acceptedMs: timeMs(readSlot(pool.acceptedMs, slot)),
    expireMs: expireMs === 0 ? undefined : timeMs(expireMs),
    clientOrderId: pool.clientOrderIds.get(slot),
  };
  if (outcome !== undefined) snapshot.outcome = outcome;
  return snapshot;
}
