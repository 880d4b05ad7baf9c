import type { OrderUpdate } from '@oddlot/protocol';
import { formatDecimal, parseExact } from '@oddlot/units';
import { HttpError } from '../errors.ts';
import type { InfoClient } from '../info/create-info.ts';
import type { StreamsClient } from '../streams/create-streams.ts';
import type { Subscription } from '../streams/subscription.ts';

/** An account's order, identified by its order id or its client order id. */
export type OrderName = { readonly user: string } & (
  | { readonly oid: number }
  | { readonly cloid: string }
);

/** The final state of an order. */
export type OrderEnd = {
  readonly oid: number;
  readonly status: 'filled' | 'cancelled' | 'rejected';
  readonly filledSz: string;
  readonly avgPx: string | null;
};

/**
 * Waits until a perp order has ended and returns its final state. An order that ended earlier is
 * found in the history.
 *
 * @throws HttpError if the order is still live after `timeoutMs` or was never reported; the abort
 * reason of the signal
 */
export async function waitForOrder(
  { info, streams }: { readonly info: InfoClient; readonly streams: StreamsClient },
  name: OrderName,
  { timeoutMs = 60_000, signal }: WaitForOrderOptions = {},
): Promise<OrderEnd> {
  const stream = streams.orderUpdates({ user: name.user });
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    stream.close();
  };
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    const end = await endOf(stream, info, name);
    if (end !== undefined) return end;
  } catch (error) {
    if (!isOver) throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    stream.close();
  }
  signal?.throwIfAborted();
  throw new HttpError(`The order is still open, or was never seen, after ${timeoutMs} ms`);
}

/** Options for `waitForOrder`. */
export type WaitForOrderOptions = {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

async function endOf(
  stream: Subscription<OrderUpdate[]>,
  info: InfoClient,
  name: OrderName,
): Promise<OrderEnd | undefined> {
  // Events are buffered from this point, so none is missed while the history is queried.
  await stream.ready;
  const before = await inHistory(info, name);
  if (before !== undefined) return before;
  for await (const event of stream) {
    if (event.type === 'reset') {
      const meanwhile = await inHistory(info, name);
      if (meanwhile !== undefined) return meanwhile;
      continue;
    }
    const update = event.data.findLast(({ order }) => isNamed(order, name));
    if (update === undefined || update.status === 'open') continue;
    const { oid, filledSz, avgPx } = update.order;
    return { oid, status: update.status, filledSz, avgPx };
  }
  return undefined;
}

async function inHistory(info: InfoClient, name: OrderName): Promise<OrderEnd | undefined> {
  for await (const { order, status } of info.allHistoricalOrders({ user: name.user })) {
    if (!isNamed(order, name)) continue;
    if (status === 'filled' || status === 'cancelled' || status === 'rejected') {
      const { avgFillPrice: avgPx, oid, origSz, sz } = order;
      return { oid, status, filledSz: difference(origSz, sz), avgPx };
    }
    return undefined;
  }
  return undefined;
}

/** Returns the exact difference between two sizes. */
function difference(whole: string, rest: string): string {
  const units = (parseExact(whole, SIZE_DECIMALS) ?? 0n) - (parseExact(rest, SIZE_DECIMALS) ?? 0n);
  return formatDecimal(units, SIZE_DECIMALS);
}

/** The maximum number of decimals, more than any size has. */
const SIZE_DECIMALS = 8;

function isNamed(
  order: { readonly oid: number; readonly cloid?: string | null | undefined },
  name: OrderName,
): boolean {
  return 'oid' in name ? order.oid === name.oid : order.cloid === name.cloid;
}
