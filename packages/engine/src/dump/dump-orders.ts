import { addUsdc, assert, present, usdcFromText, ZERO_USDC } from '@oddlot/units';
import {
  LEG_SHORT,
  NONE,
  readSlot,
  readSlotInt,
  REDUCE_ONLY,
  SIDE_BUY,
} from '../book/order-pool.ts';
import { sortNumbers } from '../collections/sorting.ts';
import { clientOrderKey } from '../messages/command.ts';
import { isOutcomeId } from '../messages/limits.ts';
import { addResting } from '../perp-orders/resting.ts';
import { holdingKey } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** Of an order that holds nothing back. */
export const NO_RESERVE = '0';

/** Orders that rest, of both kinds. `restingOf` names the columns for whoever reads them. */
export type OrderDump = readonly [
  orderId: number,
  accountIndex: number,
  instrument: number,
  flags: number,
  tif: number,
  price: number,
  remaining: number,
  original: number,
  filledNotional: number,
  acceptedMs: number,
  rank: number,
  queueMs: number,
  expireMs: number,
  feeOverpaid: number,
  clientOrderId: string | null,
  /** What an isolated order holds back. */
  reserve: string,
  takerOverpaid: number,
];

/** A row of the dump by the names of its columns. */
export function restingOf([
  orderId,
  accountIndex,
  instrument,
  flags,
  tif,
  price,
  remaining,
  original,
  filledNotional,
  acceptedMs,
  rank,
  queueMs,
  expireMs,
  feeOverpaid,
  clientOrderId,
  reserve,
  takerOverpaid,
]: OrderDump) {
  return {
    orderId,
    accountIndex,
    instrument,
    flags,
    tif,
    price,
    remaining,
    original,
    filledNotional,
    acceptedMs,
    rank,
    queueMs,
    expireMs,
    feeOverpaid,
    clientOrderId,
    reserve,
    takerOverpaid,
  };
}

function rowOf(order: Resting): OrderDump {
  return [
    order.orderId,
    order.accountIndex,
    order.instrument,
    order.flags,
    order.tif,
    order.price,
    order.remaining,
    order.original,
    order.filledNotional,
    order.acceptedMs,
    order.rank,
    order.queueMs,
    order.expireMs,
    order.feeOverpaid,
    order.clientOrderId,
    order.reserve,
    order.takerOverpaid,
  ];
}

/** An order that rests, by the names of its columns. */
export type Resting = ReturnType<typeof restingOf>;

/** Orders as they were kept, whatever their shape: each by its number there. */
export type StoredOrders = {
  readonly count: number;
  rankOf(row: number): number;
  at(row: number): Resting;
};

export function dumpOrders(state: State): OrderDump[] {
  return Array.from(orderIdsOf(state), (orderId) => rowOf(restingAt(state, orderId)));
}

/** The ids of all orders that rest, ascending. */
export function orderIdsOf(state: State): Float64Array {
  const { pool } = state;
  const ids = new Float64Array(pool.size);
  let count = 0;
  const visit = (slot: number): void => {
    ids[count++] = readSlot(pool.orderId, slot);
  };
  for (const id of state.perpIds) {
    const { book } = present(state.perps.get(id), 'a listed perp');
    book.forEachSlot(true, visit);
    book.forEachSlot(false, visit);
  }
  for (const id of state.outcomes.marketIds) {
    const { book } = present(state.outcomes.markets.get(id), 'a listed market');
    book.forEachSlot(true, visit);
    book.forEachSlot(false, visit);
  }
  assert(count === pool.size, 'dump: every order of the pool is in a book');
  return sortNumbers(ids);
}

/** What is kept of an order that rests. */
export function restingAt(state: State, orderId: number): Resting {
  const { pool } = state;
  const slot = slotOf(state, orderId);
  return {
    orderId,
    accountIndex: readSlotInt(pool.account, slot),
    instrument: readSlotInt(pool.instrument, slot),
    flags: readSlotInt(pool.flags, slot),
    tif: readSlotInt(pool.tif, slot),
    price: readSlot(pool.price, slot),
    remaining: readSlot(pool.remaining, slot),
    original: readSlot(pool.original, slot),
    filledNotional: readSlot(pool.filledNotional, slot),
    acceptedMs: readSlot(pool.acceptedMs, slot),
    rank: readSlot(pool.rank, slot),
    queueMs: readSlot(pool.queueMs, slot),
    expireMs: readSlot(pool.expireMs, slot),
    feeOverpaid: readSlot(pool.feeOverpaid, slot),
    clientOrderId: pool.clientOrderIds.get(slot) ?? null,
    reserve: state.reserves.get(orderId)?.toString() ?? NO_RESERVE,
    takerOverpaid: readSlot(pool.takerOverpaid, slot),
  };
}

/** Orders of a plain dump, to be restored. */
export function ordersOfRows(rows: readonly OrderDump[]): StoredOrders {
  const at = (row: number): Resting => restingOf(present(rows[row], 'an order of the dump'));
  return { count: rows.length, at, rankOf: (row) => at(row).rank };
}

/** Ranks give the owners' lists their order, the queue times and ranks give the books theirs. */
export function restoreOrders(state: State, orders: StoredOrders): void {
  const { count } = orders;
  state.pool.reserve(count);
  const ranks = new Float64Array(count);
  for (let row = 0; row < count; row += 1) ranks[row] = orders.rankOf(row);
  const slots = new Int32Array(count);
  const queueMs = new Float64Array(count);
  let restored = 0;
  for (const row of inOrderOf(ranks)) {
    const order = orders.at(row);
    queueMs[restored] = order.queueMs;
    slots[restored++] = restoreOrder(state, order);
  }
  for (const index of inOrderOf(queueMs)) {
    const slot = readSlotInt(slots, index);
    const instrument = readSlotInt(state.pool.instrument, slot);
    const { book } = present(
      state.perps.get(instrument) ?? state.outcomes.markets.get(instrument),
      'a listed instrument',
    );
    book.insert(slot, readSlot(queueMs, index));
  }
}

/** The places of keys by their size; equal ones stay in their order. */
function inOrderOf(keys: Float64Array): Uint32Array {
  const places = new Uint32Array(keys.length);
  let isSorted = true;
  for (let place = 0; place < keys.length; place += 1) {
    places[place] = place;
    if (place > 0 && readSlot(keys, place) < readSlot(keys, place - 1)) isSorted = false;
  }
  // Most come sorted.
  return isSorted ? places : places.sort((a, b) => readSlot(keys, a) - readSlot(keys, b));
}

function slotOf({ pool }: State, orderId: number): number {
  const slot = pool.find(orderId);
  return present(slot === NONE ? undefined : slot, 'an order that rests');
}

/** All but its place in the book; returns its slot. */
function restoreOrder(state: State, order: Resting): number {
  const { pool } = state;
  const { clientOrderId, expireMs, flags, instrument, orderId, remaining } = order;
  const slot = pool.allocate(orderId);
  pool.account[slot] = order.accountIndex;
  pool.instrument[slot] = instrument;
  pool.flags[slot] = flags;
  pool.tif[slot] = order.tif;
  pool.price[slot] = order.price;
  pool.remaining[slot] = remaining;
  pool.original[slot] = order.original;
  pool.filledNotional[slot] = order.filledNotional;
  pool.acceptedMs[slot] = order.acceptedMs;
  pool.rank[slot] = order.rank;
  pool.expireMs[slot] = expireMs;
  pool.feeOverpaid[slot] = order.feeOverpaid;
  pool.takerOverpaid[slot] = order.takerOverpaid;
  const account = present(state.accounts[order.accountIndex], 'the owner of an order');
  const reserve = order.reserve === NO_RESERVE ? ZERO_USDC : usdcFromText(order.reserve);
  if (reserve > 0n) state.reserves.set(orderId, reserve);
  account.liveOrders += 1;
  if (isOutcomeId(instrument)) {
    const place = present(account.outcomes.get(instrument), 'a holding behind an order');
    pool.ownAppend(place.orders, slot);
    account.orderLists.add(place.orders);
  } else {
    const key = holdingKey(instrument, (flags & LEG_SHORT) !== 0 ? 1 : 0);
    const holding = present(account.holdings.get(key), 'a holding behind an order');
    holding.reserved = addUsdc(holding.reserved, reserve);
    pool.ownAppend(holding.orders, slot);
    account.orderLists.add(holding.orders);
    addResting(holding, (flags & SIDE_BUY) !== 0, (flags & REDUCE_ONLY) !== 0, remaining);
  }
  if (clientOrderId !== null) {
    pool.clientOrderIds.set(slot, clientOrderId);
    const clientKey = present(clientOrderKey(clientOrderId), 'a valid client order id');
    account.clientOrders.set(clientKey, orderId);
  }
  if (expireMs > 0) state.expiries.push(expireMs, orderId);
  return slot;
}
