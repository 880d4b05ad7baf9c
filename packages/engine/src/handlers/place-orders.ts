import { divCeil, divFloor, negUsdc, RATE_ONE, timeMs } from '@oddlot/units';
import {
  type Account,
  holdingKey,
  holdingOf,
  legOf,
  settingsChanged,
  settingsOf,
} from '../account.ts';
import type { CommandOutcome, EntryOutcome } from '../block.ts';
import { clientOrderKey } from '../client-order-id.ts';
import type { OrderRequest, PlaceOrdersCommand } from '../command.ts';
import type { OrderStatus } from '../event.ts';
import { type Execution, parametersOf } from '../execution.ts';
import { postToBalance } from '../ledger/post.ts';
import { emitOrder, emitRejected } from '../orders/emit.ts';
import { matchOrder } from '../orders/match-order.ts';
import { restOrder } from '../orders/resting.ts';
import { requestSnapshot, type TakerOrder, takerSnapshot } from '../orders/taker-order.ts';
import { orderReserve, reducibleSize, validateOrder } from '../orders/validate-order.ts';
import { accountValue, exposureOf, initialMargin, worstCase } from '../perp/margin.ts';
import type { Perp } from '../perp/perp.ts';
import type { Reject } from '../reject.ts';
import type { State } from '../state.ts';

/** Executes the orders of one action, each on its own: one that fails does not stop the others. */
export function placeOrders(
  execution: Execution,
  account: Account,
  command: PlaceOrdersCommand,
): CommandOutcome {
  const entries = command.orders.map((order) => placeOrder(execution, account, order));
  return { account: account.address, entries };
}

/** Judges a whole action before it enters the log: the first order that would surely fail. */
export function checkPlaceOrders(
  state: State,
  account: Account,
  command: PlaceOrdersCommand,
  nowMs: number,
): CommandOutcome {
  let mayFreeMargin = false;
  const clientOrderIds = new Set<string>();
  for (const [index, order] of command.orders.entries()) {
    const context = { state, account, order, timeMs: nowMs };
    const reject =
      validateOrder(context, { margin: !mayFreeMargin }) ?? checkRepeat(clientOrderIds, order);
    if (reject !== undefined) return { account: account.address, reject, rejectIndex: index };
    mayFreeMargin ||= reducesPosition(account, order);
  }
  return { account: account.address };
}

/** One action cannot use a client order id twice: at least one of the orders would fail. */
function checkRepeat(seen: Set<string>, order: OrderRequest): Reject | undefined {
  if (order.clientOrderId === undefined) return undefined;
  const key = clientOrderKey(order.clientOrderId) ?? order.clientOrderId;
  if (seen.has(key)) return { reason: 'clientOrderIdDuplicate' };
  seen.add(key);
  return undefined;
}

function reducesPosition(account: Account, order: OrderRequest): boolean {
  const size = account.holdings.get(holdingKey(order.instrumentId, legOf(account, order)))?.size ?? 0;
  return size !== 0 && order.isBuy !== size > 0;
}

function placeOrder(execution: Execution, account: Account, order: OrderRequest): EntryOutcome {
  const { state } = execution;
  const orderId = state.nextOrderId++;
  const reject = validateOrder({ state, account, order, timeMs: state.timeMs });
  const perp = state.perps.get(order.instrumentId);
  if (reject !== undefined || perp === undefined) {
    const why = reject ?? { reason: 'instrumentUnknown', instrumentId: order.instrumentId };
    return rejected(execution, account, orderId, order, why);
  }
  const price = order.timeInForce === 'market' ? marketPrice(state, perp, order) : order.price;
  if (order.timeInForce === 'alo' && perp.book.crosses(order.isBuy, price)) {
    return rejected(execution, account, orderId, order, { reason: 'postOnlyWouldTrade' });
  }
  const { defaultLeverage } = parametersOf(state);
  adoptMarginMode(account, perp, order, defaultLeverage);
  const holding = holdingOf(account, perp, legOf(account, order), defaultLeverage);
  const size = order.reduceOnly ? Math.min(order.size, reducibleSize(order, holding)) : order.size;
  const context = { state, account, order, timeMs: state.timeMs };
  const reserve = orderReserve(context, perp, holding);
  if (reserve > 0n) postToBalance(state, account, negUsdc(reserve));
  const taker: TakerOrder = {
    orderId,
    account,
    holding,
    request: order,
    price,
    original: size,
    remaining: size,
    filledNotional: 0,
    reserve,
    feeOverpaid: 0,
  };
  const status = execute(execution, taker);
  // What rests keeps its reserve; what ended gives it back.
  if (status !== 'open' && taker.reserve > 0n) postToBalance(state, account, taker.reserve);
  return {
    orderId,
    clientOrderId: order.clientOrderId,
    state: status,
    filled: taker.original - taker.remaining,
    filledNotional: taker.filledNotional,
    ...(size === order.size ? {} : { clipped: { from: order.size, to: size } }),
    ...(price === order.price ? {} : { clamped: { from: order.price, to: price } }),
  };
}

/** An accepted order's margin mode becomes the instrument's. */
function adoptMarginMode(
  account: Account,
  perp: Perp,
  order: OrderRequest,
  defaultLeverage: number,
): void {
  if (order.marginMode === undefined) return;
  const settings = settingsOf(account, perp, defaultLeverage);
  const isIsolated = order.marginMode === 'isolated';
  if (settings.isIsolated === isIsolated) return;
  settings.isIsolated = isIsolated;
  settingsChanged(account, perp, settings);
}

/** Matches, then rests or cancels what is left. */
function execute(execution: Execution, taker: TakerOrder): OrderStatus {
  const { state } = execution;
  const { timeInForce } = taker.request;
  const stopped = matchOrder(execution, taker);
  const now = timeMs(state.timeMs);
  if (taker.remaining === 0) {
    emitOrder(execution, 'filled', takerSnapshot(taker, now));
    return 'filled';
  }
  const isImmediate = timeInForce === 'ioc' || timeInForce === 'market';
  const cause =
    stopped ??
    (isImmediate ? 'iocRemainder' : undefined) ??
    (isRestCovered(state, taker) ? undefined : 'marginCanceled');
  if (cause !== undefined) {
    emitOrder(execution, 'cancelled', takerSnapshot(taker, now), cause);
    return 'cancelled';
  }
  restOrder(execution, taker);
  emitOrder(execution, 'open', takerSnapshot(taker, now));
  return 'open';
}

/**
 * R-initial holds again when what is left enters the book: fills worse than the mark have cost part
 * of what the order was admitted on. What does not raise the worst-case exposure may always rest.
 */
function isRestCovered(state: State, taker: TakerOrder): boolean {
  const { account, holding, request, remaining } = taker;
  if (request.reduceOnly || remaining === taker.original) return true;
  const buys = holding.restingBuy + (request.isBuy ? remaining : 0);
  const sells = holding.restingSell + (request.isBuy ? 0 : remaining);
  const exposure = worstCase(holding.size, buys, sells);
  if (exposure <= exposureOf(holding)) return true;
  const value = accountValue(state, account);
  const part = initialMargin(holding.perp, exposure, holding.leverage);
  return value >= account.margin.initial - holding.initial + part;
}

/** A market order's limit: at most the band away from the mark, on the tick nearer to the mark. */
function marketPrice(state: State, perp: Perp, order: OrderRequest): number {
  const { marketBandE8 } = parametersOf(state);
  const tick = BigInt(perp.definition.priceTick);
  const mark = BigInt(perp.mark);
  const step = BigInt(RATE_ONE) * tick;
  if (order.isBuy) {
    const limit = Number(divFloor(mark * BigInt(RATE_ONE + marketBandE8), step) * tick);
    return Math.min(order.price, limit);
  }
  const limit = Number(divCeil(mark * BigInt(RATE_ONE - marketBandE8), step) * tick);
  return Math.max(order.price, limit);
}

function rejected(
  execution: Execution,
  account: Account,
  orderId: number,
  order: OrderRequest,
  reject: Reject,
): EntryOutcome {
  const now = timeMs(execution.state.timeMs);
  emitRejected(execution, requestSnapshot(orderId, account.address, order, now), reject);
  return {
    orderId,
    clientOrderId: order.clientOrderId,
    state: 'rejected',
    filled: 0,
    filledNotional: 0,
    reject,
  };
}
