import { addUsdc, present, usdcFromText } from '@oddlot/units';
import { LEG_SHORT, NONE, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { readSlot } from '../book/read-slot.ts';
import { clientOrderKey } from '../messages/client-order-key.ts';
import { isOutcomeId } from '../messages/instrument-kind.ts';
import { addResting, reserveOf } from '../perp-orders/resting.ts';
import { holdingKey } from '../state/account.ts';
import type { State } from '../state/state.ts';

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

export function dumpOrders(state: State): OrderDump[] {
  const { pool } = state;
  const orders: OrderDump[] = [];
  const visit = (slot: number): void => {
    orders.push([
      readSlot(pool.orderId, slot),
      readSlot(pool.account, slot),
      readSlot(pool.instrument, slot),
      readSlot(pool.flags, slot),
      readSlot(pool.tif, slot),
      readSlot(pool.price, slot),
      readSlot(pool.remaining, slot),
      readSlot(pool.original, slot),
      readSlot(pool.filledNotional, slot),
      readSlot(pool.acceptedMs, slot),
      readSlot(pool.rank, slot),
      readSlot(pool.queueMs, slot),
      readSlot(pool.expireMs, slot),
      readSlot(pool.feeOverpaid, slot),
      pool.clientOrderIds.get(slot) ?? null,
      String(reserveOf(state, readSlot(pool.orderId, slot))),
      readSlot(pool.takerOverpaid, slot),
    ]);
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
  return orders.sort(([a], [b]) => a - b);
}

/** Ranks give the owners' lists their order, the queue times and ranks give the books theirs. */
export function restoreOrders(state: State, rows: readonly OrderDump[]): void {
  const { pool } = state;
  pool.reserve(rows.length);
  const orders = rows.map(restingOf).sort((a, b) => a.rank - b.rank);
  for (const order of orders) restoreOrder(state, order);
  orders.sort((a, b) => a.queueMs - b.queueMs || a.rank - b.rank);
  for (const { instrument, orderId, queueMs } of orders) {
    const slot = pool.find(orderId);
    present(slot === NONE ? undefined : slot, 'a restored order');
    const { book } = present(
      state.perps.get(instrument) ?? state.outcomes.markets.get(instrument),
      'a listed instrument',
    );
    book.insert(slot, queueMs);
  }
}

/** All but its place in the book. */
function restoreOrder(state: State, order: ReturnType<typeof restingOf>): void {
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
  const reserve = usdcFromText(order.reserve);
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
}
