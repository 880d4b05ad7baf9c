import { feeUp, type MicroUsdc, microUsdc, notional, ZERO_USDC } from '@oddlot/units';
import {
  type Account,
  defaultSettings,
  type Holding,
  holdingKey,
  leverageOf,
  legOf,
} from '../account.ts';
import { clientOrderKey } from '../client-order-id.ts';
import type { OrderRequest } from '../command.ts';
import { parametersOf } from '../execution.ts';
import { fillRate } from '../ledger/fee-tiers.ts';
import { LIMITS } from '../limits.ts';
import { accountTier } from '../ledger/account-tier.ts';
import { isolatedReserve } from '../perp/isolated.ts';
import {
  accountValue,
  cappedLeverage,
  freeInCross,
  initialMargin,
  worstCase,
} from '../perp/margin.ts';
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
  const holding = account.holdings.get(holdingKey(instrumentId, legOf(account, order)));
  return (
    checkInstrument(context, perp, holding) ??
    checkSize(context, perp) ??
    checkPrice(context, perp) ??
    checkValue(context, holding) ??
    checkMarginMode(context, perp) ??
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
  return price < min || price > max
    ? { reason: 'priceTooFar', instrumentId, min, max }
    : undefined;
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

/** A mode cannot change under an open position or working orders (R-isolated). */
function checkMarginMode(context: OrderContext, perp: Perp): Reject | undefined {
  const { account, order } = context;
  const { instrumentId, marginMode } = order;
  if (marginMode === undefined) return undefined;
  if (marginMode === 'cross' && perp.definition.onlyIsolated) {
    return { reason: 'onlyIsolated', instrumentId };
  }
  const isSame = (marginMode === 'isolated') === isIsolated(account, perp);
  return isSame || !isInUse(account, instrumentId) ? undefined : { reason: 'marginModeDiffers' };
}

/** The instrument's current mode for an account. */
function isIsolated(account: Account, perp: Perp): boolean {
  const settings = account.settings.get(perp.definition.instrumentId);
  return settings?.isIsolated ?? perp.definition.onlyIsolated;
}

/** True with a position or working orders in the instrument. */
export function isInUse(account: Account, instrumentId: number): boolean {
  return ([0, 1] as const).some((leg) => {
    const holding = account.holdings.get(holdingKey(instrumentId, leg));
    return holding !== undefined && (holding.size !== 0 || holding.orders.count > 0);
  });
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

function checkCount(context: OrderContext): Reject | undefined {
  const max = LIMITS.ordersPerAccount;
  return context.account.liveOrders >= max ? { reason: 'ordersFull', max } : undefined;
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
 * R-initial: what the order's scope brings covers the initial margin with this order and its
 * worst-case fees. An order that does not raise the worst-case exposure is always admitted.
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
  if (willBeIsolated(context, perp)) {
    const required = orderReserve(context, perp, holding);
    const available = freeInCross(state, account);
    return available >= required ? undefined : { reason: 'marginInsufficient', required, available };
  }
  const available = accountValue(state, account);
  const part = initialMargin(perp, exposure, orderLeverage(context, perp, false));
  const others = account.margin.initial - (holding?.initial ?? 0n);
  const required = microUsdc(others + part + worstCaseFee(context, perp));
  return available >= required ? undefined : { reason: 'marginInsufficient', required, available };
}

function willBeIsolated({ account, order }: OrderContext, perp: Perp): boolean {
  if (order.marginMode !== undefined) return order.marginMode === 'isolated';
  return isIsolated(account, perp);
}

function orderLeverage({ state, account, order }: OrderContext, perp: Perp, isolated: boolean) {
  const settings =
    account.settings.get(order.instrumentId) ??
    defaultSettings(perp, parametersOf(state).defaultLeverage);
  return leverageOf(settings, legOf(account, order), isolated);
}

/** What an isolated order that raises the exposure has to set aside; zero for any other. */
export function orderReserve(
  context: OrderContext,
  perp: Perp,
  holding: Holding | undefined,
): MicroUsdc {
  const { state, account, order } = context;
  if (!willBeIsolated(context, perp) || !raisesExposure(order, holding)) return ZERO_USDC;
  const exposure = exposureWith(order, holding);
  const size = exposure - exposureWithout(holding);
  const leverage = cappedLeverage(perp, exposure, orderLeverage(context, perp, true));
  const rate = fillRate(accountTier(state, account), perp.definition, 'taker');
  return isolatedReserve(perp, order, { size, leverage }, rate);
}

/** The taker fee on the whole size at the limit price. */
function worstCaseFee(context: OrderContext, perp: Perp): MicroUsdc {
  const { state, account, order } = context;
  const rate = fillRate(accountTier(state, account), perp.definition, 'taker');
  return feeUp(notional(order.price, order.size), rate);
}
