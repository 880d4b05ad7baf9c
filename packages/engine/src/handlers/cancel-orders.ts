import { NONE } from '../book/order-pool.ts';
import { readSlotInt } from '../book/read-slot.ts';
import type { CommandResult } from '../messages/block.ts';
import { clientOrderKey } from '../messages/client-order-key.ts';
import type { CancelByClientIdCommand, CancelOrdersCommand } from '../messages/command.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import type { EntryResult } from '../messages/order-result.ts';
import { cancelOrder } from '../orders/cancel-order.ts';
import { cancelTrigger } from '../perp-orders/end-order.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** Cancels by order id. Every entry is tried; one that fails does not stop the others. */
export function cancelOrders(
  execution: Execution,
  account: Account,
  command: CancelOrdersCommand,
): CommandResult {
  const entries: EntryResult[] = [];
  for (const { instrumentId, orderId } of command.cancels) {
    entries.push(cancelOne(execution, account, instrumentId, orderId, undefined));
  }
  return { account: account.address, entries };
}

/** Cancels by the client's own ids. */
export function cancelByClientId(
  execution: Execution,
  account: Account,
  command: CancelByClientIdCommand,
): CommandResult {
  const refused = checkCancelByClientId(execution.state, account, command);
  if (refused !== undefined) return refused;
  const entries = command.cancels.map(({ instrumentId, clientOrderId }) => {
    const orderId = orderIdOf(account, clientOrderId);
    if (orderId !== undefined && orderId < 0) return queuedEntry(clientOrderId);
    return cancelOne(execution, account, instrumentId, orderId, clientOrderId);
  });
  return { account: account.address, entries };
}

/** R-delay: an action that names nothing but queued orders cannot do anything. */
export function checkCancelByClientId(
  _state: State,
  account: Account,
  { cancels }: CancelByClientIdCommand,
): CommandResult | undefined {
  const areAllQueued = cancels.every(({ clientOrderId }) => {
    const orderId = orderIdOf(account, clientOrderId);
    return orderId !== undefined && orderId < 0;
  });
  if (!areAllQueued) return undefined;
  return { account: account.address, reject: { reason: 'orderQueued' }, rejectIndex: 0 };
}

/** Negative while the order waits in the delay queue. */
function orderIdOf(account: Account, clientOrderId: string): number | undefined {
  const key = clientOrderKey(clientOrderId);
  return key === undefined ? undefined : account.clientOrders.get(key);
}

/** An order in the delay queue can't be cancelled before it is released, and lives on (R-delay). */
function queuedEntry(clientOrderId: string): EntryResult {
  const reject = { reason: 'orderQueued' } as const;
  const orderId = undefined;
  return { orderId, clientOrderId, state: 'open', filled: 0, filledNotional: 0, reject };
}

function cancelOne(
  execution: Execution,
  account: Account,
  instrumentId: CancelOrdersCommand['cancels'][number]['instrumentId'],
  orderId: number | undefined,
  clientOrderId: string | undefined,
): EntryResult {
  const order =
    orderId === undefined ? undefined : cancelOwn(execution, account, instrumentId, orderId);
  if (order !== undefined) return cancelledEntry(order);
  const reject = { reason: 'orderNotLive', instrumentId } as const;
  return { orderId, clientOrderId, state: 'rejected', filled: 0, filledNotional: 0, reject };
}

/** Cancels the account's own order, in the book or waiting for the mark; undefined when none is. */
function cancelOwn(
  execution: Execution,
  account: Account,
  instrumentId: number,
  orderId: number,
): OrderSnapshot | undefined {
  const { pool, triggers } = execution.state;
  const trigger = triggers.find(orderId);
  if (trigger !== undefined) {
    const isOwn =
      trigger.accountIndex === account.index && trigger.request.instrumentId === instrumentId;
    return isOwn ? cancelTrigger(execution, trigger, 'userCanceled') : undefined;
  }
  const slot = pool.find(orderId);
  const isOwn =
    slot !== NONE &&
    readSlotInt(pool.account, slot) === account.index &&
    readSlotInt(pool.instrument, slot) === instrumentId;
  return isOwn ? cancelOrder(execution, slot, 'userCanceled') : undefined;
}

/** How the cancel of an order went. */
export function cancelledEntry(order: OrderSnapshot): EntryResult {
  const { clientOrderId, filled, filledNotional, orderId } = order;
  return { orderId, clientOrderId, state: 'cancelled', filled, filledNotional };
}
