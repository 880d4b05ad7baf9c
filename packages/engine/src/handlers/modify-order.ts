import { addUsdc, type MicroUsdc, minUsdc, negUsdc, subUsdc } from '@oddlot/units';
import { NONE, readSlot } from '../book/order-pool.ts';
import { postToBalance } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import type { ModifyOrderCommand, OrderRequest } from '../messages/command.ts';
import { isOutcomeId } from '../messages/limits.ts';
import type { EntryResult } from '../messages/order-result.ts';
import type { Reject } from '../messages/reject.ts';
import { checkModifyOutcomeOrder, modifyOutcomeOrder } from '../outcome/modify-outcome.ts';
import { cancelPerpOrder } from '../perp-orders/end-order.ts';
import { runTaker, takerEntry } from '../perp-orders/execute-order.ts';
import { wouldTrade } from '../perp-orders/fillable.ts';
import { type OrderContext, orderReserve, reducibleSize } from '../perp-orders/order-margin.ts';
import { perpSnapshotOf, type TakerOrder } from '../perp-orders/taker-order.ts';
import { addResting, ownerOf, removeOrder, reserveOf } from '../perp-orders/resting.ts';
import { validateOrder } from '../perp-orders/validate-order.ts';
import { freeInCross } from '../perp/doors.ts';
import { ordersChanged } from '../perp/margin.ts';
import { amendedRequest } from '../resting/order-request.ts';
import { emitOrder } from '../resting/emit.ts';
import { restingBuilder, withAcceptedBuilder } from '../resting/order-builder.ts';
import { amendSlot } from '../resting/slots.ts';
import type { Account, Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { findTarget, type State } from '../state/state.ts';

/**
 * Amends price and size of a resting order (R-modify). It keeps its id and its acceptance rank: at
 * an unchanged price its place whatever the new size, at a new one a place by its acceptance time.
 * It passes every test of a new order, with its old self out of the way, or nothing changes.
 */
export function modifyOrder(
  execution: Execution,
  account: Account,
  command: ModifyOrderCommand,
): CommandResult {
  const { state } = execution;
  const { address } = account;
  const slot = findTarget(state, account, command);
  if (slot === NONE) return { account: address, reject: { reason: 'orderUnknown' } };
  if (isOutcomeId(command.instrumentId)) {
    return modifyOutcomeOrder(execution, account, slot, command);
  }
  const amend = amendOf(state, account, slot, command, state.timeMs);
  const reject = judge(state, amend, command);
  if (reject !== undefined) return { account: address, reject };
  const { order } = amend.context;
  if (order.size <= 0) {
    const { clientOrderId, filled, filledNotional, orderId } = cancelPerpOrder(
      execution,
      slot,
      'amendedBelowFilled',
    );
    const entry = { orderId, clientOrderId, state: 'cancelled', filled, filledNotional } as const;
    return { account: address, entries: [entry] };
  }
  const { perp } = amend.holding;
  if (order.timeInForce === 'alo' && wouldTrade(execution, account, perp, order)) {
    return { account: address, reject: { reason: 'postOnlyWouldTrade' } };
  }
  const crosses = perp.book.crosses(order.isBuy, order.price);
  const entry = crosses ? trade(execution, slot, amend) : stay(execution, slot, amend);
  return { account: address, entries: [entry] };
}

/** Judges an amend before it enters the log; whether it would trade is left to execution. */
export function checkModifyOrder(
  state: State,
  account: Account,
  command: ModifyOrderCommand,
  nowMs: number,
): Reject | undefined {
  const slot = findTarget(state, account, command);
  if (slot === NONE) return { reason: 'orderUnknown' };
  if (isOutcomeId(command.instrumentId)) {
    return checkModifyOutcomeOrder(state, account, slot, command, nowMs);
  }
  return judge(state, amendOf(state, account, slot, command, nowMs), command);
}

/** An order, what it is to become, and what it leaves behind. */
type Amend = {
  readonly holding: Holding;
  readonly context: OrderContext & { readonly replaced: NonNullable<OrderContext['replaced']> };
};

/** The rest of the order as if it were new: the new total size less what has filled. */
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
  const builder = restingBuilder(state, slot);
  const amended = amendedRequest(state, slot, command);
  const order: OrderRequest = builder === undefined ? amended : { ...amended, builder };
  const replaced = {
    remaining,
    filled,
    price: readSlot(pool.price, slot),
    reserve: reserveOf(state, readSlot(pool.orderId, slot)),
  };
  const { holding } = ownerOf(state, slot);
  // A builder that may not charge now costs no margin, but the order keeps it.
  const judged = withAcceptedBuilder(state, account, order);
  return { holding, context: { state, account, order: judged, timeMs: nowMs, replaced } };
}

/** A size at or below what has filled ends the order: it is then judged as a cancel is. */
function judge(state: State, { context }: Amend, command: ModifyOrderCommand): Reject | undefined {
  const { instrumentId, size } = command;
  const isCancel = size >= 0 && command.sizeInexact !== true && context.order.size <= 0;
  if (!isCancel) return validateOrder(context);
  return state.perps.get(instrumentId)?.halted === true
    ? { reason: 'tradingHalted', instrumentId }
    : undefined;
}

/** What the order rests with: reduce-only, no more than the position has left for it. */
function newRest({ context, holding }: Amend): number {
  const { order } = context;
  return order.reduceOnly ? Math.min(order.size, reducibleSize(context, holding)) : order.size;
}

/** What the order holds back from now on; one that asks for no more makes do with what there is. */
function newReserve({ context, holding }: Amend): MicroUsdc {
  const { account, replaced, state } = context;
  const needed = orderReserve(context, holding.perp, holding);
  return minUsdc(needed, addUsdc(freeInCross(state, account), replaced.reserve));
}

/** The order stays in the book: in its place, or at a new price behind those accepted before it. */
function stay(execution: Execution, slot: number, amend: Amend): EntryResult {
  const { state } = execution;
  const { pool } = state;
  const { context, holding } = amend;
  const { account, order, replaced } = context;
  const rest = newRest(amend);
  const reserve = newReserve(amend);
  amendSlot(state, slot, holding.perp.book, { price: order.price, rest });
  addResting(holding, order.isBuy, order.reduceOnly, rest - replaced.remaining);
  setReserve(state, account, holding, { orderId: readSlot(pool.orderId, slot), reserve });
  ordersChanged(state, account, holding);
  const snapshot = perpSnapshotOf(state, slot);
  emitOrder(execution, 'open', snapshot);
  const { clientOrderId, filled, filledNotional, orderId } = snapshot;
  return { orderId, clientOrderId, state: 'open', filled, filledNotional, ...clip(order, rest) };
}

function clip(order: OrderRequest, rest: number): { clipped?: { from: number; to: number } } {
  return rest === order.size ? {} : { clipped: { from: order.size, to: rest } };
}

/** Moves the difference between the balance and what the order holds back (R-isolated). */
function setReserve(
  state: State,
  account: Account,
  holding: Holding,
  { orderId, reserve }: { readonly orderId: number; readonly reserve: MicroUsdc },
): void {
  const more = subUsdc(reserve, reserveOf(state, orderId));
  if (more === 0n) return;
  if (reserve === 0n) state.reserves.delete(orderId);
  else state.reserves.set(orderId, reserve);
  holding.reserved = addUsdc(holding.reserved, more);
  postToBalance(state, account, negUsdc(more));
}

/** A new price that crosses: the order leaves the book, trades, and what is left comes back. */
function trade(execution: Execution, slot: number, amend: Amend): EntryResult {
  const { state } = execution;
  const { pool } = state;
  const { context, holding } = amend;
  const { account, order, replaced } = context;
  const rest = newRest(amend);
  const reserve = newReserve(amend);
  const { clientOrderId, filledNotional, orderId } = perpSnapshotOf(state, slot);
  const fired = state.triggers.firedAs(orderId);
  const builder = restingBuilder(state, slot);
  const feeOverpaid = readSlot(pool.takerOverpaid, slot);
  const amended = {
    acceptedMs: readSlot(pool.acceptedMs, slot),
    rank: readSlot(pool.rank, slot),
    filled: replaced.filled,
    makerFeeOverpaid: readSlot(pool.feeOverpaid, slot),
  };
  removeOrder(state, slot);
  if (reserve > 0n) postToBalance(state, account, negUsdc(reserve));
  const taker: TakerOrder = {
    orderId,
    account,
    holding,
    request: clientOrderId === undefined ? order : { ...order, clientOrderId },
    price: order.price,
    original: replaced.filled + rest,
    remaining: rest,
    filledNotional,
    reserve,
    feeOverpaid,
    builder,
    forced: undefined,
    amended,
    fired,
  };
  const { status } = runTaker(execution, taker);
  return { ...takerEntry(taker, status), ...clip(order, rest) };
}
