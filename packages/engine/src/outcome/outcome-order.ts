import {
  accrueOutcomeFee,
  addUsdc,
  type Hash,
  type MicroUsdc,
  negUsdc,
  notional,
  present,
  rateE8,
  type TimeMs,
  timeMs,
  ZERO_USDC,
} from '@oddlot/units';
import type { OrderRequest, OutcomeLeg } from '../messages/command.ts';
import type { CancelCause, OrderSnapshot } from '../messages/event.ts';
import { builderFeeAtMost, builderOf } from '../order-common/order-builder.ts';
import { looseSnapshot, slotSnapshot } from '../order-common/snapshot.ts';
import type { Account, OrderBuilder } from '../state/account.ts';
import {
  createOutcomeHolding,
  legPrice,
  type OutcomeHolding,
  outcomeLegOf,
  type OutcomeMarket,
} from '../state/outcome-market.ts';
import { LEG_SHORT, NONE, readSlot, readSlotInt, REDUCE_ONLY } from '../book/order-pool.ts';
import { putInOrder } from '../collections/sorting.ts';
import { postReserve } from '../ledger/post.ts';
import { emitOrder } from '../order-common/order-events.ts';
import { unlinkSlot, writeSlot } from '../order-common/slots.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** The state of an outcome order while it is matched. */
export type OutcomeTaker = {
  readonly orderId: number;
  readonly account: Account;
  readonly holding: OutcomeHolding;
  readonly request: OrderRequest;
  readonly leg: OutcomeLeg;
  /** The limit as a YES price of the book. */
  readonly price: number;
  readonly original: number;
  remaining: number;
  /** The sum of price × size over the fills, at prices of the order's own outcome. */
  filledNotional: number;
  /** The unused part of a buy's reserve. */
  reserve: MicroUsdc;
  /** The amount by which rounding has overcharged the taker fee (R-outcome-fee). */
  feeOverpaid: number;
  readonly builder: OrderBuilder | undefined;
  /**
   * The hash of the action that placed the order, and of the action that makes it trade, which can
   * be an amendment.
   */
  readonly txHash: Hash;
  readonly tradeTxHash: Hash;
  readonly acceptedMs: TimeMs;
  /** The time priority of an order that has already rested (R-modify). */
  readonly rank?: number;
};

/** Returns the YES price of an order; for NO, this is 1 minus the order's price (R-one-book). */
export function bookPrice(market: OutcomeMarket, order: OrderRequest): number {
  return legPrice(outcomeLegOf(order), order.price, market.unit);
}

/**
 * Returns the reserve that the remainder of a buy requires at its limit: the price and the maximum
 * fees (R-reserve). A better price never costs more, because the sum of price and fee increases
 * with the price.
 */
export function requiredReserve(
  market: OutcomeMarket,
  limit: number,
  rest: number,
  { builder, feeOverpaid }: FeeRemainders,
): MicroUsdc {
  // A filled order needs no reserve, although rounding could leave one; the last fill releases it.
  if (rest === 0) return ZERO_USDC;
  const { takerFeeE8 } = market.definition;
  const fill = { size: rest, price: limit, unit: market.unit };
  const { fee } = accrueOutcomeFee(fill, rateE8(takerFeeE8), feeOverpaid);
  const value = notional(limit, rest);
  return addUsdc(addUsdc(value, fee), builderFeeAtMost(value, builder));
}

type FeeRemainders = {
  readonly feeOverpaid: number;
  readonly builder: OrderBuilder | undefined;
};

export function freshRemainders(order: OrderRequest): FeeRemainders {
  return { feeOverpaid: 0, builder: builderOf(order) };
}

export function outcomeTakerSnapshot(taker: OutcomeTaker): OrderSnapshot {
  const { acceptedMs, account, leg, request, txHash } = taker;
  return looseSnapshot(taker, account.address, request.price, acceptedMs, { leg, txHash });
}

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

/**
 * Returns the owner of a resting outcome order, the owner's holding in the market, and the order's
 * side.
 */
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

/** Adds the remainder of an order to the book. Its money or shares stay reserved. */
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

/** Removes a resting order from the book; the caller releases its reserve. */
export function takeOutcomeOrder(state: State, slot: number): void {
  const { account, holding } = outcomeOwnerOf(state, slot);
  const orderId = readSlot(state.pool.orderId, slot);
  unlinkSlot(state, slot, { account, book: holding.market.book, orders: holding.orders });
  state.reserves.delete(orderId);
  state.outcomes.orderTx.delete(orderId);
}

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

export function outcomeSnapshotOf(state: State, slot: number): OrderSnapshot {
  const { pool } = state;
  const { holding, leg } = outcomeOwnerOf(state, slot);
  const txHash = state.outcomes.orderTx.get(readSlot(pool.orderId, slot));
  const price = legPrice(leg, readSlot(pool.price, slot), holding.market.unit);
  return slotSnapshot(state, slot, price, { leg, txHash: present(txHash, 'the order’s action') });
}

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
