import { type Account, holdingKey, legOf } from '../account.ts';
import type { CommandOutcome } from '../block.ts';
import { clientOrderKey } from '../client-order-id.ts';
import type { OrderRequest, PlaceOrdersCommand } from '../command.ts';
import type { Execution } from '../execution.ts';
import { validateOrder } from '../orders/validate-order.ts';
import type { Reject } from '../reject.ts';
import type { State } from '../state.ts';
import { checkGrouping } from '../triggers/check-grouping.ts';
import { placeFamily, placeOnPosition, placeOrder } from '../triggers/place-group.ts';
import { isTrigger, validateTrigger } from '../triggers/validate-trigger.ts';

/** Executes the orders of one action, each on its own: one that fails does not stop the others. */
export function placeOrders(
  execution: Execution,
  account: Account,
  command: PlaceOrdersCommand,
): CommandOutcome {
  const { address } = account;
  const reject = checkGrouping(command);
  if (reject !== undefined) return { account: address, reject };
  const { grouping = 'none', orders } = command;
  switch (grouping) {
    case 'none':
      return {
        account: address,
        entries: orders.map((order) => placeOrder(execution, account, order).entry),
      };
    case 'normal':
      return { account: address, entries: placeFamily(execution, account, orders) };
    case 'position':
      return { account: address, entries: placeOnPosition(execution, account, orders) };
  }
}

/** Judges a whole action before it enters the log: the first order that would surely fail. */
export function checkPlaceOrders(
  state: State,
  account: Account,
  command: PlaceOrdersCommand,
  nowMs: number,
): CommandOutcome {
  const ungrouped = checkGrouping(command);
  if (ungrouped !== undefined) return { account: account.address, reject: ungrouped };
  const { grouping = 'none', orders } = command;
  let mayFreeMargin = false;
  const clientOrderIds = new Set<string>();
  for (const [index, order] of orders.entries()) {
    const context = { state, account, order, timeMs: nowMs };
    const reject =
      (isTrigger(order)
        ? validateTrigger({ ...context, order }, grouping, orders.slice(0, index))
        : validateOrder(context, { margin: !mayFreeMargin })) ?? checkRepeat(clientOrderIds, order);
    if (reject !== undefined) return { account: account.address, reject, rejectIndex: index };
    mayFreeMargin ||= !isTrigger(order) && reducesPosition(account, order);
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
  const key = holdingKey(order.instrumentId, legOf(account, order));
  const size = account.holdings.get(key)?.size ?? 0;
  return size !== 0 && order.isBuy !== size > 0;
}
