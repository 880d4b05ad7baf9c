import { present } from '@oddlot/units';
import type { LevelBook } from '../book/level-book.ts';
import {
  HAS_BUILDER,
  LEG_SHORT,
  ORDER_FIELDS,
  type OwnList,
  readSlot,
  readSlotInt,
  REDUCE_ONLY,
  SIDE_BUY,
} from '../book/order-pool.ts';
import { clientOrderKey, type OrderRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Account, OrderBuilder } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { absorbBuilder } from './order-builder.ts';
import { timeInForceCode } from './snapshot.ts';
import { observeLeave, observeRest } from './order-events.ts';

// The compiler inlines constants defined in this module; imported constants would be read on every
// use.
const {
  ACCEPTED_MS,
  ACCOUNT,
  EXPIRE_MS,
  FEE_OVERPAID,
  FILLED_NOTIONAL,
  FLAGS,
  INSTRUMENT,
  ORIGINAL,
  PRICE,
  RANK,
  REMAINING,
  TAKER_OVERPAID,
  TIF,
} = ORDER_FIELDS;

/** The remainder of a perp or outcome order that goes into the book. */
type RestingOrder = {
  readonly orderId: number;
  readonly account: Account;
  readonly request: OrderRequest;
  /** The limit price in the book's terms. */
  readonly price: number;
  readonly original: number;
  readonly remaining: number;
  readonly filledNotional: number;
  readonly builder: OrderBuilder | undefined;
};

/** The book and the owner's list of an order, and the values it keeps while resting. */
type SlotPlace = {
  readonly book: LevelBook;
  readonly orders: OwnList;
  /** True for the second leg of an instrument: the short position in hedge mode, or NO. */
  readonly isShort: boolean;
  readonly acceptedMs: number;
  /** The rank of an order that has rested before (R-modify); a new order gets the next rank. */
  readonly rank: number | undefined;
  readonly feeOverpaid: number;
  readonly takerOverpaid: number;
};

/** Puts the remainder of an order into the book; the caller stores its reserve. */
export function writeSlot(state: State, order: RestingOrder, place: SlotPlace): void {
  const { pool } = state;
  const { account, builder, orderId, request } = order;
  const { book, rank } = place;
  const slot = pool.allocate(orderId);
  const { floats, ints } = pool;
  floats[slot + PRICE] = order.price;
  floats[slot + REMAINING] = order.remaining;
  floats[slot + ORIGINAL] = order.original;
  floats[slot + FILLED_NOTIONAL] = order.filledNotional;
  floats[slot + ACCEPTED_MS] = place.acceptedMs;
  floats[slot + RANK] = rank ?? state.nextRank++;
  floats[slot + FEE_OVERPAID] = place.feeOverpaid;
  floats[slot + TAKER_OVERPAID] = place.takerOverpaid;
  const expireMs = request.timeInForce === 'gtd' ? request.expireMs : undefined;
  floats[slot + EXPIRE_MS] = expireMs ?? 0;
  ints[slot + ACCOUNT] = account.index;
  ints[slot + INSTRUMENT] = request.instrumentId;
  ints[slot + FLAGS] =
    (request.isBuy ? SIDE_BUY : 0) |
    (request.reduceOnly ? REDUCE_ONLY : 0) |
    (place.isShort ? LEG_SHORT : 0) |
    (builder === undefined ? 0 : HAS_BUILDER);
  ints[slot + TIF] = timeInForceCode(request.timeInForce);
  if (request.clientOrderId !== undefined) {
    pool.clientOrderIds.set(slot, request.clientOrderId);
    const key = present(clientOrderKey(request.clientOrderId), 'a valid client order id');
    account.clientOrders.set(key, orderId);
    state.digest.text(key);
  }
  if (builder !== undefined) {
    state.orderBuilders.set(orderId, builder);
    absorbBuilder(state, builder);
  }
  // An order that has rested before is already in the expiry queue.
  if (expireMs !== undefined && rank === undefined) state.expiries.push(expireMs, orderId);
  book.insert(slot, rank === undefined ? 0 : state.timeMs - LIMITS.amendRankMs);
  pool.ownInsert(place.orders, slot);
  account.liveOrders += 1;
  if (place.orders.count === 1) account.orderLists.add(place.orders);
  if (state.observer !== undefined) observeRest(state, slot, book);
}

/** Removes an order from its book and frees its slot, which cannot be read afterwards. */
export function unlinkSlot(
  state: State,
  slot: number,
  { account, book, orders }: { account: Account; book: LevelBook; orders: OwnList },
): void {
  const { pool } = state;
  if (state.observer !== undefined) observeLeave(state, slot, book);
  const clientOrderId = pool.clientOrderIdOf(slot);
  if (clientOrderId !== undefined) {
    account.clientOrders.delete(present(clientOrderKey(clientOrderId), 'a valid client order id'));
  }
  book.remove(slot);
  pool.ownRemove(orders, slot);
  account.liveOrders -= 1;
  if (orders.count === 0) account.orderLists.delete(orders);
  if ((readSlotInt(pool.flags, slot) & HAS_BUILDER) !== 0) {
    state.orderBuilders.delete(readSlot(pool.orderId, slot));
  }
  pool.release(slot);
}

/**
 * Changes the price or remaining size of a resting order (R-modify). At the same price the order
 * keeps its queue position; at another price it is queued behind the orders that were accepted
 * before it.
 */
export function amendSlot(
  state: State,
  slot: number,
  book: LevelBook,
  { price, rest }: { readonly price: number; readonly rest: number },
): void {
  const { pool } = state;
  const filled = readSlot(pool.original, slot) - readSlot(pool.remaining, slot);
  if (price === readSlot(pool.price, slot)) {
    book.resize(slot, rest);
  } else {
    book.remove(slot);
    pool.price[slot] = price;
    pool.remaining[slot] = rest;
    book.insert(slot, state.timeMs - LIMITS.amendRankMs);
  }
  pool.original[slot] = filled + rest;
  if (state.observer !== undefined) observeRest(state, slot, book);
}
