import { NONE, readSlotInt } from '../book/order-pool.ts';
import type { CommandResult } from '../messages/block.ts';
import { clientOrderKey } from '../messages/commands/orders.ts';
import type {
  CancelAllCommand,
  CancelByClientIdCommand,
  CancelOrdersCommand,
  ScheduleCancelCommand,
} from '../messages/command.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import type { EntryResult } from '../messages/order-result.ts';
import { cancelMany, cancelOrder } from '../orders/cancel-orders.ts';
import { cancelTrigger } from '../perp-orders/end-order.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { isOutcomeId, LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';

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
function cancelledEntry(order: OrderSnapshot): EntryResult {
  const { clientOrderId, filled, filledNotional, orderId } = order;
  return { orderId, clientOrderId, state: 'cancelled', filled, filledNotional };
}

/** Cancels every resting and waiting order in scope; nothing to cancel is a success. */
export function cancelAll(
  execution: Execution,
  account: Account,
  { instrumentId, subAccount }: CancelAllCommand,
): CommandResult {
  const isInScope = (id: number): boolean => {
    const isOfSubAccount =
      subAccount === undefined || (subAccount === 'outcome') === isOutcomeId(id);
    return isOfSubAccount && (instrumentId === undefined || instrumentId === id);
  };
  const cancelled = cancelMany(execution, account, 'userCanceled', {
    resting: (order) => isInScope(order.instrumentId),
    waiting: ({ request }) => isInScope(request.instrumentId),
  });
  return { account: account.address, entries: cancelled.map(cancelledEntry) };
}

/** Sets the dead man's switch to a time, or takes it away. */
export function scheduleCancel(
  execution: Execution,
  account: Account,
  command: ScheduleCancelCommand,
): CommandResult {
  const { state } = execution;
  const reject = checkScheduleCancel(state, account, command, state.timeMs);
  if (reject !== undefined) return { account: account.address, reject };
  if (command.atMs === undefined) state.schedules.remove(account.index);
  else state.schedules.set(account.index, command.atMs);
  state.digest.word(account.index);
  state.digest.number(command.atMs ?? 0);
  return { account: account.address };
}

/** Judges a schedule: far enough ahead, or none at all. */
export function checkScheduleCancel(
  _state: State,
  _account: Account,
  { atMs }: ScheduleCancelCommand,
  nowMs: number,
): Reject | undefined {
  const minMs = nowMs + LIMITS.scheduleAheadMs;
  return atMs !== undefined && atMs < minMs ? { reason: 'scheduleTooSoon', minMs } : undefined;
}
