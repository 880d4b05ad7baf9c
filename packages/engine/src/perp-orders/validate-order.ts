import { isWorth, microUsdc } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { restrictingPerp, restrictedReject, crossScope } from '../perp/margin-restriction.ts';
import { isReducing } from '../perp/fill-check.ts';
import { checkPriceBand, clamped } from '../perp/price-band.ts';
import { checkClientOrderId } from '../order-common/order-request.ts';
import { type Account, type Holding, holdingKey, legOf } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import {
  checkMargin,
  isIsolated,
  type OrderContext,
  raisesExposure,
  reducibleSize,
} from './order-margin.ts';
import { workingOrders } from './rest-order.ts';

const WITH_MARGIN = { margin: true };
// The compiler inlines constants defined in this module; imported constants would be read on every
// use.
const { bandHeadroom, expiryAheadMs, ordersPerAccount, priceMax, sizeMax } = LIMITS;

/**
 * Checks one order before it reaches the book, at both admission and execution, without changing
 * the state. The sequence is fixed: the instrument, the size, the price, the value, the time in
 * force, the client order id, reduce-only, and finally the margin. Only execution determines
 * whether a post-only order would trade, because the book can change before then.
 */
export function validateOrder(
  context: OrderContext,
  options: { readonly margin: boolean } = WITH_MARGIN,
): Reject | undefined {
  const { state, account, order } = context;
  const { instrumentId } = order;
  const perp = state.perps.get(instrumentId);
  if (perp === undefined) return { reason: 'instrumentUnknown', instrumentId };
  const holding = account.holdings.get(holdingKey(instrumentId, legOf(account, order)));
  return judgeOrder(context, perp, holding, options);
}

/**
 * Checks an order as `validateOrder` does, for callers that have already looked up the instrument
 * and the leg's holding.
 */
export function judgeOrder(
  context: OrderContext,
  perp: Perp,
  holding: Holding | undefined,
  options: { readonly margin: boolean } = WITH_MARGIN,
): Reject | undefined {
  const { state, order } = context;
  const early =
    checkInstrument(context, perp, holding) ??
    checkSize(context, perp) ??
    checkPrice(context, perp);
  if (early !== undefined) return early;
  const sent = clamped(state, perp, order);
  const judged = sent === order ? context : { ...context, order: sent };
  return (
    checkPriceBand(perp, sent) ??
    checkValue(judged, holding) ??
    checkMarginMode(judged, perp) ??
    (context.replaced === undefined ? checkNew(judged) : undefined) ??
    (order.reduceOnly ? checkReduceOnly(judged, holding) : undefined) ??
    (options.margin ? checkMargin(judged, perp, holding) : undefined)
  );
}

/** Runs the checks that an amendment skips, because it does not change the fields they examine. */
function checkNew(context: OrderContext): Reject | undefined {
  return checkExpiry(context) ?? checkClientOrderId(context) ?? checkCount(context);
}

export function checkInstrument(
  context: OrderContext,
  perp: Perp,
  holding: Holding | undefined,
): Reject | undefined {
  const { state, order, timeMs } = context;
  const { instrumentId } = order;
  if (perp.delisted) return { reason: 'instrumentDelisted', instrumentId };
  if (perp.closing !== undefined && !order.reduceOnly) {
    return { reason: 'marketClosing', instrumentId };
  }
  if (perp.halted) return { reason: 'tradingHalted', instrumentId };
  const isStale = isOracleStale(perp, timeMs, parametersOf(state).oracleStaleMs);
  if (isStale && raisesExposure(context, holding)) return { reason: 'oracleStale', instrumentId };
  return checkRestriction(context, holding);
}

/**
 * Rejects all orders of a margin-restricted account except reducing ones, in every instrument
 * (R-oracle-stale).
 */
function checkRestriction(
  { account, order, state }: OrderContext,
  holding: Holding | undefined,
): Reject | undefined {
  if (!state.hasUnpriced) return undefined;
  const size = holding?.size ?? 0;
  if (order.reduceOnly || isReducing(size, order.isBuy ? order.size : -order.size))
    return undefined;
  // An isolated opening order takes its margin from the cross account.
  const restricting = restrictingPerp(state, crossScope(account));
  return restricting === undefined ? undefined : restrictedReject(restricting);
}

export function checkSize(context: OrderContext, perp: Perp, min = 1): Reject | undefined {
  const { order, replaced } = context;
  const { instrumentId, timeInForce } = order;
  const size = order.size + (replaced?.filled ?? 0);
  if (size < 0 || (size < min && order.sizeInexact !== true)) {
    return { reason: 'sizeBelowMin', instrumentId, min };
  }
  if (order.sizeInexact === true) return { reason: 'sizeOffLot', instrumentId };
  const { maxLimitOrderSize, maxMarketOrderSize } = perp.definition;
  const isImmediate = timeInForce === 'ioc' || timeInForce === 'market';
  const listed = isImmediate ? maxMarketOrderSize : maxLimitOrderSize;
  const exact = Math.min(sizeMax, exactSizeMax(perp));
  // The limit for market orders does not apply to market triggers, which are sent in parts.
  const max = isMarketTrigger(order) ? exact : Math.min(listed, exact);
  return size > max ? { reason: 'sizeAboveMax', instrumentId, max } : undefined;
}

/** Returns true for a market order that is triggered by the mark (R-trigger). */
export function isMarketTrigger({ timeInForce, trigger }: OrderRequest): boolean {
  return trigger !== undefined && timeInForce === 'market';
}

/** Returns the largest size whose value is exact as a number, with headroom for band moves. */
function exactSizeMax(perp: Perp): number {
  const highest = Math.max(1, perp.bandMax) * bandHeadroom;
  return Math.floor(Number.MAX_SAFE_INTEGER / highest);
}

export function checkPrice(context: OrderContext, perp: Perp): Reject | undefined {
  const { order } = context;
  const { instrumentId, price } = order;
  if (price < 0 || (price === 0 && order.priceInexact !== true)) {
    return { reason: 'priceOutOfRange', instrumentId };
  }
  // The largest safe integer stands for all higher prices, whether or not they are on the tick.
  const isBeyond = price === Number.MAX_SAFE_INTEGER;
  if (order.priceInexact === true || (price % perp.definition.priceTick !== 0 && !isBeyond)) {
    return { reason: 'priceOffTick', instrumentId };
  }
  const isClamped = order.timeInForce === 'market' && order.trigger === undefined;
  if (isClamped || price <= priceMax) return undefined;
  return { reason: 'priceOutOfRange', instrumentId };
}

export function checkValue(
  context: OrderContext,
  holding: Holding | undefined,
): Reject | undefined {
  const { heldAtStart, state, order } = context;
  const { minOrderValueMicroUsdc } = parametersOf(state);
  if (isWorth(order.price, order.size, minOrderValueMicroUsdc)) return undefined;
  const closes = closesPosition(order, holding?.size ?? 0);
  const wouldHave = heldAtStart !== undefined && closesPosition(order, heldAtStart);
  if (closes || wouldHave) return undefined;
  return { reason: 'valueBelowMin', min: microUsdc(minOrderValueMicroUsdc) };
}

/**
 * Returns true if an order closes a whole position and can therefore be worth less than the minimum
 * (R-sizes). The position is the current one, or the one at the start of the action, on which
 * admission was based.
 */
function closesPosition(order: OrderRequest, size: number): boolean {
  if (size === 0 || order.isBuy === size > 0) return false;
  const magnitude = Math.abs(size);
  return order.reduceOnly ? order.size >= magnitude : order.size === magnitude;
}

/** Rejects a margin mode change while a position or orders are open (R-isolated). */
export function checkMarginMode(context: OrderContext, perp: Perp): Reject | undefined {
  const { account, order, state } = context;
  const { instrumentId, marginMode } = order;
  if (marginMode === undefined) return undefined;
  if (marginMode === 'cross' && perp.definition.onlyIsolated) {
    return { reason: 'onlyIsolated', instrumentId };
  }
  const isSame = (marginMode === 'isolated') === isIsolated(account, perp);
  if (isSame) return undefined;
  const { tpsl, triggers } = workingOrders(state, account, instrumentId);
  const isBound = isInUse(account, instrumentId) || tpsl + triggers > 0;
  return isBound ? { reason: 'marginModeDiffers' } : undefined;
}

function isInUse(account: Account, instrumentId: number): boolean {
  return ([0, 1] as const).some((leg) => {
    const holding = account.holdings.get(holdingKey(instrumentId, leg));
    return holding !== undefined && (holding.size !== 0 || holding.orders.count > 0);
  });
}

function checkExpiry(context: OrderContext): Reject | undefined {
  const { order, timeMs } = context;
  if (order.timeInForce !== 'gtd') return undefined;
  const minMs = timeMs + expiryAheadMs;
  return (order.expireMs ?? 0) < minMs ? { reason: 'expiryTooSoon', minMs } : undefined;
}

/**
 * Rejects an order if the account is at its order limit. Orders that never rest do not count, so
 * that an account at the limit can still close positions.
 */
function checkCount({ account, order }: OrderContext): Reject | undefined {
  const max = ordersPerAccount;
  const isImmediate = order.timeInForce === 'ioc' || order.timeInForce === 'market';
  return account.liveOrders >= max && !isImmediate ? { reason: 'ordersFull', max } : undefined;
}

function checkReduceOnly(context: OrderContext, holding: Holding | undefined): Reject | undefined {
  return reducibleSize(context, holding) > 0 ? undefined : { reason: 'reduceOnlyIncreases' };
}
