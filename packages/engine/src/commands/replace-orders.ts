import type { CommandResult } from '../messages/block.ts';
import type { OrderRequest, OrderTarget, PlaceOrdersCommand } from '../messages/command.ts';
import type { EntryResult } from '../messages/event.ts';
import { isOutcomeId } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { cancelOwn, isOwnLive, orderIdOf } from '../orders/cancel-orders.ts';
import {
  checkInstrument,
  checkPrice,
  checkSize,
  checkValue,
} from '../perp-orders/validate-order.ts';
import { checkPriceBand, clamped } from '../perp/price-band.ts';
import { type Account, holdingKey, legOf } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { placeOrder } from '../triggers/place-order.ts';
import { asFired, isTrigger } from '../triggers/validate-trigger.ts';

/** Rejects a command whose replacements are not independent perp orders (R-replace). */
export function replacementFault(command: PlaceOrdersCommand): Reject | undefined {
  const { grouping = 'none', orders, replaces } = command;
  if (replaces === undefined) return undefined;
  const isPerps = orders.every(({ instrumentId }) => !isOutcomeId(instrumentId));
  if (isPerps && grouping === 'none' && replaces.length === orders.length) return undefined;
  return { reason: 'groupingInvalid', why: 'each replacement is an independent order for a perp' };
}

/**
 * Checks replacements at admission. If none of an action's replacements would succeed, the action
 * is rejected with the first replacement's reason. An order that has filled in the meantime does
 * not affect the others.
 */
export function checkReplacements(
  state: State,
  account: Account,
  { orders, replaces = [] }: PlaceOrdersCommand,
  nowMs: number,
): CommandResult {
  let first: Reject | undefined;
  for (const [index, order] of orders.entries()) {
    const { instrumentId } = order;
    const isLive = isOwnLive(state, account, instrumentId, targetIdOf(account, replaces[index]));
    const reject =
      orderFault(state, account, order, nowMs) ??
      (isLive ? undefined : ({ reason: 'orderNotLive', instrumentId } as const));
    if (reject === undefined) return { account: account.address };
    first ??= reject;
  }
  return first === undefined
    ? { account: account.address }
    : { account: account.address, reject: first, rejectIndex: 0 };
}

/**
 * Cancels each replaced order before it places the replacement. The replacement can therefore use
 * the margin, the client order id and the share of the position that the old order used. A
 * replacement that is itself invalid leaves the old order unchanged.
 */
export function replaceOrders(
  execution: Execution,
  account: Account,
  orders: readonly OrderRequest[],
  replaces: readonly OrderTarget[],
): EntryResult[] {
  const { state } = execution;
  return orders.map((order, index) => {
    const { clientOrderId, instrumentId } = order;
    const orderId = targetIdOf(account, replaces[index]);
    const fault = orderFault(state, account, order, state.timeMs);
    const replaced =
      fault === undefined && orderId !== undefined
        ? cancelOwn(execution, account, instrumentId, orderId)
        : undefined;
    if (replaced !== undefined) return placeOrder(execution, account, order).entry;
    const reject = fault ?? { reason: 'orderNotLive', instrumentId };
    const none = { orderId: undefined, clientOrderId, filled: 0, filledNotional: 0 };
    return { ...none, state: 'rejected', reject };
  });
}

/** Returns the reason why an order cannot be placed, regardless of the order it replaces. */
function orderFault(
  state: State,
  account: Account,
  sent: OrderRequest,
  nowMs: number,
): Reject | undefined {
  const { instrumentId } = sent;
  const perp = state.perps.get(instrumentId);
  if (perp === undefined) return { reason: 'instrumentUnknown', instrumentId };
  const order = isTrigger(sent) ? asFired(sent) : sent;
  const context = { state, account, order, timeMs: nowMs };
  const holding = account.holdings.get(holdingKey(instrumentId, legOf(account, order)));
  return (
    checkInstrument(context, perp, holding) ??
    checkSize(context, perp) ??
    checkPrice(context, perp) ??
    (isTrigger(sent) ? undefined : checkPriceBand(perp, clamped(state, perp, sent))) ??
    checkValue(context, holding)
  );
}

function targetIdOf(account: Account, target: OrderTarget | undefined): number | undefined {
  if (target === undefined) return undefined;
  return 'orderId' in target ? target.orderId : orderIdOf(account, target.clientOrderId);
}
