import {
  addUsdc,
  isWorth,
  type MicroUsdc,
  minUsdc,
  negUsdc,
  present,
  subUsdc,
} from '@oddlot/units';
import { NONE, readSlot } from '../book/order-pool.ts';
import { postToBalance } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import type {
  CancelOrdersCommand,
  ModifyOrderCommand,
  OrderRequest,
  PlaceOrdersCommand,
  ReversePositionCommand,
} from '../messages/command.ts';
import type { OrderSnapshot, BuilderDrop, EntryResult } from '../messages/event.ts';
import { isOutcomeId, LIMITS, marketKind } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { cancelMany, cancelOwn, orderIdOf } from '../orders/cancel-orders.ts';
import { checkModifyOutcomeOrder, modifyOutcomeOrder } from '../outcome/modify-outcome.ts';
import { checkPlaceOutcomeOrders, placeOutcomeOrders } from '../outcome/place-outcome-orders.ts';
import { cancelPerpOrder } from '../perp-orders/end-order.ts';
import { runTaker, takerEntry } from '../perp-orders/execute-order.ts';
import { wouldTrade } from '../perp-orders/fillable-orders.ts';
import { type OrderContext, orderReserve, reducibleSize } from '../perp-orders/order-margin.ts';
import { addResting, ownerOf, removeOrder, reserveOf } from '../perp-orders/rest-order.ts';
import { perpSnapshotOf, type TakerOrder } from '../perp-orders/taker-order.ts';
import { validateOrder } from '../perp-orders/validate-order.ts';
import { restrictingPerp, restrictedReject, crossScope } from '../perp/margin-restriction.ts';
import { freeInCross } from '../perp/free-margin.ts';
import { ordersChanged } from '../perp/margin.ts';
import { emitOrder } from '../order-common/order-events.ts';
import {
  judgeBuilder,
  restingBuilder,
  withAcceptedBuilder,
} from '../order-common/order-builder.ts';
import { amendedRequest, checkRepeat } from '../order-common/order-request.ts';
import { amendSlot } from '../order-common/slots.ts';
import { type Account, type Holding, holdingKey, legOf } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { isOracleStale } from '../state/perp.ts';
import { findTarget, type State } from '../state/state.ts';
import { holdingJobKey, type ReverseJob } from '../state/scheduled-jobs.ts';
import { emitJob, workJob } from '../steps/scheduled-jobs.ts';
import {
  checkGrouping,
  placeBracket,
  placePositionTpsl,
  placeOrder,
} from '../triggers/place-order.ts';
import { isTrigger, validateTrigger } from '../triggers/validate-trigger.ts';
import { checkReplacements, replacementFault, replaceOrders } from './replace-orders.ts';
import {
  BY_AGENT,
  CANCELS,
  checkedPerEntry,
  classOfAmend,
  classOfOrders,
  type CommandTable,
  REST,
} from './command-row.ts';
import {
  doesAmendReduce,
  doOrdersReduce,
  gateAmend,
  gateOrders,
  gateReversal,
} from '../auth/gate.ts';
import { targetOfAmend, targetsOfCancels } from '../orders/target-entries.ts';

export const ORDER_COMMANDS = {
  placeOrders: {
    signedBy: 'agent',
    class: classOfOrders,
    gate: gateOrders,
    restricted: doOrdersReduce,
    checksItself: true,
    check: checkPlaceOrders,
    execute: placeOrders,
  },

  modifyOrder: {
    signedBy: 'agent',
    class: classOfAmend,
    gate: gateAmend,
    restricted: doesAmendReduce,
    targets: targetOfAmend,
    checksItself: true,
    check: checkModifyOrder,
    execute: modifyOrder,
  },

  /** Cancels each order separately; a failed cancel does not stop the others. */
  cancelOrders: {
    ...CANCELS,
    targets: targetsOfCancels,
    check: checkedPerEntry,
    execute(execution, account, command) {
      const entries: EntryResult[] = [];
      for (const { instrumentId, orderId } of command.cancels) {
        entries.push(cancelOne(execution, account, instrumentId, orderId, undefined));
      }
      return { account: account.address, entries };
    },
  },

  cancelByClientId: {
    ...CANCELS,
    targets: targetsOfCancels,
    check(_state, account, { cancels }) {
      const areAllQueued = cancels.every(({ clientOrderId }) => {
        const orderId = orderIdOf(account, clientOrderId);
        return orderId !== undefined && orderId < 0;
      });
      if (!areAllQueued) return undefined;
      return { account: account.address, reject: { reason: 'orderQueued' }, rejectIndex: 0 };
    },
    execute(execution, account, command) {
      const entries = command.cancels.map(({ instrumentId, clientOrderId }) => {
        const orderId = orderIdOf(account, clientOrderId);
        if (orderId !== undefined && orderId < 0) return queuedEntry(clientOrderId);
        return cancelOne(execution, account, instrumentId, orderId, clientOrderId);
      });
      return { account: account.address, entries };
    },
  },

  /**
   * Cancels every resting and waiting order in scope. The command succeeds even if there are none.
   */
  cancelAll: {
    ...CANCELS,
    check: checkedPerEntry,
    execute(execution, account, { instrumentId, subAccount }) {
      const isInScope = (id: number): boolean => {
        const isOfSubAccount =
          subAccount === undefined || (subAccount === 'outcome') === isOutcomeId(id);
        return isOfSubAccount && (instrumentId === undefined || instrumentId === id);
      };
      const cancelled = cancelMany(execution, account, 'userCanceled', {
        resting: (order) => isInScope(order.instrumentId),
        waiting: ({ request }) => isInScope(request.instrumentId),
      });
      return { account: account.address, entries: cancelled.map(cancelledEntry) };
    },
  },

  /** Schedules the cancellation of the account's orders, or removes the schedule. */
  scheduleCancel: {
    ...BY_AGENT,
    check(_state, _account, { atMs }, nowMs) {
      const minMs = nowMs + LIMITS.scheduleAheadMs;
      return atMs !== undefined && atMs < minMs ? { reason: 'scheduleTooSoon', minMs } : undefined;
    },
    execute(execution, account, command) {
      const { state } = execution;
      if (command.atMs === undefined) state.schedules.remove(account.index);
      else state.schedules.set(account.index, command.atMs);
      state.digest.word(account.index);
      state.digest.number(command.atMs ?? 0);
    },
  },

  /**
   * Closes a position and opens one of the same size on the opposite side, using market orders, as
   * far as the book permits. A job continues with whatever is not filled immediately. The closing
   * order replaces the resting reduce-only orders of the position, which are cancelled first.
   */
  reversePosition: {
    signedBy: 'agent',
    class: REST,
    gate: gateReversal,
    restricted: 'stops',
    check(state, account, command, nowMs) {
      const { instrumentId } = command;
      const perp = state.perps.get(instrumentId);
      if (perp === undefined) return { reason: 'instrumentUnknown', instrumentId };
      if (perp.delisted) return { reason: 'instrumentDelisted', instrumentId };
      if (perp.closing !== undefined) return { reason: 'marketClosing', instrumentId };
      if (perp.halted) return { reason: 'tradingHalted', instrumentId };
      if (isOracleStale(perp, nowMs, parametersOf(state).oracleStaleMs)) {
        return { reason: 'oracleStale', instrumentId };
      }
      const restricting = restrictingPerp(state, crossScope(account));
      if (restricting !== undefined) return restrictedReject(restricting);
      const holding = reversedHolding(account, command);
      if (holding === undefined) return { reason: 'positionMissing', instrumentId };
      return state.reverseJobs.has(holdingJobKey(account.index, holding))
        ? { reason: 'reverseUnderWay', instrumentId }
        : undefined;
    },
    execute(execution, account, command) {
      const { state } = execution;
      const holding = present(reversedHolding(account, command), 'a position');
      cancelMany(execution, account, 'userCanceled', {
        resting: (order) =>
          order.reduceOnly &&
          order.instrumentId === command.instrumentId &&
          order.isBuy === holding.size < 0,
        waiting: () => false,
      });
      const job: ReverseJob = {
        accountIndex: account.index,
        instrumentId: command.instrumentId,
        leg: holding.leg,
        sizeAtStart: holding.size,
        startedMs: state.timeMs,
        isIsolated: holding.isIsolated,
        phase: 'closing',
        closed: 0,
        opened: 0,
      };
      state.reverseJobs.set(holdingJobKey(account.index, holding), job);
      emitJob(execution, job, 'closing');
      workJob(execution, job);
    },
  },
} satisfies Partial<CommandTable>;

/** Executes the orders in one action separately; a failed order does not stop the others. */
function placeOrders(
  execution: Execution,
  account: Account,
  command: PlaceOrdersCommand,
): CommandResult {
  const { address } = account;
  const unfit = replacementFault(command);
  if (unfit !== undefined) return { account: address, reject: unfit };
  const drop = builderDrop(execution.state, account, command);
  if (isOutcomeAction(command)) {
    const asked = { ...command, orders: ordersOf(command) };
    return withDrop(placeOutcomeOrders(execution, account, asked), drop);
  }
  const reject = checkGrouping(command);
  if (reject !== undefined) return { account: address, reject };
  const entries = placeGrouped(execution, account, command);
  return withDrop({ account: address, entries }, drop);
}

function placeGrouped(
  execution: Execution,
  account: Account,
  command: PlaceOrdersCommand,
): EntryResult[] {
  const orders = ordersOf(command);
  const { replaces } = command;
  if (replaces !== undefined) return replaceOrders(execution, account, orders, replaces);
  switch (command.grouping ?? 'none') {
    case 'none':
      return placeEach(execution, account, orders);
    case 'normal':
      return placeBracket(execution, account, orders);
    case 'position':
      return placePositionTpsl(execution, account, orders);
  }
}

/**
 * Places the orders of an action. As at admission, an order that closes the whole position is
 * recognised by the position held at the start of the action as well as by the current one
 * (R-sizes).
 */
function placeEach(
  execution: Execution,
  account: Account,
  orders: readonly OrderRequest[],
): EntryResult[] {
  const [only] = orders;
  if (only !== undefined && orders.length === 1)
    return [placeOrder(execution, account, only).entry];
  const held = heldAtStart(execution.state, account, orders);
  const entries: EntryResult[] = [];
  for (const order of orders) {
    entries.push(placeOrder(execution, account, order, held?.[entries.length]).entry);
  }
  return entries;
}

/**
 * Returns the positions in the orders' legs, or undefined if every order exceeds the minimum value
 * regardless of its position.
 */
function heldAtStart(
  state: State,
  account: Account,
  orders: readonly OrderRequest[],
): readonly number[] | undefined {
  for (const order of orders) {
    if (mayBeSmall(state, order)) return orders.map((each) => heldIn(account, each));
  }
  return undefined;
}

/** Returns false for an order that exceeds the minimum value whatever position it closes. */
function mayBeSmall(state: State, { price, size, timeInForce }: OrderRequest): boolean {
  return (
    timeInForce === 'market' || !isWorth(price, size, parametersOf(state).minOrderValueMicroUsdc)
  );
}

function ordersOf({ builder, orders }: PlaceOrdersCommand): readonly OrderRequest[] {
  if (builder === undefined || builder.feeTenthsBp === 0) return orders;
  return orders.map((order) => ({ ...order, builder }));
}

/**
 * Returns the reason that the builder of the action's first order with a builder would not be paid
 * now (R-builder).
 */
function builderDrop(
  state: State,
  account: Account,
  { builder, orders }: PlaceOrdersCommand,
): BuilderDrop | undefined {
  if (builder === undefined) return undefined;
  for (const { instrumentId } of orders) {
    const drop = judgeBuilder(state, account, builder, marketKind(instrumentId));
    if (drop !== undefined) return drop;
  }
  return undefined;
}

/**
 * Checks a whole action for admission and finds the first order that cannot succeed. Independent
 * orders are admitted if at least one of them would succeed (R-independent).
 */
function checkPlaceOrders(
  state: State,
  account: Account,
  command: PlaceOrdersCommand,
  nowMs: number,
): CommandResult {
  const unfit = replacementFault(command);
  if (unfit !== undefined) return { account: account.address, reject: unfit };
  if (command.replaces !== undefined) {
    const judged = checkReplacements(state, account, command, nowMs);
    return withDrop(judged, builderDrop(state, account, command));
  }
  if (isOutcomeAction(command)) {
    const asked = { ...command, orders: ordersOf(command) };
    const judged = checkPlaceOutcomeOrders(state, account, asked, nowMs);
    return withDrop(judged, builderDrop(state, account, command));
  }
  const ungrouped = checkGrouping(command);
  if (ungrouped !== undefined) return { account: account.address, reject: ungrouped };
  const { areIndependent, grouping = 'none' } = command;
  const orders = ordersOf(command);
  const admitted = { account: account.address };
  let first: CommandResult | undefined;
  let mayFreeMargin = false;
  const clientOrderIds = new Set<string>();
  for (const [index, asked] of orders.entries()) {
    const order = withAcceptedBuilder(state, account, asked);
    const context = { state, account, order, timeMs: nowMs };
    const reject =
      (isTrigger(order)
        ? validateTrigger({ ...context, order }, grouping, orders.slice(0, index))
        : validateOrder(context, { margin: !mayFreeMargin })) ?? checkRepeat(clientOrderIds, order);
    if (reject !== undefined) {
      first ??= { ...admitted, reject, rejectIndex: index };
      if (areIndependent !== true) return first;
    } else if (areIndependent === true) {
      first = undefined;
      break;
    }
    mayFreeMargin ||= !isTrigger(order) && reducesPosition(account, order);
  }
  return withDrop(first ?? admitted, builderDrop(state, account, command));
}

function withDrop(outcome: CommandResult, drop: BuilderDrop | undefined): CommandResult {
  const isReported = drop !== undefined && outcome.reject === undefined;
  return isReported ? { ...outcome, builderDrop: drop } : outcome;
}

/**
 * Returns true for outcome orders. Request parsing ensures that all orders of an action belong to
 * one exchange.
 */
function isOutcomeAction({ orders }: PlaceOrdersCommand): boolean {
  return orders[0] !== undefined && isOutcomeId(orders[0].instrumentId);
}

function heldIn(account: Account, order: OrderRequest): number {
  const key = holdingKey(order.instrumentId, legOf(account, order));
  return account.holdings.get(key)?.size ?? 0;
}

function reducesPosition(account: Account, order: OrderRequest): boolean {
  const size = heldIn(account, order);
  return size !== 0 && order.isBuy !== size > 0;
}

/**
 * Amends the price and size of a resting order (R-modify). The order keeps its id and its
 * acceptance rank. At an unchanged price it keeps its queue position for any new size; at a new
 * price its acceptance time determines its position. The amendment is checked like a new order that
 * replaces the old one; if it fails, nothing changes.
 */
function modifyOrder(
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
  const reject = checkAmend(state, amend, command);
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
  const entry = crosses
    ? tradeAmended(execution, slot, amend)
    : amendInPlace(execution, slot, amend);
  return { account: address, entries: [entry] };
}

/**
 * Checks an amendment for admission. Only execution determines whether it trades, because the book
 * can change before then.
 */
function checkModifyOrder(
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
  return checkAmend(state, amendOf(state, account, slot, command, nowMs), command);
}

/**
 * An amendment: the position, the amended order, and the state of the order before the amendment.
 */
type Amend = {
  readonly holding: Holding;
  readonly context: OrderContext & { readonly replaced: NonNullable<OrderContext['replaced']> };
};

/** Returns the order as it would be placed again: with the new total size less the filled size. */
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
  // A builder that currently cannot charge a fee adds nothing to the required margin, but stays
  // attached to the order.
  const judged = withAcceptedBuilder(state, account, order);
  return { holding, context: { state, account, order: judged, timeMs: nowMs, replaced } };
}

/**
 * Checks an amendment. A size at or below the filled size ends the order and is checked like a
 * cancel.
 */
function checkAmend(
  state: State,
  { context }: Amend,
  command: ModifyOrderCommand,
): Reject | undefined {
  const { instrumentId, size } = command;
  const isCancel = size >= 0 && command.sizeInexact !== true && context.order.size <= 0;
  if (!isCancel) return validateOrder(context);
  return state.perps.get(instrumentId)?.halted === true
    ? { reason: 'tradingHalted', instrumentId }
    : undefined;
}

/**
 * Returns the size that rests. A reduce-only order is reduced to the part of the position that
 * other orders do not close.
 */
function amendedRest({ context, holding }: Amend): number {
  const { order } = context;
  return order.reduceOnly ? Math.min(order.size, reducibleSize(context, holding)) : order.size;
}

/** Returns the reserve of the amended order, limited to the free balance plus its old reserve. */
function amendedReserve({ context, holding }: Amend): MicroUsdc {
  const { account, replaced, state } = context;
  const needed = orderReserve(context, holding.perp, holding);
  return minUsdc(needed, addUsdc(freeInCross(state, account), replaced.reserve));
}

/**
 * Amends an order that stays in the book. At an unchanged price it keeps its position; at a new
 * price it is queued behind orders that were accepted earlier.
 */
function amendInPlace(execution: Execution, slot: number, amend: Amend): EntryResult {
  const { state } = execution;
  const { pool } = state;
  const { context, holding } = amend;
  const { account, order, replaced } = context;
  const rest = amendedRest(amend);
  const reserve = amendedReserve(amend);
  amendSlot(state, slot, holding.perp.book, { price: order.price, rest });
  addResting(holding, order.isBuy, order.reduceOnly, rest - replaced.remaining);
  setReserve(state, account, holding, { orderId: readSlot(pool.orderId, slot), reserve });
  ordersChanged(state, account, holding);
  const snapshot = perpSnapshotOf(state, slot);
  emitOrder(execution, 'open', snapshot);
  const { clientOrderId, filled, filledNotional, orderId } = snapshot;
  return {
    orderId,
    clientOrderId,
    state: 'open',
    filled,
    filledNotional,
    ...clippedFields(order, rest),
  };
}

function clippedFields(
  order: OrderRequest,
  rest: number,
): { clipped?: { from: number; to: number } } {
  return rest === order.size ? {} : { clipped: { from: order.size, to: rest } };
}

/** Sets the reserve of an order and moves the difference from or to the balance (R-isolated). */
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

/**
 * Executes an amendment whose new price crosses the book: the order leaves the book and trades, and
 * its remainder rests again.
 */
function tradeAmended(execution: Execution, slot: number, amend: Amend): EntryResult {
  const { state } = execution;
  const { pool } = state;
  const { context, holding } = amend;
  const { account, order, replaced } = context;
  const rest = amendedRest(amend);
  const reserve = amendedReserve(amend);
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
  return { ...takerEntry(taker, status), ...clippedFields(order, rest) };
}

/**
 * Returns the result for a cancel of an order in the delay queue, which cannot be cancelled before
 * its release (R-delay).
 */
function queuedEntry(clientOrderId: string): EntryResult {
  const reject = { reason: 'orderQueued' } as const;
  const orderId = undefined;
  return { orderId, clientOrderId, state: 'open', filled: 0, filledNotional: 0, reject };
}

function cancelOne(
  execution: Execution,
  account: Account,
  instrumentId: CancelOrdersCommand['cancels'][number]['instrumentId'],
  orderId: number | undefined,
  clientOrderId: string | undefined,
): EntryResult {
  const order =
    orderId === undefined ? undefined : cancelOwn(execution, account, instrumentId, orderId);
  if (order !== undefined) return cancelledEntry(order);
  const reject = { reason: 'orderNotLive', instrumentId } as const;
  return { orderId, clientOrderId, state: 'rejected', filled: 0, filledNotional: 0, reject };
}

function cancelledEntry(order: OrderSnapshot): EntryResult {
  const { clientOrderId, filled, filledNotional, orderId } = order;
  return { orderId, clientOrderId, state: 'cancelled', filled, filledNotional };
}

/**
 * Returns the position to reverse. In hedge mode, `isBuy` selects the leg; if it is absent, the leg
 * that has a position is selected.
 */
function reversedHolding(
  account: Account,
  { instrumentId, isBuy }: ReversePositionCommand,
): Holding | undefined {
  const long = account.holdings.get(holdingKey(instrumentId, 0));
  const short = account.holdings.get(holdingKey(instrumentId, 1));
  const isShort =
    account.positionMode === 'hedge' && (isBuy === undefined ? (long?.size ?? 0) === 0 : !isBuy);
  const holding = isShort ? short : long;
  return holding === undefined || holding.size === 0 ? undefined : holding;
}
