import { type InstrumentId, negUsdc, present, timeMs, ZERO_USDC } from '@oddlot/units';
import { postReserve } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import {
  clientOrderKey,
  type Grouping,
  type OrderRequest,
  type PlaceOrdersCommand,
} from '../messages/command.ts';
import type { OrderSnapshot, EntryResult, OrderStatus } from '../messages/event.ts';
import type { Reject } from '../messages/reject.ts';
import { checkRepeat } from '../order-common/order-request.ts';
import { emitOrder, emitRejected, observeEntry } from '../order-common/order-events.ts';
import { builderOf, withAcceptedBuilder } from '../order-common/order-builder.ts';
import type { Account } from '../state/account.ts';
import type { QueuedOrder } from '../state/outcomes.ts';
import type { Execution } from '../state/execution.ts';
import { markHalves, outcomeLegOf, type OutcomeMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';
import { matchOutcome } from './match-outcome.ts';
import {
  bookPrice,
  freshRemainders,
  outcomeHoldingOf,
  type OutcomeTaker,
  outcomeTakerSnapshot,
  requiredReserve,
  restOutcomeOrder,
} from './outcome-order.ts';
import {
  checkRelease,
  freeShares,
  type Taken,
  validateOutcomeOrder,
} from './validate-outcome-order.ts';

/**
 * Places the orders of an action, each separately (R-delay). An order that would take liquidity
 * waits out its market's delay with its funds reserved; all others enter the book immediately.
 */
export function placeOutcomeOrders(
  execution: Execution,
  account: Account,
  { authority, grouping, orders }: PlaceOrdersCommand,
): CommandResult {
  const reject = checkOutcomeGrouping(grouping);
  if (reject !== undefined) return { account: account.address, reject };
  const freeAtStart = freeLots(execution.state, account, orders);
  const entries = orders.map((order, index) => {
    const origin = { txHash: authority.txHash, index };
    return accept(execution, account, order, origin, freeAtStart[index]);
  });
  return { account: account.address, entries };
}

/**
 * Returns the free lots for each sell as counted at admission: the free lots before the first order
 * executes, less the earlier sells. Otherwise, a buy that fills in the meantime could make a
 * closing sell too small.
 */
function freeLots(
  state: State,
  account: Account,
  orders: readonly OrderRequest[],
): readonly (number | undefined)[] {
  if (orders.length === 1) return [];
  const sold = new Map<string, number>();
  return orders.map((order) => {
    if (!order.reduceOnly) return undefined;
    const leg = `${order.instrumentId}/${outcomeLegOf(order)}`;
    const shares = sold.get(leg) ?? 0;
    sold.set(leg, shares + order.size);
    const taken = { money: ZERO_USDC, shares, orders: 0 };
    return freeShares({ state, account, order, timeMs: state.timeMs, taken });
  });
}

type Origin = { readonly txHash: QueuedOrder['txHash']; readonly index: number };

function accept(
  execution: Execution,
  account: Account,
  asked: OrderRequest,
  origin: Origin,
  freeAtStart: number | undefined,
): EntryResult {
  const { state } = execution;
  const order = withAcceptedBuilder(state, account, asked);
  const context = { state, account, order, timeMs: state.timeMs };
  const reject = validateOutcomeOrder(
    freeAtStart === undefined ? context : { ...context, freeAtStart },
  );
  const market = state.outcomes.markets.get(order.instrumentId);
  if (reject !== undefined || market === undefined) {
    const why = reject ?? { reason: 'instrumentUnknown', instrumentId: order.instrumentId };
    const entry = refusedEntry(order, why);
    emitReleased(execution, account, order, origin, { entry, wasQueued: false });
    return entry;
  }
  const reserve = order.reduceOnly
    ? ZERO_USDC
    : requiredReserve(market, order.price, order.size, freshRemainders(order));
  const holding = outcomeHoldingOf(state, account, market);
  if (order.reduceOnly) holding[outcomeLegOf(order)].reserved += order.size;
  else postReserve(state, account, reserve);
  const { orderDelayMs } = market.definition;
  const waits = orderDelayMs > 0 && wouldTake(market, order);
  const queued: QueuedOrder = {
    queueId: state.outcomes.queue.nextId++,
    accountIndex: account.index,
    request: order,
    txHash: origin.txHash,
    index: origin.index,
    dueMs: state.timeMs + (waits ? orderDelayMs : 0),
    acceptedMs: state.timeMs,
    reserve,
  };
  if (waits) return enqueue(execution, account, queued);
  return releaseOrder(execution, queued, false);
}

/**
 * Returns true if an order crosses any resting order, including those of its owner (R-delay). A
 * post-only order never takes liquidity.
 */
function wouldTake(market: OutcomeMarket, order: OrderRequest): boolean {
  return order.timeInForce !== 'alo' && market.book.crosses(order.isBuy, bookPrice(market, order));
}

function enqueue(execution: Execution, account: Account, queued: QueuedOrder): EntryResult {
  const { commandIndex, events, state } = execution;
  const { dueMs, index, queueId, request, txHash } = queued;
  const { clientOrderId, instrumentId } = request;
  state.outcomes.queue.push(queued);
  account.liveOrders += 1;
  if (clientOrderId !== undefined) {
    // A queued order does not have an order id yet, so its negative queue id identifies it.
    account.clientOrders.set(
      present(clientOrderKey(clientOrderId), 'a valid client order id'),
      -queueId,
    );
  }
  for (const each of [queueId, dueMs, request.price, request.size]) state.digest.number(each);
  events.push({
    type: 'outcomeOrderQueued',
    commandIndex,
    account: account.address,
    instrumentId,
    txHash,
    index,
    clientOrderId,
    dueMs: timeMs(dueMs),
  });
  return { orderId: undefined, clientOrderId, state: 'queued', filled: 0, filledNotional: 0 };
}

/** Releases an order to the book, or rejects it if the market has changed in the meantime. */
export function releaseOrder(
  execution: Execution,
  queued: QueuedOrder,
  wasQueued: boolean,
): EntryResult {
  const { state } = execution;
  const { request } = queued;
  const account = present(state.accounts[queued.accountIndex], 'the owner of a queued order');
  if (wasQueued) leaveQueue(account, request);
  const reject = wasQueued ? checkRelease(state, account, queued) : undefined;
  let entry: EntryResult;
  if (reject === undefined) {
    entry = enterBook(execution, account, queued);
  } else {
    freeFunds(state, account, queued, request.size);
    entry = refusedEntry(request, reject);
  }
  emitReleased(execution, account, request, queued, { entry, wasQueued });
  return entry;
}

function leaveQueue(account: Account, { clientOrderId }: OrderRequest): void {
  account.liveOrders -= 1;
  if (clientOrderId === undefined) return;
  account.clientOrders.delete(present(clientOrderKey(clientOrderId), 'a valid client order id'));
}

/** Gives the order its id and sends it to the book. */
function enterBook(execution: Execution, account: Account, queued: QueuedOrder): EntryResult {
  const { state } = execution;
  const { request, txHash } = queued;
  const market = present(
    state.outcomes.markets.get(request.instrumentId),
    'the market of an order that was judged',
  );
  const taker: OutcomeTaker = {
    orderId: state.nextOrderId++,
    account,
    holding: outcomeHoldingOf(state, account, market),
    request,
    leg: outcomeLegOf(request),
    price: bookPrice(market, request),
    original: request.size,
    remaining: request.size,
    filledNotional: 0,
    reserve: queued.reserve,
    feeOverpaid: 0,
    builder: builderOf(request),
    txHash,
    tradeTxHash: txHash,
    acceptedMs: timeMs(state.timeMs),
  };
  if (request.timeInForce === 'alo' && market.book.crosses(request.isBuy, taker.price)) {
    const reject = { reason: 'postOnlyWouldTrade' } as const;
    freeFunds(state, account, queued, request.size);
    emitRejected(execution, outcomeTakerSnapshot(taker), reject);
    return { ...refusedEntry(request, reject), orderId: taker.orderId };
  }
  return runOutcomeTaker(execution, taker);
}

/**
 * Reports a new order to the observer. An order that has rested before has already been reported.
 */
function observeOutcomeEntry(state: State, taker: OutcomeTaker): void {
  if (taker.rank !== undefined) return;
  const { market } = taker.holding;
  observeEntry(state, taker, market.book, { markHalves: markHalves(market), oracle: 0 });
}

export function runOutcomeTaker(execution: Execution, taker: OutcomeTaker): EntryResult {
  const { state } = execution;
  if (state.observer !== undefined) observeOutcomeEntry(state, taker);
  const stopped = matchOutcome(execution, taker);
  const snapshot = outcomeTakerSnapshot(taker);
  if (taker.remaining === 0) {
    emitOrder(execution, 'filled', snapshot);
    return entryOf(snapshot, 'filled');
  }
  if (stopped !== undefined) {
    freeFunds(state, taker.account, taker, taker.remaining);
    emitOrder(execution, 'cancelled', snapshot, stopped);
    return entryOf(snapshot, 'cancelled');
  }
  restOutcomeOrder(execution, taker);
  emitOrder(execution, 'open', snapshot);
  return entryOf(snapshot, 'open');
}

function entryOf(order: OrderSnapshot, state: OrderStatus): EntryResult {
  const { clientOrderId, filled, filledNotional, orderId } = order;
  return { orderId, clientOrderId, state, filled, filledNotional };
}

function freeFunds(
  state: State,
  account: Account,
  { request, reserve }: Pick<QueuedOrder, 'request' | 'reserve'>,
  size: number,
): void {
  const holding = account.outcomes.get(request.instrumentId);
  if (!request.reduceOnly) postReserve(state, account, negUsdc(reserve));
  else if (holding !== undefined) holding[outcomeLegOf(request)].reserved -= size;
}

function refusedEntry({ clientOrderId }: OrderRequest, reject: Reject): EntryResult {
  return {
    orderId: undefined,
    clientOrderId,
    state: 'rejected',
    filled: 0,
    filledNotional: 0,
    reject,
  };
}

function emitReleased(
  { commandIndex, events, state }: Execution,
  account: Account,
  { clientOrderId, instrumentId }: OrderRequest,
  { index, txHash }: Origin,
  { entry, wasQueued }: { readonly entry: EntryResult; readonly wasQueued: boolean },
): void {
  state.digest.word(index);
  state.digest.number(entry.orderId ?? 0);
  events.push({
    type: 'outcomeOrderReleased',
    commandIndex,
    account: account.address,
    instrumentId,
    txHash,
    index,
    clientOrderId,
    entry,
    wasQueued,
  });
}

export function checkPlaceOutcomeOrders(
  state: State,
  account: Account,
  { grouping, orders }: PlaceOrdersCommand,
  nowMs: number,
): CommandResult {
  const { address } = account;
  const ungrouped = checkOutcomeGrouping(grouping);
  if (ungrouped !== undefined) return { account: address, reject: ungrouped };
  let money = 0n;
  const shares = new Map<string, number>();
  const clientOrderIds = new Set<string>();
  for (const [index, asked] of orders.entries()) {
    const order = withAcceptedBuilder(state, account, asked);
    const leg = `${order.instrumentId}/${outcomeLegOf(order)}`;
    const taken = { money, shares: shares.get(leg) ?? 0, orders: index };
    const context = { state, account, order, timeMs: nowMs, taken: taken as Taken };
    const reject = validateOutcomeOrder(context) ?? checkRepeat(clientOrderIds, order);
    if (reject !== undefined) return { account: address, reject, rejectIndex: index };
    if (order.reduceOnly) shares.set(leg, taken.shares + order.size);
    else money += reserveOf(state, order.instrumentId, order);
  }
  return { account: address };
}

function checkOutcomeGrouping(grouping: Grouping = 'none'): Reject | undefined {
  if (grouping === 'none') return undefined;
  return { reason: 'groupingInvalid', why: 'outcome markets take na only' };
}

function reserveOf(state: State, id: InstrumentId, order: OrderRequest): bigint {
  const market = present(state.outcomes.markets.get(id), 'the market of an order that was judged');
  return requiredReserve(market, order.price, order.size, freshRemainders(order));
}
