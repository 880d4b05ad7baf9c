import type { Kysely, Transaction } from 'kysely';
import type { HistOrder } from '@oddlot/protocol';
import type { ArrivalTrace } from '../rows/order-trace.ts';
import type { HistoryTables } from './history-tables.ts';
import { deleteEnds, endsBetween } from './order-buckets.ts';
import { clientIdKey } from './receipt-codec.ts';
import { decodeArrivals, encodeArrivals } from './trace-codec.ts';

type Database = Kysely<HistoryTables> | Transaction<HistoryTables>;

/** Whether an order lives, as whoever follows the blocks knows. */
export type IsLive = (orderId: number) => boolean;

/**
 * How orders came to their books is kept for as long as their rows are. Those of a block that goes are left out, unless they
 * live or ended later: these stay, with the hashes of their actions, which go with the block. Returns how many went.
 */
export async function pruneArrivals(
  database: Database,
  block: {
    readonly height: number;
    readonly txs: readonly { readonly index: number; readonly txHash: string }[];
  },
  { beforeMs, isLive }: { readonly beforeMs: number; readonly isLive: IsLive },
): Promise<number> {
  const row = await database
    .selectFrom('arrivals')
    .select(['first_oid', 'body'])
    .where('height', '=', block.height)
    .executeTakeFirst();
  if (row === undefined) return 0;
  const traces = decodeArrivals(row.body);
  const ended = await endedSince(database, traces, beforeMs);
  const kept = traces.filter(
    (trace) => trace.ended === undefined && (ended.has(trace.orderId) || isLive(trace.orderId)),
  );
  await putArrivals(
    database,
    row.first_oid,
    kept.map((trace) => ({ ...trace, txHash: trace.txHash ?? hashIn(block.txs, trace) })),
  );
  return traces.length - kept.length;
}

/** Deletes what is known of orders whose rows go, and returns how many had ended later than they came, and how many had come. */
export async function pruneOrderEnds(
  database: Database,
  user: string,
  orders: readonly Pick<HistOrder, 'oid' | 'cloid'>[],
): Promise<{ readonly orderEnds: number; readonly arrivals: number }> {
  const orderIds = orders.map(({ oid }) => oid);
  const orderEnds = await deleteEnds(database, orderIds);
  let arrivals = 0;
  for (const { cloid, oid } of orders) {
    arrivals += await dropArrival(database, oid);
    if (cloid === null) continue;
    await database
      .deleteFrom('order_cloids')
      .where('cloid_key', '=', clientIdKey(user, cloid))
      .where('oid', '=', oid)
      .execute();
  }
  return { orderEnds, arrivals };
}

/** Of an order that outlived its block. */
async function dropArrival(database: Database, orderId: number): Promise<number> {
  const row = await database
    .selectFrom('arrivals')
    .leftJoin('blocks', 'blocks.height', 'arrivals.height')
    .select(['arrivals.first_oid', 'arrivals.body', 'blocks.height'])
    .where('arrivals.first_oid', '<=', orderId)
    .orderBy('arrivals.first_oid', 'desc')
    .limit(1)
    .executeTakeFirst();
  // What has its block goes with it.
  if (row === undefined || row.height !== null) return 0;
  const traces = decodeArrivals(row.body);
  const kept = traces.filter((trace) => trace.orderId !== orderId);
  await putArrivals(database, row.first_oid, kept);
  return traces.length - kept.length;
}

async function endedSince(
  database: Database,
  traces: readonly ArrivalTrace[],
  sinceMs: number,
): Promise<ReadonlySet<number>> {
  const [first, last] = [traces[0]?.orderId ?? 0, traces.at(-1)?.orderId ?? 0];
  const ends = await endsBetween(database, first, last);
  return new Set(ends.filter(({ timeMs }) => timeMs >= sinceMs).map(({ orderId }) => orderId));
}

async function putArrivals(
  database: Database,
  firstOid: number,
  traces: readonly ArrivalTrace[],
): Promise<void> {
  const isRow = ['first_oid', '=', firstOid] as const;
  if (traces.length === 0)
    await database
      .deleteFrom('arrivals')
      .where(...isRow)
      .execute();
  else {
    const body = encodeArrivals(traces);
    await database
      .updateTable('arrivals')
      .set({ body })
      .where(...isRow)
      .execute();
  }
}

/** Zeros for an order that the venue itself sent. */
function hashIn(
  txs: readonly { readonly index: number; readonly txHash: string }[],
  { commandIndex }: ArrivalTrace,
): string {
  return txs.find(({ index }) => index === commandIndex)?.txHash ?? `0x${'0'.repeat(64)}`;
}
