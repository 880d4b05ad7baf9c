import { addUsdc, present, usdcFromText } from '@oddlot/units';
import { LEG_SHORT, NONE, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { readSlot } from '../book/read-slot.ts';
import { clientOrderKey } from '../messages/client-order-key.ts';
import { isOutcomeId } from '../messages/instrument-kind.ts';
import { addResting, reserveOf } from '../perp-orders/resting.ts';
import { holdingKey } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** Orders that rest, of both kinds. */

export type OrderDump = readonly [
  orderId: number,
  account: number,
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
  return orders.sort((a, b) => a[0] - b[0]);
}

/** Ranks give the owners' lists their order, the queue times and ranks give the books theirs. */
export function restoreOrders(state: State, orders: readonly OrderDump[]): void {
  const { pool } = state;
  pool.reserve(orders.length);
  for (const row of [...orders].sort((a, b) => a[10] - b[10])) {
    const [orderId, accountIndex, instrument, flags, tif, price, remaining] = row;
    const slot = pool.allocate(orderId);
    pool.account[slot] = accountIndex;
    pool.instrument[slot] = instrument;
    pool.flags[slot] = flags;
    pool.tif[slot] = tif;
    pool.price[slot] = price;
    pool.remaining[slot] = remaining;
    pool.original[slot] = row[7];
    pool.filledNotional[slot] = row[8];
    pool.acceptedMs[slot] = row[9];
    pool.rank[slot] = row[10];
    pool.expireMs[slot] = row[12];
    pool.feeOverpaid[slot] = row[13];
    pool.takerOverpaid[slot] = row[16];
    const account = present(state.accounts[accountIndex], 'the owner of an order');
    const reserve = usdcFromText(row[15]);
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
    const clientOrderId = row[14];
    if (clientOrderId !== null) {
      pool.clientOrderIds.set(slot, clientOrderId);
      const clientKey = present(clientOrderKey(clientOrderId), 'a valid client order id');
      account.clientOrders.set(clientKey, orderId);
    }
    if (row[12] > 0) state.expiries.push(row[12], orderId);
  }
  const byQueue = [...orders].sort((a, b) => a[11] - b[11] || a[10] - b[10]);
  for (const row of byQueue) {
    const slot = pool.find(row[0]);
    present(slot === NONE ? undefined : slot, 'a restored order');
    const { book } = present(
      state.perps.get(row[2]) ?? state.outcomes.markets.get(row[2]),
      'a listed instrument',
    );
    book.insert(slot, row[11]);
  }
}
