import { present } from '@oddlot/units';
import { readSlot } from '../book/order-pool.ts';
import type { State } from '../state/state.ts';
import {
  NO_RESERVE,
  orderIdsOf,
  type Resting,
  restingAt,
  type StoredOrders,
} from './dump-orders.ts';

/**
 * Orders that rest as columns, for snapshots: a million of them as rows would be a million lists, and as
 * text three times as long. In blocks, so that nobody has to make or read all of them at once.
 */

type NumberName = Exclude<keyof Resting, 'clientOrderId' | 'reserve'>;

/** Of the plain rows those that are numbers, by the same names; of the two texts those that say something. */
export type OrderBlock = { readonly [Name in NumberName]: Column } & {
  readonly clientOrderIds: readonly (readonly [row: number, clientOrderId: string])[];
  readonly reserves: readonly (readonly [row: number, reserve: string])[];
};

const NUMBER_NAMES: readonly NumberName[] = [
  'orderId',
  'accountIndex',
  'instrument',
  'flags',
  'tif',
  'price',
  'remaining',
  'original',
  'filledNotional',
  'acceptedMs',
  'rank',
  'queueMs',
  'expireMs',
  'feeOverpaid',
  'takerOverpaid',
];

/** Orders of a block; the last one has those that are left. */
const BLOCK_ORDERS = 8_192;

/** By order id. Each block is made when it is asked for, of the state as it is then. */
export function dumpOrderBlocks(state: State, length = BLOCK_ORDERS): Iterable<OrderBlock> {
  return { [Symbol.iterator]: () => blocksOf(state, length) };
}

function* blocksOf(state: State, length: number): Generator<OrderBlock> {
  const ids = orderIdsOf(state);
  for (let from = 0; from < ids.length; from += length) {
    yield blockOf(state, ids.subarray(from, from + length));
  }
}

function blockOf(state: State, ids: Float64Array): OrderBlock {
  const wide = NUMBER_NAMES.map((name) => [name, new Float64Array(ids.length)] as const);
  const columns = Object.fromEntries(wide) as Record<NumberName, Float64Array>;
  const clientOrderIds: [number, string][] = [];
  const reserves: [number, string][] = [];
  for (let row = 0; row < ids.length; row += 1) {
    const order = restingAt(state, readSlot(ids, row));
    write(columns, row, order);
    if (order.clientOrderId !== null) clientOrderIds.push([row, order.clientOrderId]);
    if (order.reserve !== NO_RESERVE) reserves.push([row, order.reserve]);
  }
  const narrow = wide.map(([name, column]) => [name, narrowColumn(column)] as const);
  const numbers = Object.fromEntries(narrow) as Record<NumberName, Column>;
  return { ...numbers, clientOrderIds, reserves };
}

/** One by one: a loop over names takes twice as long. */
function write(columns: Record<NumberName, Float64Array>, row: number, order: Resting): void {
  columns.orderId[row] = order.orderId;
  columns.accountIndex[row] = order.accountIndex;
  columns.instrument[row] = order.instrument;
  columns.flags[row] = order.flags;
  columns.tif[row] = order.tif;
  columns.price[row] = order.price;
  columns.remaining[row] = order.remaining;
  columns.original[row] = order.original;
  columns.filledNotional[row] = order.filledNotional;
  columns.acceptedMs[row] = order.acceptedMs;
  columns.rank[row] = order.rank;
  columns.queueMs[row] = order.queueMs;
  columns.expireMs[row] = order.expireMs;
  columns.feeOverpaid[row] = order.feeOverpaid;
  columns.takerOverpaid[row] = order.takerOverpaid;
}

/** Orders of a packed dump, to be restored. */
export function ordersOfBlocks(all: Iterable<OrderBlock>): StoredOrders {
  const blocks = Array.from(all, readerOf);
  const length = blocks[0]?.count ?? BLOCK_ORDERS;
  const blockAt = (row: number): StoredOrders =>
    present(blocks[Math.floor(row / length)], 'a block of orders');
  return {
    count: blocks.reduce((sum, { count }) => sum + count, 0),
    rankOf: (row) => blockAt(row).rankOf(row % length),
    at: (row) => blockAt(row).at(row % length),
  };
}

function readerOf(block: OrderBlock): StoredOrders {
  const wide = NUMBER_NAMES.map((name) => [name, new Float64Array(block[name])] as const);
  const columns = Object.fromEntries(wide) as Record<NumberName, Float64Array>;
  const clientOrderIds = new Map(block.clientOrderIds);
  const reserves = new Map(block.reserves);
  return {
    count: columns.orderId.length,
    rankOf: (row) => readSlot(columns.rank, row),
    at: (row) => ({
      orderId: readSlot(columns.orderId, row),
      accountIndex: readSlot(columns.accountIndex, row),
      instrument: readSlot(columns.instrument, row),
      flags: readSlot(columns.flags, row),
      tif: readSlot(columns.tif, row),
      price: readSlot(columns.price, row),
      remaining: readSlot(columns.remaining, row),
      original: readSlot(columns.original, row),
      filledNotional: readSlot(columns.filledNotional, row),
      acceptedMs: readSlot(columns.acceptedMs, row),
      rank: readSlot(columns.rank, row),
      queueMs: readSlot(columns.queueMs, row),
      expireMs: readSlot(columns.expireMs, row),
      feeOverpaid: readSlot(columns.feeOverpaid, row),
      clientOrderId: clientOrderIds.get(row) ?? null,
      reserve: reserves.get(row) ?? NO_RESERVE,
      takerOverpaid: readSlot(columns.takerOverpaid, row),
    }),
  };
}

/** Numbers of one kind, one after the other, in no more room than the largest of them needs. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** A copy in the narrowest form that holds each of them exactly. */
export function narrowColumn(values: Float64Array): Column {
  let max = 0;
  for (const value of values) {
    // What is negative or no whole number, -0 included, stays what it is.
    if (!Object.is(value >>> 0, value)) return values.slice();
    if (value > max) max = value;
  }
  if (max <= 0xff) return Uint8Array.from(values);
  if (max <= 0xffff) return Uint16Array.from(values);
  return Uint32Array.from(values);
}
