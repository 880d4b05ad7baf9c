import { type Address, instrumentId, present, type TimeMs, timeMs } from '@oddlot/units';
import { ORDER_FIELDS, readSlot, readSlotInt, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import type { OrderRequest, TimeInForce } from '../messages/command.ts';
import type { OrderSnapshot, Building } from '../messages/event.ts';
import type { State } from '../state/state.ts';

// The compiler inlines constants defined in this module; imported constants would be read on every
// use.
const {
  ACCEPTED_MS,
  ACCOUNT,
  EXPIRE_MS,
  FILLED_NOTIONAL,
  FLAGS,
  INSTRUMENT,
  ORDER_ID,
  ORIGINAL,
  REMAINING,
  TIF,
} = ORDER_FIELDS;

/** The additional fields of an order on an outcome market. */
type OutcomeFields = OrderSnapshot['outcome'];

/** An order that is not in the book because it is being executed, was rejected or is waiting. */
type LooseOrder = {
  readonly orderId: number;
  readonly request: OrderRequest;
  readonly remaining: number;
  readonly original: number;
  readonly filledNotional: number;
};

/** Returns a snapshot of an order that is not in the book; `price` is in the owner's terms. */
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

/** Returns a snapshot of an order in the book; `price` is in the owner's terms. */
export function slotSnapshot(
  { accounts, pool }: State,
  slot: number,
  price: number,
  outcome?: OutcomeFields,
): OrderSnapshot {
  const { floats, ints } = pool;
  const flags = readSlotInt(ints, slot + FLAGS);
  const remaining = readSlot(floats, slot + REMAINING);
  const original = readSlot(floats, slot + ORIGINAL);
  const expireMs = readSlot(floats, slot + EXPIRE_MS);
  const snapshot: Building<OrderSnapshot> = {
    orderId: readSlot(floats, slot + ORDER_ID),
    account: present(accounts[readSlotInt(ints, slot + ACCOUNT)], 'the owner of an order').address,
    instrumentId: instrumentId(readSlotInt(ints, slot + INSTRUMENT)),
    isBuy: (flags & SIDE_BUY) !== 0,
    reduceOnly: (flags & REDUCE_ONLY) !== 0,
    timeInForce: timeInForceOf(readSlotInt(ints, slot + TIF)),
    price,
    remaining,
    original,
    filled: original - remaining,
    filledNotional: readSlot(floats, slot + FILLED_NOTIONAL),
    acceptedMs: timeMs(readSlot(floats, slot + ACCEPTED_MS)),
    expireMs: expireMs === 0 ? undefined : timeMs(expireMs),
    clientOrderId: pool.clientOrderIdOf(slot),
  };
  if (outcome !== undefined) snapshot.outcome = outcome;
  return snapshot;
}

/**
 * The times in force, indexed by the code stored in the order pool. The order of this list is part
 * of the dump format.
 */
const TIMES_IN_FORCE: readonly TimeInForce[] = ['gtc', 'gtd', 'alo', 'ioc', 'market'];

/**
 * Returns the index of a time in force in the list. The function uses a switch for speed, because
 * every order event needs the code.
 */
export function timeInForceCode(value: TimeInForce): number {
  switch (value) {
    case 'gtc':
      return 0;
    case 'gtd':
      return 1;
    case 'alo':
      return 2;
    case 'ioc':
      return 3;
    case 'market':
      return 4;
  }
}

export function timeInForceOf(code: number): TimeInForce {
  return present(TIMES_IN_FORCE[code], `time in force ${code}`);
}
