import { addUsdc, assert, type MicroUsdc, present, subUsdc, ZERO_USDC } from '@oddlot/units';
import { LEG_SHORT, readSlot, readSlotInt, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { postToBalance } from '../ledger/post.ts';
import { exposureOf, ordersChanged } from '../perp/margin.ts';
import { unlinkSlot, writeSlot } from '../order-common/slots.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import type { TakerOrder } from './taker-order.ts';

/** Adds the remainder of an order to the book; an amended order keeps its rank. */
export function restOrder({ state }: Execution, taker: TakerOrder): void {
  const { account, amended, holding, request } = taker;
  writeSlot(state, taker, {
    book: holding.perp.book,
    orders: holding.orders,
    isShort: holding.leg === 1,
    acceptedMs: amended?.acceptedMs ?? state.timeMs,
    rank: amended?.rank,
    feeOverpaid: amended?.makerFeeOverpaid ?? 0,
    takerOverpaid: taker.feeOverpaid,
  });
  if (taker.fired !== undefined) state.triggers.remember(taker.orderId, taker.fired);
  const before = exposureOf(holding);
  addResting(holding, request.isBuy, request.reduceOnly, taker.remaining);
  if (taker.reserve > 0n) {
    state.reserves.set(taker.orderId, taker.reserve);
    holding.reserved = addUsdc(holding.reserved, taker.reserve);
  }
  if (exposureOf(holding) !== before) ordersChanged(state, account, holding);
}

/** Removes a resting order from all structures, without an event. */
export function removeOrder(state: State, slot: number): void {
  const { pool } = state;
  const { account, holding } = ownerOf(state, slot);
  const flags = readSlotInt(pool.flags, slot);
  const remaining = readSlot(pool.remaining, slot);
  const orderId = readSlot(pool.orderId, slot);
  unlinkSlot(state, slot, { account, book: holding.perp.book, orders: holding.orders });
  const before = exposureOf(holding);
  addResting(holding, (flags & SIDE_BUY) !== 0, (flags & REDUCE_ONLY) !== 0, -remaining);
  returnReserve(state, account, holding, orderId);
  if (exposureOf(holding) !== before) ordersChanged(state, account, holding);
}

export function ownerOf(state: State, slot: number): { account: Account; holding: Holding } {
  const { pool } = state;
  const account = present(state.accounts[readSlotInt(pool.account, slot)], 'the owner of an order');
  const leg = (readSlotInt(pool.flags, slot) & LEG_SHORT) !== 0 ? 1 : 0;
  const key = holdingKey(readSlotInt(pool.instrument, slot), leg);
  return { account, holding: present(account.holdings.get(key), 'a holding behind an order') };
}

export function reserveOf(state: State, orderId: number): MicroUsdc {
  const { reserves } = state;
  return reserves.size === 0 ? ZERO_USDC : (reserves.get(orderId) ?? ZERO_USDC);
}

/** Uses part of an order's reserve; the caller moves the money. */
export function useReserve(
  state: State,
  holding: Holding,
  orderId: number,
  amount: MicroUsdc,
): void {
  if (amount === 0n) return;
  const left = subUsdc(reserveOf(state, orderId), amount);
  assert(left >= 0n, 'an order uses what it has set aside');
  // An empty reserve is deleted, as in a restored state.
  if (left === 0n) state.reserves.delete(orderId);
  else state.reserves.set(orderId, left);
  holding.reserved = subUsdc(holding.reserved, amount);
}

function returnReserve(state: State, account: Account, holding: Holding, orderId: number): void {
  if (holding.reserved === 0n) return;
  const left = state.reserves.get(orderId);
  if (left === undefined) return;
  state.reserves.delete(orderId);
  holding.reserved = subUsdc(holding.reserved, left);
  postToBalance(state, account, left);
}

/** Updates the sums of resting sizes; reduce-only orders are counted separately. */
export function addResting(
  holding: Holding,
  isBuy: boolean,
  reduceOnly: boolean,
  size: number,
): void {
  if (reduceOnly) {
    if (isBuy) holding.reduceBuy += size;
    else holding.reduceSell += size;
  } else if (isBuy) holding.restingBuy += size;
  else holding.restingSell += size;
}

type WorkingOrders = {
  readonly resting: number;
  /** The number of take-profit and stop-loss orders attached to a parent or a position. */
  readonly tpsl: number;
  /** The number of other orders waiting for the mark. */
  readonly triggers: number;
};

/** Counts an account's working orders, in one instrument or in all. */
export function workingOrders(
  state: State,
  account: Account,
  instrumentId?: number,
): WorkingOrders {
  let resting = 0;
  for (const holding of holdingsIn(account, instrumentId)) resting += holding.orders.count;
  let tpsl = 0;
  let triggers = 0;
  for (const trigger of state.triggers.ofAccount(account.index)) {
    if (instrumentId !== undefined && trigger.request.instrumentId !== instrumentId) continue;
    if (trigger.groupId === undefined) triggers += 1;
    else tpsl += 1;
  }
  return { resting, tpsl, triggers };
}

export function hasPosition(account: Account, instrumentId?: number): boolean {
  return holdingsIn(account, instrumentId).some((holding) => holding.size !== 0);
}

function holdingsIn(account: Account, instrumentId: number | undefined): Holding[] {
  if (instrumentId === undefined) return [...account.holdings.values()];
  return ([0, 1] as const).flatMap((leg) => {
    const holding = account.holdings.get(holdingKey(instrumentId, leg));
    return holding === undefined ? [] : [holding];
  });
}
