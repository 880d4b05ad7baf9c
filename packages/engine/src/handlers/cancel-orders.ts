import type { Account } from '../account.ts';
import type { CommandOutcome, EntryOutcome } from '../block.ts';
import { NONE } from '../book/order-pool.ts';
import { clientOrderKey } from '../client-order-id.ts';
import type { CancelByClientIdCommand, CancelOrdersCommand } from '../command.ts';
import type { Execution } from '../execution.ts';
import { read } from '../orders/order-snapshot.ts';
import { cancelOrder } from '../orders/resting.ts';

/** Cancels by order id. Every entry is tried; one that fails does not stop the others. */
export function cancelOrders(
  execution: Execution,
  account: Account,
  command: CancelOrdersCommand,
): CommandOutcome {
  const entries = command.cancels.map(({ instrumentId, orderId }) =>
    cancelOne(execution, account, instrumentId, orderId, undefined),
  );
  return { account: account.address, entries };
}

/** Cancels by the client's own ids. */
export function cancelByClientId(
  execution: Execution,
  account: Account,
  command: CancelByClientIdCommand,
): CommandOutcome {
  const entries = command.cancels.map(({ instrumentId, clientOrderId }) => {
    const key = clientOrderKey(clientOrderId);
    const orderId = key === undefined ? undefined : account.clientOrders.get(key);
    return cancelOne(execution, account, instrumentId, orderId, clientOrderId);
  });
  return { account: account.address, entries };
}

function cancelOne(
  execution: Execution,
  account: Account,
  instrumentId: CancelOrdersCommand['cancels'][number]['instrumentId'],
  orderId: number | undefined,
  clientOrderId: string | undefined,
): EntryOutcome {
  const { pool } = execution.state;
  const slot = orderId === undefined ? NONE : pool.find(orderId);
  const isOwn =
    slot !== NONE &&
    read(pool.account, slot) === account.index &&
    read(pool.instrument, slot) === instrumentId;
  if (!isOwn) {
    const reject = { reason: 'orderNotLive', instrumentId } as const;
    return { orderId, clientOrderId, state: 'rejected', filled: 0, filledNotional: 0, reject };
  }
  const order = cancelOrder(execution, slot, 'userCanceled');
  return {
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    state: 'cancelled',
    filled: order.filled,
    filledNotional: order.filledNotional,
  };
}
