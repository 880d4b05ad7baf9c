import { instrumentId, negUsdc, present, timeMs } from '@oddlot/units';
import { HAS_BUILDER, LEG_SHORT, NONE, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { read } from '../book/read-slot.ts';
import { putInOrder } from '../collections/ordered-map.ts';
import { postReserve } from '../ledger/outcome.ts';
import { clientOrderKey } from '../messages/client-order-id.ts';
import type { CancelCause, OrderSnapshot } from '../messages/event.ts';
import { LIMITS } from '../messages/limits.ts';
import type { OutcomeLeg } from '../messages/outcome-terms.ts';
import { emitOrder } from '../resting/emit.ts';
import { absorbBuilder } from '../resting/order-builder.ts';
import { timeInForceCode, timeInForceOf } from '../resting/order-codes.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { createOutcomeHolding, legPrice, type OutcomeHolding } from '../state/outcome-holding.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';
import type { OutcomeTaker } from './outcome-order.ts';

/** Outcome orders in the book: how they get there, and how they leave. */

/** The account's place in a market, created empty when there is none. */
export function outcomeHoldingOf(
  state: State,
  account: Account,
  market: OutcomeMarket,
): OutcomeHolding {
  const id = market.definition.instrumentId;
  let holding = account.outcomes.get(id);
  if (holding === undefined) {
    holding = createOutcomeHolding(market, timeMs(state.timeMs));
    putInOrder(account.outcomes, id, holding);
  }
  return holding;
}

/** Who owns a resting outcome order, their place in its market, and the leg it is about. */
export function outcomeOwnerOf(
  state: State,
  slot: number,
): { account: Account; holding: OutcomeHolding; leg: OutcomeLeg; isSell: boolean } {
  const { pool } = state;
  const account = present(state.accounts[read(pool.account, slot)], 'the owner of an order');
  const holding = account.outcomes.get(read(pool.instrument, slot));
  const flags = read(pool.flags, slot);
  return {
    account,
    holding: present(holding, 'a holding behind an order'),
    leg: (flags & LEG_SHORT) !== 0 ? 'no' : 'yes',
    isSell: (flags & REDUCE_ONLY) !== 0,
  };
}

/** Puts what is left of an order into the book. Its reserve and its shares stay set aside. */
export function restOutcomeOrder(execution: Execution, taker: OutcomeTaker): void {
  const { state } = execution;
  const { pool } = state;
  const { account, holding, leg, request } = taker;
  const slot = pool.allocate(taker.orderId);
  pool.price[slot] = taker.price;
  pool.remaining[slot] = taker.remaining;
  pool.original[slot] = taker.original;
  pool.filledNotional[slot] = taker.filledNotional;
  pool.acceptedMs[slot] = taker.acceptedMs;
  pool.rank[slot] = taker.rank ?? state.nextRank++;
  pool.feeOverpaid[slot] = taker.feeOverpaid;
  const expireMs = request.timeInForce === 'gtd' ? request.expireMs : undefined;
  pool.expireMs[slot] = expireMs ?? 0;
  pool.account[slot] = account.index;
  pool.instrument[slot] = request.instrumentId;
  pool.flags[slot] =
    (request.isBuy ? SIDE_BUY : 0) |
    (request.reduceOnly ? REDUCE_ONLY : 0) |
    (leg === 'no' ? LEG_SHORT : 0) |
    (taker.builder === undefined ? 0 : HAS_BUILDER);
  pool.tif[slot] = timeInForceCode(request.timeInForce);
  if (request.clientOrderId !== undefined) {
    pool.clientOrderIds.set(slot, request.clientOrderId);
    const key = present(clientOrderKey(request.clientOrderId), 'a valid client order id');
    account.clientOrders.set(key, taker.orderId);
    state.digest.text(key);
  }
  if (taker.builder !== undefined) {
    state.orderBuilders.set(taker.orderId, taker.builder);
    absorbBuilder(state, taker.builder);
  }
  const isNew = taker.rank === undefined;
  if (expireMs !== undefined && isNew) state.expiries.push(expireMs, taker.orderId);
  holding.market.book.insert(slot, isNew ? 0 : state.timeMs - LIMITS.amendRankMs);
  pool.ownInsert(holding.orders, slot);
  account.liveOrders += 1;
  if (taker.reserve > 0n) state.reserves.set(taker.orderId, taker.reserve);
  state.outcomes.orderTx.set(taker.orderId, taker.txHash);
}

/** Takes a resting order out of the book; what it set aside is the caller's to place. */
export function takeOutcomeOrder(state: State, slot: number): void {
  const { pool } = state;
  const { account, holding } = outcomeOwnerOf(state, slot);
  const orderId = read(pool.orderId, slot);
  const clientOrderId = pool.clientOrderIds.get(slot);
  if (clientOrderId !== undefined) {
    account.clientOrders.delete(present(clientOrderKey(clientOrderId), 'a valid client order id'));
  }
  holding.market.book.remove(slot);
  pool.ownRemove(holding.orders, slot);
  account.liveOrders -= 1;
  state.reserves.delete(orderId);
  state.outcomes.orderTx.delete(orderId);
  state.orderBuilders.delete(orderId);
  pool.release(slot);
}

/** Ends a resting order without a fill: its money and shares are free again. */
export function cancelOutcomeOrder(
  execution: Execution,
  slot: number,
  cause: CancelCause,
): OrderSnapshot {
  const { state } = execution;
  const order = outcomeSnapshotOf(state, slot);
  const { account, holding, isSell, leg } = outcomeOwnerOf(state, slot);
  const reserve = state.reserves.get(order.orderId);
  takeOutcomeOrder(state, slot);
  if (isSell) holding[leg].reserved -= order.remaining;
  else if (reserve !== undefined) postReserve(state, account, negUsdc(reserve));
  emitOrder(execution, 'cancelled', order, cause);
  return order;
}

/** A resting order as events and readers see it: prices are the leg's own. */
export function outcomeSnapshotOf(state: State, slot: number): OrderSnapshot {
  const { pool } = state;
  const { account, holding, isSell, leg } = outcomeOwnerOf(state, slot);
  const remaining = read(pool.remaining, slot);
  const original = read(pool.original, slot);
  const expireMs = read(pool.expireMs, slot);
  const orderId = read(pool.orderId, slot);
  return {
    orderId,
    account: account.address,
    instrumentId: instrumentId(read(pool.instrument, slot)),
    isBuy: (read(pool.flags, slot) & SIDE_BUY) !== 0,
    reduceOnly: isSell,
    timeInForce: timeInForceOf(read(pool.tif, slot)),
    price: legPrice(leg, read(pool.price, slot), holding.market.unit),
    remaining,
    original,
    filled: original - remaining,
    filledNotional: read(pool.filledNotional, slot),
    acceptedMs: timeMs(read(pool.acceptedMs, slot)),
    expireMs: expireMs === 0 ? undefined : timeMs(expireMs),
    clientOrderId: pool.clientOrderIds.get(slot),
    outcome: { leg, txHash: present(state.outcomes.orderTx.get(orderId), 'the order’s action') },
  };
}

/** The account's resting orders of a market, oldest first. */
export function outcomeSlotsOf(state: State, holding: OutcomeHolding): number[] {
  const slots: number[] = [];
  for (let slot = holding.orders.head; slot !== NONE; slot = read(state.pool.ownNext, slot)) {
    slots.push(slot);
  }
  return slots;
}
