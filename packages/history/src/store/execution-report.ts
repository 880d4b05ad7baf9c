import type { Kysely } from 'kysely';
import { cloidKey, type Fill, type HistOrderRow } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { Answer, Ask } from '../history.ts';
import { decodeReceiptBody } from '../receipt.ts';
import {
  type ArrivalTrace,
  type BlockPlace,
  FILL_BLOCKS_MAX,
  type LiveRows,
  type OrderEndRecord,
} from '../rows/block-rows.ts';
import { findReceipt, findTx, firstHeight, txsOf } from './chain-rows.ts';
import { clientIdKey } from './chain-runs.ts';
import type { HistoryTables } from './history-tables.ts';
import { orderReport, type ReportParts } from './order-report.ts';
import { fillPacker, type FoundRow, orderPacker, runRows } from './run-rows.ts';
import { hexOf } from './table.ts';
import { decodeArrivals, endsBetween, type StoredEnd } from './trace-rows.ts';

type Database = Kysely<HistoryTables>;

/** How many orders with the same key are searched. Different accounts rarely share a key. */
const SAME_KEY_MAX = 20;
const KINDS = [0, 1];

/** Returns execution reports of orders: their traces, joined with their rows and fills. */
export async function executionReport(
  database: Database,
  { by, user }: Ask<'executionReport'>,
  live?: LiveRows,
): Promise<Answer<'executionReport'>> {
  const ids = await orderIds(database, user, by, live);
  const reports = [];
  for (const orderId of ids) {
    const parts = await partsOf(database, user, orderId, live);
    if (parts !== undefined) reports.push(orderReport(parts));
  }
  return reports;
}

async function orderIds(
  database: Database,
  user: Address,
  by: Ask<'executionReport'>['by'],
  live: LiveRows | undefined,
): Promise<readonly number[]> {
  if ('orderId' in by) return [by.orderId];
  if ('txHash' in by) return idsOfAction(database, user, by.txHash);
  const living = live?.withClientId(user, by.clientOrderId);
  const ended = living ?? (await endedWith(database, user, by.clientOrderId));
  return ended === undefined ? [] : [ended];
}

async function endedWith(
  database: Database,
  user: Address,
  clientOrderId: string,
): Promise<number | undefined> {
  const wanted = cloidKey(clientOrderId);
  if (wanted === undefined) return undefined;
  const found = await database
    .selectFrom('order_cloids')
    .select(['oid', 'time_ms', 'height'])
    .where('cloid_key', '=', clientIdKey(user, clientOrderId))
    .orderBy('oid', 'desc')
    .limit(SAME_KEY_MAX)
    .execute();
  for (const { height, oid, time_ms: timeMs } of found) {
    const row = await endedRow(database, user, oid, { height, timeMs });
    if (cloidKey(row?.order.cloid ?? '') === wanted) return oid;
  }
  return undefined;
}

/**
 * Returns the orders that an action placed or named. They are the arrivals in its block and the
 * orders in its receipt, including those that left the delay queue later. If a parent was
 * cancelled, its TP/SL orders are included.
 */
async function idsOfAction(
  database: Database,
  user: Address,
  txHash: string,
): Promise<readonly number[]> {
  const ids = new Set<number>();
  const found = await findTx(database, { txHash });
  if (found?.user === user) {
    const row = await database
      .selectFrom('arrivals')
      .select('body')
      .where('height', '=', found.height)
      .executeTakeFirst();
    for (const { commandIndex, orderId } of row === undefined ? [] : decodeArrivals(row.body)) {
      if (commandIndex === found.index) ids.add(orderId);
    }
  }
  const answered = await findReceipt(database, { by: 'txHash', txHash });
  if (answered?.user === user) {
    const { result } = decodeReceiptBody(answered.body).outcome;
    for (const { oid } of result.orders ?? []) if (oid !== null) ids.add(oid);
  }
  if (found?.user === user) {
    const named = [...ids];
    for (const parent of named) {
      for (const id of await endedWithParent(database, user, parent, found.height)) ids.add(id);
    }
  }
  return [...ids].toSorted((left, right) => left - right);
}

/** Returns the TP/SL orders that ended in a block because their parent ended. */
async function endedWithParent(
  database: Database,
  user: Address,
  parent: number,
  height: number,
): Promise<readonly number[]> {
  const place = await endOf(database, parent);
  if (place?.height !== height) return [];
  const row = await endedRow(database, user, parent, place);
  const ended: number[] = [];
  for (const { oid } of row?.order.children ?? []) {
    if ((await endOf(database, oid))?.height === height) ended.push(oid);
  }
  return ended;
}

async function endOf(database: Database, orderId: number): Promise<BlockPlace | undefined> {
  const stored = await storedEnd(database, orderId);
  if (stored !== undefined) return stored;
  const arrived = await arrivalOf(database, orderId);
  return arrived?.trace.ended === undefined ? undefined : arrived;
}

async function partsOf(
  database: Database,
  user: Address,
  orderId: number,
  live: LiveRows | undefined,
): Promise<ReportParts | undefined> {
  const arrived = await arrivalOf(database, orderId);
  const living = live?.find(user, orderId);
  if (living !== undefined) {
    const since = live?.traceOf(orderId);
    return joined(database, user, { row: living, arrived, since, end: undefined });
  }
  const stored = await storedEnd(database, orderId);
  const place = stored ?? (arrived?.trace.ended === undefined ? undefined : arrived);
  if (place === undefined) return undefined;
  const row = await endedRow(database, user, orderId, place);
  if (row === undefined) return undefined;
  const end = { height: place.height, timeMs: place.timeMs };
  return joined(database, user, { row, arrived, since: stored, end });
}

type Arrived = BlockPlace & { readonly trace: ArrivalTrace };

async function joined(
  database: Database,
  user: Address,
  found: {
    readonly row: HistOrderRow;
    readonly arrived: Arrived | undefined;
    readonly since: Omit<OrderEndRecord, 'orderId'> | undefined;
    readonly end: BlockPlace | undefined;
  },
): Promise<ReportParts> {
  const { arrived, end, row, since } = found;
  const later = since?.trace ?? {};
  const blocks: BlockPlace[] = arrived?.trace.hasFills === true ? [arrived] : [];
  const { fills = [] } = later;
  for (let at = 0; at < fills.length; at += 2) {
    blocks.push({ timeMs: fills[at] ?? 0, height: fills[at + 1] ?? 0 });
  }
  return {
    row,
    received: await receivedOf(database, user, row, arrived),
    arrived,
    later,
    left: since?.end ?? arrived?.trace.ended,
    szDecimals: since?.szDecimals ?? arrived?.trace.szDecimals ?? 0,
    fills: await fillsIn(database, user, row.order.oid, blocks),
    end,
  };
}

/** Order ids increase, so an order is in the last row whose first id is not greater. */
async function arrivalOf(database: Database, orderId: number): Promise<Arrived | undefined> {
  const row = await database
    .selectFrom('arrivals')
    .selectAll()
    .where('first_oid', '<=', orderId)
    .orderBy('first_oid', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const trace = decodeArrivals(row.body).find((each) => each.orderId === orderId);
  return trace === undefined ? undefined : { trace, height: row.height, timeMs: row.time_ms };
}

async function storedEnd(database: Database, orderId: number): Promise<StoredEnd | undefined> {
  const ends = await endsBetween(database, orderId, orderId);
  return ends.find((each) => each.orderId === orderId);
}

async function endedRow(
  database: Database,
  user: Address,
  orderId: number,
  place: BlockPlace,
): Promise<HistOrderRow | undefined> {
  const ask = { table: 'order', ...allOf(user, place) } as const;
  for (const { row } of await runRows(database, ask, orderPacker)) {
    const found = row();
    if (found.order.oid === orderId) return found;
  }
  return undefined;
}

async function fillsIn(
  database: Database,
  user: Address,
  orderId: number,
  blocks: readonly BlockPlace[],
): Promise<readonly FoundRow<Fill>[]> {
  const newest: FoundRow<Fill>[] = [];
  for (const place of blocks.toReversed()) {
    const ask = { table: 'fill', ...allOf(user, place) } as const;
    for (const found of await runRows(database, ask, fillPacker)) {
      const row = found.row();
      if (row.oid === orderId) newest.push({ ...found, row: () => row });
    }
    if (newest.length >= FILL_BLOCKS_MAX) break;
  }
  return newest.slice(0, FILL_BLOCKS_MAX).reverse();
}

function allOf(user: Address, { height, timeMs }: BlockPlace) {
  const low = [timeMs, height, -1] as const;
  const high = [timeMs, height, Number.MAX_SAFE_INTEGER] as const;
  const span = { low, high, direction: 'desc' } as const;
  return { user, kinds: KINDS, instrumentId: undefined, span, count: Infinity };
}

async function receivedOf(
  database: Database,
  user: Address,
  { order }: HistOrderRow,
  arrived: Arrived | undefined,
): Promise<ReportParts['received']> {
  if (arrived === undefined) return receivedBefore(database, user, order);
  const { commandIndex, received = arrived, txHash } = arrived.trace;
  const { height, timeMs } = received;
  if (txHash !== undefined) return { height, timeMs, txHash };
  const requests = commandIndex < 0 ? [] : await txsOf(database, height);
  const request = requests.find(({ index }) => index === commandIndex);
  return { height, timeMs, txHash: request?.txHash ?? (await blockHash(database, height)) };
}

/** For an order without a trace, returns the receipt of its action, if that is still stored. */
async function receivedBefore(
  database: Database,
  user: Address,
  { oid, timestamp: timeMs }: HistOrderRow['order'],
): Promise<ReportParts['received']> {
  for (let height = await firstHeight(database, timeMs); ; height += 1) {
    const block = await database
      .selectFrom('blocks')
      .select('time_ms')
      .where('height', '=', height)
      .executeTakeFirst();
    if (block?.time_ms !== timeMs) return { height: 0, timeMs, txHash: NO_HASH };
    for (const { txHash, user: sender } of await txsOf(database, height)) {
      if (sender !== user) continue;
      const answered = await findReceipt(database, { by: 'txHash', txHash });
      const { orders = [] } =
        answered === null ? {} : decodeReceiptBody(answered.body).outcome.result;
      if (orders.some((each) => each.oid === oid)) return { height, timeMs, txHash };
    }
  }
}

const NO_HASH = `0x${'0'.repeat(64)}`;

async function blockHash(database: Database, height: number): Promise<string> {
  const block = await database
    .selectFrom('blocks')
    .select('hash')
    .where('height', '=', height)
    .executeTakeFirst();
  return block === undefined ? NO_HASH : hexOf(block.hash);
}
