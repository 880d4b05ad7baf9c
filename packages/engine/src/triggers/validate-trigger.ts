import type { Grouping, OrderRequest, TriggerRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import type { OrderContext } from '../perp-orders/order-margin.ts';
import {
  checkInstrument,
  checkMarginMode,
  checkPrice,
  checkSize,
  checkValue,
} from '../perp-orders/validate-order.ts';
import { checkClientOrderId } from '../order-common/order-request.ts';
import { type Holding, holdingKey, legOf } from '../state/account.ts';
import type { Perp } from '../state/perp.ts';

export type TriggerOrderRequest = OrderRequest & { readonly trigger: TriggerRequest };

export function isTrigger(order: OrderRequest): order is TriggerOrderRequest {
  return order.trigger !== undefined;
}

/** Returns the order as it will be when it fires, whatever time in force the client sent. */
export function asFired(order: TriggerOrderRequest): TriggerOrderRequest {
  const { expireMs: _, ...request } = order;
  return { ...request, timeInForce: order.trigger.isMarket ? 'market' : 'gtc' };
}

/**
 * Checks a trigger order when it is placed, in the same sequence as other orders. The band,
 * reduce-only and the margin are checked when it fires. An order attached to a position requires
 * that position. `earlier` lists waiting orders from the same action.
 */
export function validateTrigger(
  context: OrderContext & { readonly order: TriggerOrderRequest },
  grouping: Grouping,
  earlier: readonly OrderRequest[] = [],
): Reject | undefined {
  const { account, order: sent, state } = context;
  const { instrumentId } = sent;
  const perp = state.perps.get(instrumentId);
  if (perp === undefined) return { reason: 'instrumentUnknown', instrumentId };
  const holding = account.holdings.get(holdingKey(instrumentId, legOf(account, sent)));
  const order = asFired(sent);
  const judged = { ...context, order };
  const isWhole = grouping === 'position' && order.size === 0;
  return (
    checkInstrument(judged, perp, holding) ??
    checkSize(judged, perp, grouping === 'position' ? 0 : 1) ??
    checkPrice(judged, perp) ??
    checkTriggerPrice(order, perp) ??
    (isWhole ? undefined : checkValue(judged, holding)) ??
    checkMarginMode(judged, perp) ??
    checkClientOrderId(judged) ??
    checkCount(judged, earlier) ??
    (grouping === 'position' ? checkPosition(order, holding) : undefined)
  );
}

/**
 * Checks the trigger price, which must be on the tick but is not subject to a band, because it is
 * not a trading price.
 */
function checkTriggerPrice(order: TriggerOrderRequest, perp: Perp): Reject | undefined {
  const { instrumentId } = order;
  const { price, priceInexact } = order.trigger;
  if (price < 0 || (price === 0 && priceInexact !== true)) {
    return { reason: 'priceOutOfRange', instrumentId };
  }
  if (priceInexact === true || price % perp.definition.priceTick !== 0) {
    return { reason: 'priceOffTick', instrumentId };
  }
  return price > LIMITS.priceMax ? { reason: 'priceOutOfRange', instrumentId } : undefined;
}

/** Checks an account's limit on waiting orders, in total and per instrument (R-limits-of-state). */
function checkCount(
  { account, order, state }: OrderContext,
  earlier: readonly OrderRequest[],
): Reject | undefined {
  const { triggersPerAccount, triggersPerInstrument } = LIMITS;
  const waiting = earlier.filter(isTrigger);
  if (state.triggers.countOf(account.index) + waiting.length >= triggersPerAccount) {
    return { reason: 'triggersFull', max: triggersPerAccount };
  }
  let here = waiting.filter(({ instrumentId }) => instrumentId === order.instrumentId).length;
  for (const { request } of state.triggers.ofAccount(account.index)) {
    if (request.instrumentId === order.instrumentId) here += 1;
  }
  return here >= triggersPerInstrument
    ? { reason: 'triggersFull', max: triggersPerInstrument }
    : undefined;
}

function checkPosition(
  order: TriggerOrderRequest,
  holding: Holding | undefined,
): Reject | undefined {
  const size = holding?.size ?? 0;
  const reduces = size !== 0 && order.isBuy !== size > 0;
  return reduces ? undefined : { reason: 'reduceOnlyIncreases' };
}
