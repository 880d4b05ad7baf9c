import { negUsdc, present, timeMs } from '@oddlot/units';
import { LEG_SHORT, NONE, REDUCE_ONLY } from '../book/order-pool.ts';
import { readSlot, readSlotInt } from '../book/read-slot.ts';
import { putInOrder } from '../collections/put-in-order.ts';
import { postReserve } from '../ledger/outcome.ts';
import type { CancelCause, OrderSnapshot } from '../messages/event.ts';
import type { OutcomeLeg } from '../messages/outcome-terms.ts';
import { emitOrder } from '../resting/emit.ts';
import { unlinkSlot, writeSlot } from '../resting/slots.ts';
import { slotSnapshot } from '../resting/snapshot.ts';
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
    market.holders.set(account.index, true);
  }
  return holding;
}

/** Who owns a resting outcome order, their place in its market, and the leg it is about. */
export function outcomeOwnerOf(
  state: State,
  slot: number,
): { account: Account; holding: OutcomeHolding; leg: OutcomeLeg; isSell: boolean } {
  const { pool } = state;
  const account = present(state.accounts[readSlotInt(pool.account, slot)], 'the owner of an order');
  const holding = account.outcomes.get(readSlotInt(pool.instrument, slot));
  const flags = readSlotInt(pool.flags, slot);
  return {
    account,
    holding: present(holding, 'a holding behind an order'),
    leg: (flags & LEG_SHORT) !== 0 ? 'no' : 'yes',
    isSell: (flags & REDUCE_ONLY) !== 0,
  };
}

/** Puts what is left of an order into the book. Its reserve and its shares stay set aside. */
export function restOutcomeOrder({ state }: Execution, taker: OutcomeTaker): void {
  const { holding } = taker;
  writeSlot(state, taker, {
    book: holding.market.book,
    orders: holding.orders,
    isShort: taker.leg === 'no',
    acceptedMs: taker.acceptedMs,
    rank: taker.rank,
    feeOverpaid: taker.feeOverpaid,
    takerOverpaid: 0,
  });
  if (taker.reserve > 0n) state.reserves.set(taker.orderId, taker.reserve);
  state.outcomes.orderTx.set(taker.orderId, taker.txHash);
}

/** Takes a resting order out of the book; what it set aside is the caller's to place. */
export function takeOutcomeOrder(state: State, slot: number): void {
  const { account, holding } = outcomeOwnerOf(state, slot);
  const orderId = readSlot(state.pool.orderId, slot);
  unlinkSlot(state, slot, { account, book: holding.market.book, orders: holding.orders });
  state.reserves.delete(orderId);
  state.outcomes.orderTx.delete(orderId);
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
  const { holding, leg } = outcomeOwnerOf(state, slot);
  const txHash = state.outcomes.orderTx.get(readSlot(pool.orderId, slot));
  const price = legPrice(leg, readSlot(pool.price, slot), holding.market.unit);
  return slotSnapshot(state, slot, price, { leg, txHash: present(txHash, 'the order’s action') });
}

/** The account's resting orders of a market, oldest first. */
export function outcomeSlotsOf(state: State, holding: OutcomeHolding): number[] {
  const slots: number[] = [];
  for (
    let slot = holding.orders.head;
    slot !== NONE;
    slot = readSlotInt(state.pool.ownNext, slot)
  ) {
    slots.push(slot);
  }
  return slots;
}
