import { type InstrumentId, type MicroUsdc, microUsdc, ZERO_USDC } from '@oddlot/units';
import { checkOrderGate } from '../auth/gate.ts';
import type { OrderRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { checkClientOrderId } from '../order-common/order-request.ts';
import type { Account, OrderBuilder } from '../state/account.ts';
import type { QueuedOrder } from '../state/outcomes.ts';
import { outcomeLegOf, type OutcomeMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';
import { freshRemainders, requiredReserve } from './outcome-order.ts';

export type OutcomeOrderContext = {
  readonly state: State;
  readonly account: Account;
  readonly order: OrderRequest;
  readonly timeMs: number;
  /**
   * The part of a resting order that is released first by an amendment (R-modify); `order.size` is
   * the new remainder.
   */
  readonly replaced?: {
    readonly remaining: number;
    readonly filled: number;
    readonly reserve: MicroUsdc;
    readonly feeOverpaid: number;
    readonly builder: OrderBuilder | undefined;
  };
  readonly taken?: Taken;
  /** The free lots of the outcome when the action began, less the action's earlier sells. */
  readonly freeAtStart?: number;
};

/** The money and shares required by earlier orders in an action. */
export type Taken = {
  readonly money: MicroUsdc;
  /** The lots of the order's outcome. */
  readonly shares: number;
  readonly orders: number;
};

/**
 * Checks one order without changing the state, in a fixed sequence: the market and its phase, the
 * size, the price, the time in force, the client order id, and finally the shares for a sell or the
 * money for a buy.
 */
export function validateOutcomeOrder(context: OutcomeOrderContext): Reject | undefined {
  const { order, state } = context;
  const market = state.outcomes.markets.get(order.instrumentId);
  if (market === undefined) return unknownMarket(state, order.instrumentId);
  return (
    checkPhase(market, order.instrumentId) ??
    checkSize(context, market) ??
    checkPrice(context, market) ??
    checkMinimum(context, market) ??
    (context.replaced === undefined ? checkNew(context) : undefined) ??
    (order.reduceOnly ? checkShares(context) : checkMoney(context, market))
  );
}

export function unknownMarket(state: State, instrumentId: InstrumentId): Reject {
  return state.outcomes.settled.has(instrumentId)
    ? { reason: 'marketResolved', instrumentId }
    : { reason: 'instrumentUnknown', instrumentId };
}

/** Rejects orders if the market is not open (R-phases). */
export function checkPhase(market: OutcomeMarket, instrumentId: InstrumentId): Reject | undefined {
  switch (market.phase) {
    case 'open':
      return undefined;
    case 'halted':
      return { reason: 'tradingHalted', instrumentId };
    case 'resolved':
      return { reason: 'marketResolved', instrumentId };
    case 'upcoming':
    case 'closed':
      return { reason: 'marketClosed', instrumentId };
  }
}

function checkSize({ order, replaced }: OutcomeOrderContext, market: OutcomeMarket) {
  const { instrumentId } = order;
  const { maxOrderSize: max } = market.definition;
  const size = order.size + (replaced?.filled ?? 0);
  if (size < 0 || (size === 0 && order.sizeInexact !== true)) {
    return { reason: 'sizeBelowMin', instrumentId, min: 1 } as const;
  }
  if (order.sizeInexact === true) return { reason: 'sizeOffLot', instrumentId } as const;
  return size > max ? ({ reason: 'sizeAboveMax', instrumentId, max } as const) : undefined;
}

/** Checks that a price is strictly between 0 and 1 and on the market's tick. */
function checkPrice({ order }: OutcomeOrderContext, { definition, unit }: OutcomeMarket) {
  const { instrumentId, price, priceInexact } = order;
  const isInside = price < unit && (price > 0 || (price === 0 && priceInexact === true));
  if (!isInside) return { reason: 'priceOutOfRange', instrumentId } as const;
  const isOnTick = priceInexact !== true && price % definition.priceTick === 0;
  return isOnTick ? undefined : ({ reason: 'priceOffTick', instrumentId } as const);
}

/**
 * Checks the minimum size (R-sizes). A sell of all unreserved shares held can be smaller than the
 * minimum. This applies both to the shares held now and, as at admission, to the shares held when
 * its action began. For an amended order, the remainder is checked (R-modify).
 */
function checkMinimum(context: OutcomeOrderContext, market: OutcomeMarket): Reject | undefined {
  const { order } = context;
  const { minOrderSize: min } = market.definition;
  if (order.size >= min) return undefined;
  const isAll = order.size === freeShares(context) || order.size === context.freeAtStart;
  if (order.reduceOnly && order.size > 0 && isAll) return undefined;
  return { reason: 'sizeBelowMin', instrumentId: order.instrumentId, min };
}

function checkNew(context: OutcomeOrderContext): Reject | undefined {
  const { account, order, taken, timeMs } = context;
  if (order.trigger !== undefined) return { reason: 'triggerOnOutcome' };
  if (order.timeInForce === 'ioc' || order.timeInForce === 'market') {
    return { reason: 'iocOnOutcome' };
  }
  const minMs = timeMs + LIMITS.expiryAheadMs;
  if (order.timeInForce === 'gtd' && (order.expireMs ?? 0) < minMs) {
    return { reason: 'expiryTooSoon', minMs };
  }
  const max = LIMITS.ordersPerAccount;
  const isFull = account.liveOrders + (taken?.orders ?? 0) >= max;
  return checkClientOrderId(context) ?? (isFull ? { reason: 'ordersFull', max } : undefined);
}

/** Returns the lots of the order's outcome that are not reserved by a sell. */
export function freeShares({ account, order, replaced, taken }: OutcomeOrderContext): number {
  const holding = account.outcomes.get(order.instrumentId);
  if (holding === undefined) return 0;
  const leg = holding[outcomeLegOf(order)];
  return leg.size - leg.reserved + (replaced?.remaining ?? 0) - (taken?.shares ?? 0);
}

function checkShares(context: OutcomeOrderContext): Reject | undefined {
  const { instrumentId, size: required } = context.order;
  const available = Math.max(0, freeShares(context));
  if (required <= available) return undefined;
  return { reason: 'sharesInsufficient', instrumentId, required, available };
}

function checkMoney(context: OutcomeOrderContext, market: OutcomeMarket): Reject | undefined {
  const { account, order, replaced, taken } = context;
  const remainders = replaced ?? freshRemainders(order);
  const required = requiredReserve(market, order.price, order.size, remainders);
  const free = account.outcomeBalance + (replaced?.reserve ?? 0n) - (taken?.money ?? 0n);
  if (required <= free) return undefined;
  const available = free < 0n ? ZERO_USDC : microUsdc(free);
  return { reason: 'balanceInsufficient', required, available };
}

/** Repeats the checks whose results can change over time: the market, the expiry, the gate. */
export function checkRelease(
  state: State,
  account: Account,
  { request }: QueuedOrder,
): Reject | undefined {
  const { expireMs, instrumentId, price, timeInForce } = request;
  const market = state.outcomes.markets.get(instrumentId);
  if (market === undefined) return unknownMarket(state, instrumentId);
  const phase = checkPhase(market, instrumentId);
  if (phase !== undefined) return phase;
  if (price % market.definition.priceTick !== 0) return { reason: 'priceOffTick', instrumentId };
  if (timeInForce === 'gtd' && (expireMs ?? 0) <= state.timeMs) {
    return { reason: 'orderExpiredQueued', expireMs: expireMs ?? 0 };
  }
  return checkOrderGate(state, account, request);
}
