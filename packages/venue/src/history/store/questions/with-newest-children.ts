import type { Kysely } from 'kysely';
import type { HistOrder, HistOrderRow } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
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
): Promise<readonly HistOrderRow[]> {
  const ids = new Set(rows.flatMap(({ order }) => order.children.map(({ oid }) => oid)));
  if (ids.size === 0) return rows;
  const found = await database
    .selectFrom('orders')
    .select(['order_key', 'body'])
    .where('order_key', 'in', [...ids])
    .where('account', '=', bytesOf(user))
    .execute();
  const newest = new Map<number, HistOrder>(
    found.map(({ body, order_key: orderId }) => [orderId, orderCodec.decode(body).order]),
  );
  return rows.map((row) => {
    if (row.order.children.length === 0) return row;
    const children = row.order.children.map((child) => newest.get(child.oid) ?? child);
    return { ...row, order: { ...row.order, children } };
  });
}
