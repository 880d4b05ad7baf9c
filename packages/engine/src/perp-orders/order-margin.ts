import { addUsdc, feeAt, type MicroUsdc, microUsdc, type RateE8, ZERO_USDC } from '@oddlot/units';
import { accountTier } from '../ledger/account-tier.ts';
import { fillRate } from '../ledger/fill-rate.ts';
import type { Reject } from '../messages/reject.ts';
import { judgedCrossValue } from '../perp/blind.ts';
import { freeInCross } from '../perp/doors.ts';
import { isolatedReserve } from '../perp/isolated.ts';
import { cappedLeverage, initialMargin } from '../perp/margin.ts';
import { withBuilderRate } from '../resting/order-builder.ts';
import { type Account, type Holding, leverageOf, leverageUnset, legOf } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import {
  currentExposure,
  exposure,
  exposureWith,
  type OrderContext,
  standing,
} from './order-exposure.ts';

/**
 * R-initial: what the order's scope brings covers the initial margin with this order and its
 * worst-case fees. An order that does not raise the worst-case exposure is always admitted.
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
  const available = judgedCrossValue(state, account);
  const part = initialMargin(perp, largest, orderLeverage(context, perp, false));
  const others = account.margin.initial - (holding?.initial ?? 0n);
  const required = microUsdc(others + part + worstCaseFee(context, perp));
  return available >= required ? undefined : { reason: 'marginInsufficient', required, available };
}

/** An amend to a worse price holds back more, although it opens no more (R-isolated). */
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

/** What an isolated order that raises the exposure has to set aside; zero for any other. */
export function orderReserve(
  context: OrderContext,
  perp: Perp,
  holding: Holding | undefined,
): MicroUsdc {
  const { order } = context;
  if (!willBeIsolated(context, perp) || order.reduceOnly) return ZERO_USDC;
  const largest = exposureWith(context, holding);
  const size = largest - exposure(standing(context, holding));
  if (size <= 0) return ZERO_USDC;
  const leverage = cappedLeverage(perp, largest, orderLeverage(context, perp, true));
  return isolatedReserve(perp, order, { size, leverage }, worstCaseRate(context, perp));
}

/** Taker and builder fee on the whole size at the limit price. */
function worstCaseFee(context: OrderContext, perp: Perp): MicroUsdc {
  const { order } = context;
  return feeAt(order.price, order.size, worstCaseRate(context, perp));
}

function worstCaseRate({ state, account, order }: OrderContext, perp: Perp): RateE8 {
  const takerRate = fillRate(accountTier(state, account), perp.definition, 'taker');
  return withBuilderRate(takerRate, order);
}

/** The instrument's current mode for an account. */
export function isIsolated(account: Account, perp: Perp): boolean {
  const settings = account.settings.get(perp.definition.instrumentId);
  return settings?.isIsolated ?? perp.definition.onlyIsolated;
}
