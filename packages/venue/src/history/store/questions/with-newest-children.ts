import { sql, type Kysely } from 'kysely';
import type { HistOrder, HistOrderRow } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { LiveRows } from '../../rows/live-rows.ts';
import { bytesOf } from '../bytes.ts';
import type { HistoryTables } from '../history-tables.ts';
import { orderCodec } from '../row-codecs.ts';

/**
 * Rows with the children of their orders as those are now. A parent's row has them as they were when it
 * last changed, and most of them fire or end after it; that copy stays where their own rows are not kept
 * any more. One question for all rows of a page, of two children a row at most (R-grouping).
 */
export async function withNewestChildren(
  database: Kysely<HistoryTables>,
  user: Address,
  rows: readonly HistOrderRow[],
  live: LiveRows | undefined,
): Promise<readonly HistOrderRow[]> {
  const ids = new Set(rows.flatMap(({ order }) => order.children.map(({ oid }) => oid)));
  if (ids.size === 0) return rows;
  const newest = new Map<number, HistOrder>();
  // One that ended since an earlier release wrote of it has a row of its own among the others.
  for (const table of ['orders', 'child_orders'] as const) {
    for (const order of await storedOrders(database, table, user, [...ids])) {
      newest.set(order.oid, order);
    }
  }
  for (const orderId of ids) {
    const row = live?.find(user, orderId);
    if (row !== undefined) newest.set(orderId, row.order);
  }
  return rows.map((row) => {
    if (row.order.children.length === 0) return row;
    const children = row.order.children.map((child) => newest.get(child.oid) ?? child);
    return { ...row, order: { ...row.order, children } };
  });
}

async function storedOrders(
  database: Kysely<HistoryTables>,
  table: 'orders' | 'child_orders',
  user: Address,
  orderIds: readonly number[],
): Promise<readonly HistOrder[]> {
  const { rows } = await sql<{ body: string }>`
    SELECT body FROM ${sql.table(table)}
    WHERE order_key IN (${sql.join(orderIds.map((id) => sql`${id}`))}) AND account = ${bytesOf(user)}
  `.execute(database);
  return rows.map(({ body }) => orderCodec.decode(body).order);
}
