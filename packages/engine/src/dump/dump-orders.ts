import { addUsdc, assert, present, usdcFromText, ZERO_USDC } from '@oddlot/units';
import {
  LEG_SHORT,
  NONE,
  readSlot,
  readSlotInt,
  REDUCE_ONLY,
  SIDE_BUY,
} from '../book/order-pool.ts';
import { sortNumbers } from '../collections/sorting.ts';
import { clientOrderKey } from '../messages/command.ts';
import { isOutcomeId } from '../messages/limits.ts';
import { addResting } from '../perp-orders/rest-order.ts';
import { holdingKey } from '../state/account.ts';
import type { State } from '../state/state.ts';

const NO_RESERVE = '0';

/** A resting order on either exchange, with fields named after its columns. */
type Resting = ReturnType<typeof restingAt>;

const COLUMNS = [
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
  'clientOrderId',
  'reserve',
  'takerOverpaid',
] as const satisfies readonly (keyof Resting)[];

type OrderRow = RowOf<typeof COLUMNS>;
type RowOf<Names extends readonly (keyof Resting)[]> = {
  readonly [At in keyof Names]: Resting[Names[At]];
};

function rowOf(order: Resting): OrderRow {
  return COLUMNS.map((name) => order[name]) as unknown as OrderRow;
}

export function restingOf(row: OrderRow): Resting {
  return Object.fromEntries(COLUMNS.map((name, at) => [name, row[at]])) as Resting;
}

/** A dump's orders, in rows or columns, read one at a time. */
type StoredOrders = {
  readonly count: number;
  rankOf(row: number): number;
  at(row: number): Resting;
};

export function dumpOrders(state: State): OrderRow[] {
  return Array.from(orderIdsOf(state), (orderId) => rowOf(restingAt(state, orderId)));
}

function orderIdsOf(state: State): Float64Array {
  const { pool } = state;
  const ids = new Float64Array(pool.size);
  let count = 0;
  const visit = (slot: number): void => {
    ids[count++] = readSlot(pool.orderId, slot);
  };
  for (const id of state.perpIds) {
    const { book } = present(state.perps.get(id), 'a listed perp');
    book.forEachSlot(true, visit);
    book.forEachSlot(false, visit);
  }
  for (const id of state.outcomes.marketIds) {
    const { book } = present(state.outcomes.markets.get(id), 'a listed market');
    book.forEachSlot(true, visit);
    book.forEachSlot(false, visit);
  }
  assert(count === pool.size, 'dump: every order of the pool is in a book');
  return sortNumbers(ids);
}

function restingAt(state: State, orderId: number) {
  const { pool } = state;
  const slot = slotOf(state, orderId);
  return {
    orderId,
    accountIndex: readSlotInt(pool.account, slot),
    instrument: readSlotInt(pool.instrument, slot),
    flags: readSlotInt(pool.flags, slot),
    tif: readSlotInt(pool.tif, slot),
    price: readSlot(pool.price, slot),
    remaining: readSlot(pool.remaining, slot),
    original: readSlot(pool.original, slot),
    filledNotional: readSlot(pool.filledNotional, slot),
    acceptedMs: readSlot(pool.acceptedMs, slot),
    rank: readSlot(pool.rank, slot),
    queueMs: readSlot(pool.queueMs, slot),
    expireMs: readSlot(pool.expireMs, slot),
    feeOverpaid: readSlot(pool.feeOverpaid, slot),
    clientOrderId: pool.clientOrderIds.get(slot) ?? null,
    reserve: state.reserves.get(orderId)?.toString() ?? NO_RESERVE,
    takerOverpaid: readSlot(pool.takerOverpaid, slot),
  };
}

export function ordersOfRows(rows: readonly OrderRow[]): StoredOrders {
  const at = (row: number): Resting => restingOf(present(rows[row], 'an order of the dump'));
  return { count: rows.length, at, rankOf: (row) => at(row).rank };
}

/**
 * Restores all resting orders. Ranks determine the order of the owners' lists; queue times and
 * ranks determine the order of the books.
 */
export function restoreOrders(state: State, orders: StoredOrders): void {
  const { count } = orders;
  state.pool.reserve(count);
  const ranks = new Float64Array(count);
  for (let row = 0; row < count; row += 1) ranks[row] = orders.rankOf(row);
  const slots = new Int32Array(count);
  const queueMs = new Float64Array(count);
  let restored = 0;
  for (const row of inOrderOf(ranks)) {
    const order = orders.at(row);
    queueMs[restored] = order.queueMs;
    slots[restored++] = restoreOrder(state, order);
  }
  for (const index of inOrderOf(queueMs)) {
    const slot = readSlotInt(slots, index);
    const instrument = readSlotInt(state.pool.instrument, slot);
    const { book } = present(
      state.perps.get(instrument) ?? state.outcomes.markets.get(instrument),
      'a listed instrument',
    );
    book.insert(slot, readSlot(queueMs, index));
  }
}

/** Returns the indices of the keys, in ascending order of the keys; equal keys keep their order. */
function inOrderOf(keys: Float64Array): Uint32Array {
  const places = new Uint32Array(keys.length);
  let isSorted = true;
  for (let place = 0; place < keys.length; place += 1) {
    places[place] = place;
    if (place > 0 && readSlot(keys, place) < readSlot(keys, place - 1)) isSorted = false;
  }
  // The loop above usually avoids the sort, because most dumps are already in order.
  return isSorted ? places : places.sort((a, b) => readSlot(keys, a) - readSlot(keys, b));
}

function slotOf({ pool }: State, orderId: number): number {
  const slot = pool.find(orderId);
  return present(slot === NONE ? undefined : slot, 'a resting order');
}

/** Restores everything about an order except its position in the book, and returns its slot. */
function restoreOrder(state: State, order: Resting): number {
  const { pool } = state;
  const { clientOrderId, expireMs, flags, instrument, orderId, remaining } = order;
  const slot = pool.allocate(orderId);
  pool.account[slot] = order.accountIndex;
  pool.instrument[slot] = instrument;
  pool.flags[slot] = flags;
  pool.tif[slot] = order.tif;
  pool.price[slot] = order.price;
  pool.remaining[slot] = remaining;
  pool.original[slot] = order.original;
  pool.filledNotional[slot] = order.filledNotional;
  pool.acceptedMs[slot] = order.acceptedMs;
  pool.rank[slot] = order.rank;
  pool.expireMs[slot] = expireMs;
  pool.feeOverpaid[slot] = order.feeOverpaid;
  pool.takerOverpaid[slot] = order.takerOverpaid;
  const account = present(state.accounts[order.accountIndex], 'the owner of an order');
  const reserve = order.reserve === NO_RESERVE ? ZERO_USDC : usdcFromText(order.reserve);
  if (reserve > 0n) state.reserves.set(orderId, reserve);
  account.liveOrders += 1;
  if (isOutcomeId(instrument)) {
    const place = present(account.outcomes.get(instrument), 'a holding behind an order');
    pool.ownAppend(place.orders, slot);
    account.orderLists.add(place.orders);
  } else {
    const key = holdingKey(instrument, (flags & LEG_SHORT) !== 0 ? 1 : 0);
    const holding = present(account.holdings.get(key), 'a holding behind an order');
    holding.reserved = addUsdc(holding.reserved, reserve);
    pool.ownAppend(holding.orders, slot);
    account.orderLists.add(holding.orders);
    addResting(holding, (flags & SIDE_BUY) !== 0, (flags & REDUCE_ONLY) !== 0, remaining);
  }
  if (clientOrderId !== null) {
    pool.clientOrderIds.set(slot, clientOrderId);
    const clientKey = present(clientOrderKey(clientOrderId), 'a valid client order id');
    account.clientOrders.set(clientKey, orderId);
  }
  if (expireMs > 0) state.expiries.push(expireMs, orderId);
  return slot;
}

type NumberName = Exclude<keyof Resting, 'clientOrderId' | 'reserve'>;

/**
 * A block of resting orders as columns, for snapshots. A million rows would mean a million arrays
 * and three times as much JSON. Orders are divided into blocks, so that no single step has to write
 * or read all of them. The two string columns have entries only for orders that have a value.
 */
export type OrderBlock = { readonly [Name in NumberName]: Column } & {
  readonly clientOrderIds: readonly (readonly [row: number, clientOrderId: string])[];
  readonly reserves: readonly (readonly [row: number, reserve: string])[];
};

const NUMBER_NAMES = COLUMNS.filter(
  (name): name is NumberName => name !== 'clientOrderId' && name !== 'reserve',
);

/** The number of orders per block; the last block can be shorter. */
const BLOCK_ORDERS = 8_192;

/**
 * Returns blocks of orders, sorted by order id. Each block is built when the iterator reaches it,
 * from the state at that point.
 */
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
    writeColumns(columns, row, order);
    if (order.clientOrderId !== null) clientOrderIds.push([row, order.clientOrderId]);
    if (order.reserve !== NO_RESERVE) reserves.push([row, order.reserve]);
  }
  const narrow = wide.map(([name, column]) => [name, narrowColumn(column)] as const);
  const numbers = Object.fromEntries(narrow) as Record<NumberName, Column>;
  return { ...numbers, clientOrderIds, reserves };
}

/** The columns are written one by one, because looping over the names takes twice as long. */
function writeColumns(
  columns: Record<NumberName, Float64Array>,
  row: number,
  order: Resting,
): void {
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

/** A column of numbers in the narrowest array type that can represent all of them. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

export function narrowColumn(values: Float64Array): Column {
  let max = 0;
  for (const value of values) {
    // Negative numbers, −0 and fractions need the widest type.
    if (!Object.is(value >>> 0, value)) return values.slice();
    if (value > max) max = value;
  }
  if (max <= 0xff) return Uint8Array.from(values);
  if (max <= 0xffff) return Uint16Array.from(values);
  return Uint32Array.from(values);
}
