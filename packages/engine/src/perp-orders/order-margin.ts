import { addUsdc, feeAt, type MicroUsdc, microUsdc, type RateE8, ZERO_USDC } from '@oddlot/units';
import { accountTier, fillRate } from '../ledger/fees.ts';
import type { Reject } from '../messages/reject.ts';
import { availableCrossValue } from '../perp/margin-restriction.ts';
import { freeInCross } from '../perp/free-margin.ts';
import { isolatedReserve } from '../perp/isolated.ts';
import { cappedLeverage, initialMargin, worstCase } from '../perp/margin.ts';
import { withBuilderRate } from '../order-common/order-builder.ts';
import { type Account, type Holding, legOf, leverageOf, leverageUnset } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { OrderRequest } from '../messages/command.ts';
import type { State } from '../state/state.ts';

/**
 * Checks that the order's margin account covers the initial margin including this order and its
 * maximum fees (R-initial). An order that does not increase the worst-case exposure is always
 * accepted.
 */
export function checkMargin(
  context: OrderContext,
  perp: Perp,
  holding: Holding | undefined,
): Reject | undefined {
  const { state, account, order } = context;
  const isIsolatedOrder = willBeIsolated(context, perp);
  const largest = exposureWith(context, holding);
  const raises = !order.reduceOnly && largest > currentExposure(holding);
  if (!raises && !(isIsolatedOrder && isWorsePrice(context))) return undefined;
  if (raises && largest > perp.tiers.positionMax) {
    return { reason: 'positionLimit', instrumentId: order.instrumentId };
  }
  if (isIsolatedOrder) {
    const required = orderReserve(context, perp, holding);
    const available = addUsdc(freeInCross(state, account), context.replaced?.reserve ?? ZERO_USDC);
    return available >= required
      ? undefined
      : { reason: 'marginInsufficient', required, available };
  }
  const available = availableCrossValue(state, account);
  const part = initialMargin(perp, largest, orderLeverage(context, perp, false));
  const others = account.margin.initial - (holding?.initial ?? 0n);
  const required = microUsdc(others + part + worstCaseFee(context, perp));
  return available >= required ? undefined : { reason: 'marginInsufficient', required, available };
}

/**
 * Returns true for an amendment to a worse price, which reserves more even if it does not open a
 * larger position (R-isolated).
 */
function isWorsePrice({ order, replaced }: OrderContext): boolean {
  if (replaced === undefined || order.reduceOnly) return false;
  return order.isBuy ? order.price > replaced.price : order.price < replaced.price;
}

function willBeIsolated({ account, order }: OrderContext, perp: Perp): boolean {
  if (order.marginMode !== undefined) return order.marginMode === 'isolated';
  return isIsolated(account, perp);
}

function orderLeverage(
  { state, account, order }: OrderContext,
  perp: Perp,
  isolated: boolean,
): number {
  const settings = account.settings.get(order.instrumentId);
  return settings === undefined
    ? leverageUnset(perp, parametersOf(state).defaultLeverage)
    : leverageOf(settings, legOf(account, order), isolated);
}

/**
 * Returns the reserve of an isolated order that increases the exposure, or zero for any other
 * order.
 */
export function orderReserve(
  context: OrderContext,
  perp: Perp,
  holding: Holding | undefined,
): MicroUsdc {
  const { order } = context;
  if (!willBeIsolated(context, perp) || order.reduceOnly) return ZERO_USDC;
  const largest = exposureWith(context, holding);
  const size = largest - exposure(legSizes(context, holding));
  if (size <= 0) return ZERO_USDC;
  const leverage = cappedLeverage(perp, largest, orderLeverage(context, perp, true));
  return isolatedReserve(perp, order, { size, leverage }, worstCaseRate(context, perp));
}

function worstCaseFee(context: OrderContext, perp: Perp): MicroUsdc {
  const { order } = context;
  return feeAt(order.price, order.size, worstCaseRate(context, perp));
}

function worstCaseRate({ state, account, order }: OrderContext, perp: Perp): RateE8 {
  const takerRate = fillRate(accountTier(state, account), perp.definition, 'taker');
  return withBuilderRate(takerRate, order);
}

export function isIsolated(account: Account, perp: Perp): boolean {
  const settings = account.settings.get(perp.definition.instrumentId);
  return settings?.isIsolated ?? perp.definition.onlyIsolated;
}

export type OrderContext = {
  readonly state: State;
  readonly account: Account;
  readonly order: OrderRequest;
  readonly timeMs: number;
  /** The resting order that this one replaces (R-modify); `order.size` is its new remainder. */
  readonly replaced?: Replaced;
  /** The position of the leg when an action with several orders began (R-sizes). */
  readonly heldAtStart?: number | undefined;
};

/** The part of a resting order that an amendment releases before it is checked. */
type Replaced = {
  readonly remaining: number;
  readonly filled: number;
  readonly price: number;
  readonly reserve: MicroUsdc;
};

/**
 * Returns the size that a reduce-only order can still reduce: the position less resting reduce-only
 * orders (R-reduce). A market trigger ignores resting orders, because it does not leave anything in
 * the book and because a resting take-profit could otherwise disable a stop.
 */
export function reducibleSize(context: OrderContext, holding: Holding | undefined): number {
  const { order } = context;
  const { reduceBuy, reduceSell, size } = legSizes(context, holding);
  if (size === 0 || order.isBuy === size > 0) return 0;
  if (order.trigger !== undefined && order.timeInForce === 'market') return Math.abs(size);
  return Math.max(0, Math.abs(size) - (order.isBuy ? reduceBuy : reduceSell));
}

type LegSizes = Pick<Holding, 'size' | 'restingBuy' | 'restingSell' | 'reduceBuy' | 'reduceSell'>;

const NOTHING: LegSizes = { size: 0, restingBuy: 0, restingSell: 0, reduceBuy: 0, reduceSell: 0 };

/** Returns the account's sizes in the leg, excluding the order being replaced. */
function legSizes({ order, replaced }: OrderContext, holding: Holding | undefined): LegSizes {
  if (holding === undefined) return NOTHING;
  if (replaced === undefined) return holding;
  const { size, restingBuy, restingSell, reduceBuy, reduceSell } = holding;
  const left = { size, restingBuy, restingSell, reduceBuy, reduceSell };
  if (order.reduceOnly) left[order.isBuy ? 'reduceBuy' : 'reduceSell'] -= replaced.remaining;
  else left[order.isBuy ? 'restingBuy' : 'restingSell'] -= replaced.remaining;
  return left;
}

export function raisesExposure(context: OrderContext, holding: Holding | undefined): boolean {
  if (context.order.reduceOnly) return false;
  return exposureWith(context, holding) > currentExposure(holding);
}

/**
 * Returns the worst-case exposure of the position and the resting orders, including one that is
 * being replaced.
 */
function currentExposure(holding: Holding | undefined): number {
  return holding === undefined ? 0 : exposure(holding);
}

function exposure({ restingBuy, restingSell, size }: LegSizes): number {
  return worstCase(size, restingBuy, restingSell);
}

export function exposureWith(context: OrderContext, holding: Holding | undefined): number {
  const { order } = context;
  const { restingBuy, restingSell, size } = legSizes(context, holding);
  const buys = restingBuy + (order.isBuy ? order.size : 0);
  const sells = restingSell + (order.isBuy ? 0 : order.size);
  return worstCase(size, buys, sells);
}
