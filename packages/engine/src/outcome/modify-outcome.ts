import { type Hash, negUsdc, present, subUsdc, timeMs, ZERO_USDC } from '@oddlot/units';
import { readSlot } from '../book/order-pool.ts';
import { postReserve } from '../ledger/post.ts';
import type { EntryResult } from '../messages/event.ts';
import type { CommandResult } from '../messages/block.ts';
import type { ModifyOrderCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { amendedRequest } from '../order-common/order-request.ts';
import { emitOrder } from '../order-common/order-events.ts';
import { restingBuilder } from '../order-common/order-builder.ts';
import { amendSlot } from '../order-common/slots.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import {
  bookPrice,
  cancelOutcomeOrder,
  outcomeOwnerOf,
  outcomeSnapshotOf,
  requiredReserve,
  takeOutcomeOrder,
} from './outcome-order.ts';
import { runOutcomeTaker } from './place-outcome-orders.ts';
import {
  checkPhase,
  type OutcomeOrderContext,
  validateOutcomeOrder,
} from './validate-outcome-order.ts';

/**
 * Amends the price and size of a resting outcome order (R-modify). On a market with a delay, an
 * amendment that would take liquidity is rejected, because it would bypass the delay queue
 * (R-delay).
 */
export function modifyOutcomeOrder(
  execution: Execution,
  account: Account,
  slot: number,
  command: ModifyOrderCommand,
): CommandResult {
  const { state } = execution;
  const { address } = account;
  const context = amendOf(state, account, slot, command, state.timeMs);
  const reject = judge(state, context, slot, command);
  if (reject !== undefined) return { account: address, reject };
  if (context.order.size <= 0) {
    const order = cancelOutcomeOrder(execution, slot, 'amendedBelowFilled');
    const { clientOrderId, filled, filledNotional, orderId } = order;
    const entry = { orderId, clientOrderId, state: 'cancelled', filled, filledNotional } as const;
    return { account: address, entries: [entry] };
  }
  const { market } = outcomeOwnerOf(state, slot).holding;
  const crosses = market.book.crosses(context.order.isBuy, bookPrice(market, context.order));
  if (crosses && context.order.timeInForce === 'alo') {
    return { account: address, reject: { reason: 'postOnlyWouldTrade' } };
  }
  if (crosses && market.definition.orderDelayMs > 0) {
    return { account: address, reject: { reason: 'amendWouldTake' } };
  }
  const { txHash } = command.authority;
  const entry = crosses ? trade(execution, slot, context, txHash) : stay(execution, slot, context);
  return { account: address, entries: [entry] };
}

/** Checks an amendment for admission. Only execution determines whether it trades. */
export function checkModifyOutcomeOrder(
  state: State,
  account: Account,
  slot: number,
  command: ModifyOrderCommand,
  nowMs: number,
): Reject | undefined {
  return judge(state, amendOf(state, account, slot, command, nowMs), slot, command);
}

type Amend = OutcomeOrderContext & {
  readonly replaced: NonNullable<OutcomeOrderContext['replaced']>;
};

/** Returns the order as it would be placed anew: with the new total size less the filled size. */
function amendOf(
  state: State,
  account: Account,
  slot: number,
  command: ModifyOrderCommand,
  nowMs: number,
): Amend {
  const { pool } = state;
  const remaining = readSlot(pool.remaining, slot);
  const filled = readSlot(pool.original, slot) - remaining;
  const order = amendedRequest(state, slot, command);
  const reserve = state.reserves.get(readSlot(pool.orderId, slot)) ?? ZERO_USDC;
  const feeOverpaid = readSlot(pool.feeOverpaid, slot);
  const builder = restingBuilder(state, slot);
  const replaced = { remaining, filled, reserve, feeOverpaid, builder };
  return { state, account, order, timeMs: nowMs, replaced };
}

/**
 * Checks an amendment. A size at or below the filled size ends the order and is checked like a
 * cancel.
 */
function judge(
  state: State,
  context: Amend,
  slot: number,
  { instrumentId, size, sizeInexact }: ModifyOrderCommand,
): Reject | undefined {
  const isCancel = size >= 0 && sizeInexact !== true && context.order.size <= 0;
  if (!isCancel) return validateOutcomeOrder(context);
  return checkPhase(outcomeOwnerOf(state, slot).holding.market, instrumentId);
}

/**
 * Amends an order that stays in the book. At an unchanged price it keeps its position; at a new
 * price its acceptance time determines its position.
 */
function stay(
  execution: Execution,
  slot: number,
  { account, order, replaced }: Amend,
): EntryResult {
  const { state } = execution;
  const { pool } = state;
  const { holding, isSell, leg } = outcomeOwnerOf(state, slot);
  const { market } = holding;
  amendSlot(state, slot, market.book, { price: bookPrice(market, order), rest: order.size });
  if (isSell) {
    holding[leg].reserved += order.size - replaced.remaining;
  } else {
    const reserve = requiredReserve(market, order.price, order.size, replaced);
    postReserve(state, account, subUsdc(reserve, replaced.reserve));
    state.reserves.set(readSlot(pool.orderId, slot), reserve);
  }
  const snapshot = outcomeSnapshotOf(state, slot);
  emitOrder(execution, 'open', snapshot);
  const { clientOrderId, filled, filledNotional, orderId } = snapshot;
  return { orderId, clientOrderId, state: 'open', filled, filledNotional };
}

/**
 * Executes an amendment whose new price crosses the book: the order leaves the book and trades, and
 * its remainder rests again.
 */
function trade(execution: Execution, slot: number, amend: Amend, tradeTxHash: Hash): EntryResult {
  const { state } = execution;
  const { pool } = state;
  const { account, order, replaced } = amend;
  const { holding, isSell, leg } = outcomeOwnerOf(state, slot);
  const { market } = holding;
  const { clientOrderId, filledNotional, orderId, outcome } = outcomeSnapshotOf(state, slot);
  const rank = readSlot(pool.rank, slot);
  const acceptedMs = timeMs(readSlot(pool.acceptedMs, slot));
  takeOutcomeOrder(state, slot);
  let reserve = ZERO_USDC;
  if (isSell) {
    holding[leg].reserved += order.size - replaced.remaining;
  } else {
    reserve = requiredReserve(market, order.price, order.size, replaced);
    postReserve(state, account, negUsdc(replaced.reserve));
    postReserve(state, account, reserve);
  }
  return runOutcomeTaker(execution, {
    orderId,
    account,
    holding,
    request: clientOrderId === undefined ? order : { ...order, clientOrderId },
    leg,
    price: bookPrice(market, order),
    original: replaced.filled + order.size,
    remaining: order.size,
    filledNotional,
    reserve,
    feeOverpaid: replaced.feeOverpaid,
    builder: replaced.builder,
    txHash: present(outcome, 'an outcome order').txHash,
    tradeTxHash,
    acceptedMs,
    rank,
  });
}
