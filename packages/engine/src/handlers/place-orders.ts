import { isWorth } from '@oddlot/units';
import type { CommandResult } from '../messages/block.ts';
import type { OrderRequest, PlaceOrdersCommand } from '../messages/command.ts';
import { isOutcomeId, marketKind } from '../messages/limits.ts';
import type { BuilderDrop, EntryResult } from '../messages/order-result.ts';
import { checkPlaceOutcomeOrders, placeOutcomeOrders } from '../outcome/place-outcome-orders.ts';
import { validateOrder } from '../perp-orders/validate-order.ts';
import { checkRepeat } from '../resting/order-request.ts';
import { judgeBuilder, withAcceptedBuilder } from '../resting/order-builder.ts';
import { type Account, holdingKey, legOf } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import {
  checkGrouping,
  placeFamily,
  placeOnPosition,
  placeOrder,
} from '../triggers/place-group.ts';
import { isTrigger, validateTrigger } from '../triggers/validate-trigger.ts';

/** Executes the orders of one action, each on its own: one that fails does not stop the others. */
export function placeOrders(
  execution: Execution,
  account: Account,
  command: PlaceOrdersCommand,
): CommandResult {
  const { address } = account;
  const drop = builderDrop(execution.state, account, command);
  if (isOutcomeAction(command)) {
    const asked = { ...command, orders: ordersOf(command) };
    return withDrop(placeOutcomeOrders(execution, account, asked), drop);
  }
  const reject = checkGrouping(command);
  if (reject !== undefined) return { account: address, reject };
  const entries = placeGrouped(execution, account, command);
  return withDrop({ account: address, entries }, drop);
}

function placeGrouped(
  execution: Execution,
  account: Account,
  command: PlaceOrdersCommand,
): EntryResult[] {
  const orders = ordersOf(command);
  switch (command.grouping ?? 'none') {
    case 'none':
      return placeEach(execution, account, orders);
    case 'normal':
      return placeFamily(execution, account, orders);
    case 'position':
      return placeOnPosition(execution, account, orders);
  }
}

/** R-sizes: what admission saw of a position decides whether an order closes all of it, too. */
function placeEach(
  execution: Execution,
  account: Account,
  orders: readonly OrderRequest[],
): EntryResult[] {
  const [only] = orders;
  if (only !== undefined && orders.length === 1)
    return [placeOrder(execution, account, only).entry];
  const held = heldAtStart(execution.state, account, orders);
  const entries: EntryResult[] = [];
  for (const order of orders) {
    entries.push(placeOrder(execution, account, order, held?.[entries.length]).entry);
  }
  return entries;
}

/** The positions of the orders' legs; undefined when each of them is worth enough without one. */
function heldAtStart(
  state: State,
  account: Account,
  orders: readonly OrderRequest[],
): readonly number[] | undefined {
  for (const order of orders) {
    if (mayBeSmall(state, order)) return orders.map((each) => heldIn(account, each));
  }
  return undefined;
}

/** False of an order that is worth enough, whatever position it closes. */
function mayBeSmall(state: State, { price, size, timeInForce }: OrderRequest): boolean {
  return (
    timeInForce === 'market' || !isWorth(price, size, parametersOf(state).minOrderValueMicroUsdc)
  );
}

/** The orders of an action, each with the action's builder when it asks for a fee. */
function ordersOf({ builder, orders }: PlaceOrdersCommand): readonly OrderRequest[] {
  if (builder === undefined || builder.feeTenthsBp === 0) return orders;
  return orders.map((order) => ({ ...order, builder }));
}

/** R-builder: why the action's builder would not be paid now, for the first order that it fails. */
function builderDrop(
  state: State,
  account: Account,
  { builder, orders }: PlaceOrdersCommand,
): BuilderDrop | undefined {
  if (builder === undefined) return undefined;
  for (const { instrumentId } of orders) {
    const drop = judgeBuilder(state, account, builder, marketKind(instrumentId));
    if (drop !== undefined) return drop;
  }
  return undefined;
}

/** Judges a whole action before it enters the log: the first order that would surely fail. */
export function checkPlaceOrders(
  state: State,
  account: Account,
  command: PlaceOrdersCommand,
  nowMs: number,
): CommandResult {
  if (isOutcomeAction(command)) {
    const asked = { ...command, orders: ordersOf(command) };
    const judged = checkPlaceOutcomeOrders(state, account, asked, nowMs);
    return withDrop(judged, builderDrop(state, account, command));
  }
  const ungrouped = checkGrouping(command);
  if (ungrouped !== undefined) return { account: account.address, reject: ungrouped };
  const { grouping = 'none' } = command;
  const orders = ordersOf(command);
  let mayFreeMargin = false;
  const clientOrderIds = new Set<string>();
  for (const [index, asked] of orders.entries()) {
    const order = withAcceptedBuilder(state, account, asked);
    const context = { state, account, order, timeMs: nowMs };
    const reject =
      (isTrigger(order)
        ? validateTrigger({ ...context, order }, grouping, orders.slice(0, index))
        : validateOrder(context, { margin: !mayFreeMargin })) ?? checkRepeat(clientOrderIds, order);
    if (reject !== undefined) return { account: account.address, reject, rejectIndex: index };
    mayFreeMargin ||= !isTrigger(order) && reducesPosition(account, order);
  }
  return withDrop({ account: account.address }, builderDrop(state, account, command));
}

/** A refusal of the whole action says nothing about its builder. */
function withDrop(outcome: CommandResult, drop: BuilderDrop | undefined): CommandResult {
  const isTold = drop !== undefined && outcome.reject === undefined;
  return isTold ? { ...outcome, builderDrop: drop } : outcome;
}

/** The orders of one action belong to one exchange; the wire sees to it. */
function isOutcomeAction({ orders }: PlaceOrdersCommand): boolean {
  return orders[0] !== undefined && isOutcomeId(orders[0].instrumentId);
}

/** The position of an order's leg. */
function heldIn(account: Account, order: OrderRequest): number {
  const key = holdingKey(order.instrumentId, legOf(account, order));
  return account.holdings.get(key)?.size ?? 0;
}

function reducesPosition(account: Account, order: OrderRequest): boolean {
  const size = heldIn(account, order);
  return size !== 0 && order.isBuy !== size > 0;
}
