import { negUsdc, timeMs } from '@oddlot/units';
import { checkOrderGate } from '../auth/gate.ts';
import { postToBalance } from '../ledger/post.ts';
import type { OrderRequest } from '../messages/command.ts';
import type { CancelCause, Building, EntryResult, OrderStatus } from '../messages/event.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { availableCrossValue } from '../perp/margin-restriction.ts';
import { exposureOf, initialMargin, worstCase } from '../perp/margin.ts';
import { emitOrder, emitRejected } from '../order-common/order-events.ts';
import { builderOf, withAcceptedBuilder } from '../order-common/order-builder.ts';
import {
  type Account,
  type Holding,
  holdingKey,
  holdingOf,
  legOf,
  settingsChanged,
  settingsOf,
} from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import type { FiredTrigger } from '../state/trigger-book.ts';
import { orderEnded, parentFilled } from './end-order.ts';
import { wouldTrade } from './fillable-orders.ts';
import { clamped } from '../perp/price-band.ts';
import { isMarketTrigger, judgeOrder } from './validate-order.ts';
import { matchOrder } from './match-order.ts';
import { type OrderContext, orderReserve, reducibleSize } from './order-margin.ts';
import { restOrder } from './rest-order.ts';
import {
  requestSnapshot,
  type TakerOrder,
  takerSnapshot,
  observePerpEntry,
} from './taker-order.ts';

export type Executed = { readonly entry: EntryResult; readonly cause?: CancelCause };

/**
 * Checks an order and sends it to the book under the given id, which is new or belongs to a
 * triggered order. Every order that can rest or trade on its owner's behalf passes through this
 * function.
 */
export function executeOrder(
  execution: Execution,
  account: Account,
  orderId: number,
  asked: OrderRequest,
  fired?: FiredTrigger,
  heldAtStart?: number,
): Executed {
  const { state } = execution;
  const sent = withAcceptedBuilder(state, account, asked);
  const sentContext: OrderContext = {
    state,
    account,
    order: sent,
    timeMs: state.timeMs,
    heldAtStart,
  };
  const { instrumentId } = sent;
  const perp = state.perps.get(instrumentId);
  const leg = legOf(account, sent);
  const held = account.holdings.get(holdingKey(instrumentId, leg));
  const reject =
    checkOrderGate(state, account, sent) ??
    (perp === undefined ? undefined : judgeOrder(sentContext, perp, held));
  if (reject !== undefined || perp === undefined) {
    const why = reject ?? { reason: 'instrumentUnknown', instrumentId };
    return { entry: rejectOrder(execution, account, orderId, sent, why, fired) };
  }
  const order = clamped(state, perp, sent);
  const { price } = order;
  const context = order === sent ? sentContext : { ...sentContext, order };
  if (order.timeInForce === 'alo' && wouldTrade(execution, account, perp, order)) {
    const why = { reason: 'postOnlyWouldTrade' } as const;
    return { entry: rejectOrder(execution, account, orderId, order, why, fired) };
  }
  const { defaultLeverage } = parametersOf(state);
  adoptMarginMode(account, perp, order, defaultLeverage);
  const holding = held ?? holdingOf(account, perp, leg, defaultLeverage);
  const size = order.reduceOnly
    ? Math.min(order.size, reducibleSize(context, holding))
    : order.size;
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
    builder: builderOf(order),
    forced: undefined,
    amended: undefined,
    fired,
  };
  const { cause, status } = runTaker(execution, taker);
  const entry: Building<EntryResult> = takerEntry(taker, status);
  if (size !== order.size) entry.clipped = { from: order.size, to: size };
  if (price !== sent.price) entry.clamped = { from: sent.price, to: price };
  return cause === undefined ? { entry } : { entry, cause };
}

type TakerEnd = { readonly status: OrderStatus; readonly cause?: CancelCause };

const OPEN = { status: 'open' } as const;
const FILLED = { status: 'filled' } as const;

/** Matches an order, rests or cancels the remainder, and releases the reserve of an ended order. */
export function runTaker(execution: Execution, taker: TakerOrder): TakerEnd {
  const { state } = execution;
  if (state.observer !== undefined) observePerpEntry(state, taker);
  const stopped = isMarketTrigger(taker.request)
    ? matchInParts(execution, taker)
    : matchOrder(execution, taker);
  const cause = taker.remaining === 0 ? undefined : (stopped ?? whyNotRest(state, taker));
  const order = takerSnapshot(taker, timeMs(state.timeMs));
  if (taker.remaining > 0 && cause === undefined) {
    restOrder(execution, taker);
    emitOrder(execution, 'open', order);
    parentFilled(execution, order);
    return OPEN;
  }
  const ending = cause === undefined ? FILLED : ({ status: 'cancelled', cause } as const);
  emitOrder(execution, ending.status, order, cause);
  if (taker.reserve > 0n) postToBalance(state, taker.account, taker.reserve);
  orderEnded(execution, order, ending);
  return ending;
}

/**
 * Sends a market trigger to the book in parts of at most the maximum market order size (R-trigger).
 * To clients, it is one order with one id, one final state and one total fee. If a part is not
 * fully filled, the book has no more liquidity within the limit.
 */
function matchInParts(execution: Execution, taker: TakerOrder): CancelCause | undefined {
  const partMax = taker.holding.perp.definition.maxMarketOrderSize;
  let cause: CancelCause | undefined;
  let left = taker.remaining;
  let lost = 0;
  for (let part = 0; left > 0 && part < LIMITS.triggerParts; part += 1) {
    const sent = Math.min(left, partMax);
    taker.remaining = sent;
    const stopped = matchOrder(execution, taker);
    cause = stopped ?? cause;
    left -= sent;
    lost += taker.remaining;
    if (taker.remaining > 0 && stopped !== 'matchLimit') break;
  }
  taker.remaining = left + lost;
  return cause ?? (left > 0 && lost === 0 ? 'matchLimit' : undefined);
}

export function takerEntry(taker: TakerOrder, state: OrderStatus): EntryResult {
  return {
    orderId: taker.orderId,
    clientOrderId: taker.request.clientOrderId,
    state,
    filled: taker.original - taker.remaining,
    filledNotional: taker.filledNotional,
  };
}

/** Rejects an order that has an id, and reports its end to related orders. */
export function rejectOrder(
  execution: Execution,
  account: Account,
  orderId: number,
  order: OrderRequest,
  reject: Reject,
  fired?: FiredTrigger,
): EntryResult {
  const now = timeMs(execution.state.timeMs);
  emitRejected(execution, requestSnapshot(orderId, account.address, order, now, fired), reject);
  orderEnded(execution, { orderId, filled: 0 }, { status: 'rejected' });
  return {
    orderId,
    clientOrderId: order.clientOrderId,
    state: 'rejected',
    filled: 0,
    filledNotional: 0,
    reject,
  };
}

/** Sets the instrument's margin mode to an accepted order's mode. */
export function adoptMarginMode(
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

function whyNotRest(state: State, taker: TakerOrder): CancelCause | undefined {
  const { timeInForce } = taker.request;
  if (timeInForce === 'ioc' || timeInForce === 'market') return 'iocRemainder';
  return isRestCovered(state, taker) ? undefined : 'marginCanceled';
}

/**
 * Checks R-initial again when the remainder enters the book, because fills worse than the mark may
 * have consumed part of the margin that the order was accepted with. A remainder that does not
 * increase the worst-case exposure can always rest.
 */
function isRestCovered(state: State, taker: TakerOrder): boolean {
  const { account, holding, request, remaining } = taker;
  const entered = taker.original - (taker.amended?.filled ?? 0);
  // The reserve of an isolated order covers its remainder.
  if (request.reduceOnly || remaining === entered || holding.isIsolated) return true;
  return isSizeCovered(state, account, holding, request.isBuy ? remaining : -remaining);
}

/**
 * Returns true if this many additional lots can rest on one side of a cross holding; negative sizes
 * sell.
 */
export function isSizeCovered(
  state: State,
  account: Account,
  holding: Holding,
  signedSize: number,
): boolean {
  const buys = holding.restingBuy + Math.max(0, signedSize);
  const sells = holding.restingSell + Math.max(0, -signedSize);
  const exposure = worstCase(holding.size, buys, sells);
  if (exposure <= exposureOf(holding)) return true;
  const value = availableCrossValue(state, account);
  const part = initialMargin(holding.perp, exposure, holding.leverage);
  return value >= account.margin.initial - holding.initial + part;
}
