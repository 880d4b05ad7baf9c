import type { Kysely, Transaction } from 'kysely';
import type { HistoryTables } from './history-tables.ts';
import { decodeEnds, encodeEnds, type StoredEnd } from './trace-codec.ts';

/**
 * Ends of orders in rows by their ids: a row for each end would cost more than all else that is kept of an order's
 * execution. Most orders live shortly, so those that end in one transaction are of few buckets.
 */
type Database = Kysely<HistoryTables> | Transaction<HistoryTables>;

const ORDERS_PER_BUCKET = 256;

function bucketOf(orderId: number): number {
  return Math.floor(orderId / ORDERS_PER_BUCKET);
}

/** The rows of ends that come together. */
export function* bucketsOf(
  ends: readonly StoredEnd[],
): Generator<readonly [bucket: number, height: number, body: Uint8Array]> {
  const buckets = new Map<number, StoredEnd[]>();
  for (const end of ends) {
    const bucket = bucketOf(end.orderId);
    const some = buckets.get(bucket);
    if (some === undefined) buckets.set(bucket, [end]);
    else some.push(end);
  }
  const height = ends.at(-1)?.height ?? 0;
  for (const [bucket, some] of buckets) yield [bucket, height, encodeEnds(some)];
}

/** The ends of orders with ids from one to another, and some near them. */
export async function endsBetween(
  database: Database,
  first: number,
  last: number,
): Promise<readonly StoredEnd[]> {
  const rows = await database
    .selectFrom('order_ends')
    .select('body')
    .where('bucket', '>=', bucketOf(first))
    .where('bucket', '<=', bucketOf(last))
    .execute();
  return rows.flatMap(({ body }) => decodeEnds(body));
}

/** Takes the ends of some orders away, and returns how many there were. */
export async function deleteEnds(database: Database, orderIds: readonly number[]): Promise<number> {
  const gone = new Set(orderIds);
  let deleted = 0;
  for (const bucket of new Set(orderIds.map(bucketOf))) {
    const rows = await database
      .selectFrom('order_ends')
      .selectAll()
      .where('bucket', '=', bucket)
      .execute();
    for (const { body, height } of rows) {
      const ends = decodeEnds(body);
      const kept = ends.filter(({ orderId }) => !gone.has(orderId));
      if (kept.length === ends.length) continue;
      deleted += ends.length - kept.length;
      const row = { bucket, height };
      if (kept.length > 0) {
        await database
          .updateTable('order_ends')
          .set({ body: encodeEnds(kept) })
          .where('bucket', '=', row.bucket)
          .where('height', '=', row.height)
          .execute();
      } else {
        await database
          .deleteFrom('order_ends')
          .where('bucket', '=', row.bucket)
          .where('height', '=', row.height)
          .execute();
      }
    }
  }
  return deleted;
}
