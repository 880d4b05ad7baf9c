import { feeUp, type MicroUsdc, microUsdc, notional } from '@oddlot/units';
import type { Account, Holding } from '../account.ts';
import { clientOrderKey } from '../client-order-id.ts';
import type { OrderRequest } from '../command.ts';
import { parametersOf } from '../execution.ts';
import { fillRate } from '../ledger/fee-tiers.ts';
import { LIMITS } from '../limits.ts';
import { accountTier } from '../ledger/account-tier.ts';
import { accountValue, initialMargin, worstCase } from '../perp/margin.ts';
import { isOracleStale, type Perp } from '../perp/perp.ts';
import type { Reject } from '../reject.ts';
import type { State } from '../state.ts';

/** What an order is judged on: who, what, when, and what the account has there already. */
export type OrderContext = {
  readonly state: State;
  readonly account: Account;
  readonly order: OrderRequest;
  readonly timeMs: number;
};

/**
 * Judges one order by everything that is known before it meets the book, in a fixed order: the
 * instrument, the size, the price, the value, the time in force, the client's id, reduce-only, and
 * last the margin. Changes nothing; admission and execution both ask it. Whether a post-only order
 * would trade is left to execution: the book may move until then.
 */
export function validateOrder(
  context: OrderContext,
  options: { readonly margin: boolean } = { margin: true },
): Reject | undefined {
  const { state, account, order } = context;
  const { instrumentId } = order;
  const perp = state.perps.get(instrumentId);
  if (perp === undefined) return { reason: 'instrumentUnknown', instrumentId };
  const holding = account.holdings.get(instrumentId);
  return (
    checkInstrument(context, perp, holding) ??
    checkSize(context, perp) ??
    checkPrice(context, perp) ??
    checkValue(context, holding) ??
    checkExpiry(context) ??
    checkClientOrderId(context) ??
    checkCount(context) ??
    (order.reduceOnly ? checkReduceOnly(order, holding) : undefined) ??
    (options.margin ? checkMargin(context, perp, holding) : undefined)
  );
}

function checkInstrument(
  context: OrderContext,
  perp: Perp,
  holding: Holding | undefined,
): Reject | undefined {
  const { state, order, timeMs } = context;
  const { instrumentId } = order;
  if (perp.delisted) return { reason: 'instrumentDelisted', instrumentId };
  if (perp.halted) return { reason: 'tradingHalted', instrumentId };
  const isStale = isOracleStale(perp, timeMs, parametersOf(state).oracleStaleMs);
  if (isStale && raisesExposure(order, holding)) return { reason: 'oracleStale', instrumentId };
  return undefined;
}

function checkSize(context: OrderContext, perp: Perp): Reject | undefined {
  const { order } = context;
  const { instrumentId, size, timeInForce } = order;
  if (size < 0 || (size === 0 && order.sizeInexact !== true)) {
    return { reason: 'sizeBelowMin', instrumentId, min: 1 };
  }
  if (order.sizeInexact === true) return { reason: 'sizeOffLot', instrumentId };
  const { maxLimitOrderSize, maxMarketOrderSize } = perp.definition;
  const isImmediate = timeInForce === 'ioc' || timeInForce === 'market';
  const listed = isImmediate ? maxMarketOrderSize : maxLimitOrderSize;
  const max = Math.min(listed, LIMITS.sizeMax, exactSizeMax(perp));
  return size > max ? { reason: 'sizeAboveMax', instrumentId, max } : undefined;
}

/** The largest size whose value stays an exact number, with room for the band to move. */
function exactSizeMax(perp: Perp): number {
  const priceMax = Math.max(1, perp.bandMax) * LIMITS.bandHeadroom;
  return Math.floor(Number.MAX_SAFE_INTEGER / priceMax);
}

function checkPrice(context: OrderContext, perp: Perp): Reject | undefined {
  const { order } = context;
  const { instrumentId, price } = order;
  if (price < 0 || (price === 0 && order.priceInexact !== true)) {
    return { reason: 'priceOutOfRange', instrumentId };
  }
  if (order.priceInexact === true || price % perp.definition.priceTick !== 0) {
    return { reason: 'priceOffTick', instrumentId };
  }
  if (price > LIMITS.priceMax) return { reason: 'priceOutOfRange', instrumentId };
  const { bandMin: min, bandMax: max } = perp;
  return price < min || price > max ? { reason: 'priceTooFar', instrumentId, min, max } : undefined;
}

function checkValue(context: OrderContext, holding: Holding | undefined): Reject | undefined {
  const { state, order } = context;
  const min = microUsdc(parametersOf(state).minOrderValueMicroUsdc);
  if (notional(order.price, order.size) >= min) return undefined;
  return closesPosition(order, holding) ? undefined : { reason: 'valueBelowMin', min };
}

/** An order that closes a whole position may be worth less than the minimum (R-sizes). */
function closesPosition(order: OrderRequest, holding: Holding | undefined): boolean {
  const size = holding?.size ?? 0;
  if (size === 0 || order.isBuy === size > 0) return false;
  const magnitude = Math.abs(size);
  return order.reduceOnly ? order.size >= magnitude : order.size === magnitude;
}

function checkExpiry(context: OrderContext): Reject | undefined {
  const { order, timeMs } = context;
  if (order.timeInForce !== 'gtd') return undefined;
  const minMs = timeMs + LIMITS.expiryAheadMs;
  return (order.expireMs ?? 0) < minMs ? { reason: 'expiryTooSoon', minMs } : undefined;
}

function checkClientOrderId(context: OrderContext): Reject | undefined {
  const { account, order } = context;
  if (order.clientOrderId === undefined) return undefined;
  const key = clientOrderKey(order.clientOrderId);
  if (key === undefined) return { reason: 'clientOrderIdInvalid' };
  return account.clientOrders.has(key) ? { reason: 'clientOrderIdDuplicate' } : undefined;
}

/** What never rests needs no room: an account with too many orders can still close. */
function checkCount({ account, order }: OrderContext): Reject | undefined {
  const max = LIMITS.ordersPerAccount;
  const isImmediate = order.timeInForce === 'ioc' || order.timeInForce === 'market';
  return account.liveOrders >= max && !isImmediate ? { reason: 'ordersFull', max } : undefined;
}

function checkReduceOnly(order: OrderRequest, holding: Holding | undefined): Reject | undefined {
  return reducibleSize(order, holding) > 0 ? undefined : { reason: 'reduceOnlyIncreases' };
}

/** What a reduce-only order can still take: the position less what rests reduce-only (R-reduce). */
export function reducibleSize(order: OrderRequest, holding: Holding | undefined): number {
  const size = holding?.size ?? 0;
  if (holding === undefined || size === 0 || order.isBuy === size > 0) return 0;
  const resting = order.isBuy ? holding.reduceBuy : holding.reduceSell;
  return Math.max(0, Math.abs(size) - resting);
}

/** True when the order could make the worst-case position larger. */
function raisesExposure(order: OrderRequest, holding: Holding | undefined): boolean {
  if (order.reduceOnly) return false;
  return exposureWith(order, holding) > exposureWithout(holding);
}

function exposureWithout(holding: Holding | undefined): number {
  if (holding === undefined) return 0;
  return worstCase(holding.size, holding.restingBuy, holding.restingSell);
}

function exposureWith(order: OrderRequest, holding: Holding | undefined): number {
  const buys = (holding?.restingBuy ?? 0) + (order.isBuy ? order.size : 0);
  const sells = (holding?.restingSell ?? 0) + (order.isBuy ? 0 : order.size);
  return worstCase(holding?.size ?? 0, buys, sells);
}

/**
 * R-initial: the account value covers the initial margin with this order and its worst-case fees.
 * An order that does not raise the worst-case exposure is always admitted.
 */
function checkMargin(
  context: OrderContext,
  perp: Perp,
  holding: Holding | undefined,
): Reject | undefined {
  const { state, account, order } = context;
  if (!raisesExposure(order, holding)) return undefined;
  const exposure = exposureWith(order, holding);
  if (exposure > perp.tiers.positionMax) {
    return { reason: 'positionLimit', instrumentId: order.instrumentId };
  }
  const available = accountValue(state, account);
  const leverage = holding?.leverage ?? defaultLeverage(state, perp);
  const part = initialMargin(perp, exposure, leverage);
  const others = account.margin.initial - (holding?.initial ?? 0n);
  const required = microUsdc(others + part + worstCaseFee(context, perp));
  return available >= required ? undefined : { reason: 'marginInsufficient', required, available };
}

/** The leverage of an instrument nobody set (R-leverage). */
export function defaultLeverage(state: State, perp: Perp): number {
  return Math.min(parametersOf(state).defaultLeverage, perp.maxLeverage);
}

/** The taker fee on the whole size at the limit price. */
function worstCaseFee(context: OrderContext, perp: Perp): MicroUsdc {
  const { state, account, order } = context;
  const rate = fillRate(accountTier(state, account), perp.definition, 'taker');
  return feeUp(notional(order.price, order.size), rate);
}
