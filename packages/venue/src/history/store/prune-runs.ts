import { type Kysely, sql, type Transaction } from 'kysely';
import type { HistOrderRow } from '@oddlot/protocol';
import { hexOf } from './bytes.ts';
import type { HistoryTables, RunRow } from './history-tables.ts';
import type { RowPacker } from './packed/packed-rows.ts';
import { pruneOrderEnds } from './prune-traces.ts';

type Database = Kysely<HistoryTables> | Transaction<HistoryTables>;

/** Runs that are looked through at a time. */
const RUNS_AT_ONCE = 32;

/**
 * Deletes the oldest rows of an owner, of some runs at a time, and returns how many: a run goes when all of
 * its rows are too old, and keeps the others when some are. What goes with them is counted in `gone`.
 */
export async function pruneRuns(
  database: Database,
  { packer, table }: { readonly table: 'fill' | 'order'; readonly packer: RowPacker<unknown> },
  [account, kind]: readonly unknown[],
  beforeMs: number,
  gone: Record<string, number>,
): Promise<number> {
  const runs = sql.table(`${table}_runs`);
  const { rows: oldest } = await sql<RunRow>`
    SELECT * FROM ${runs} WHERE account = ${account} AND kind = ${kind}
    ORDER BY time_ms, height, idx LIMIT ${RUNS_AT_ONCE}
  `.execute(database);
  let deleted = 0;
  for (const run of oldest) {
    if (run.first_ms >= beforeMs) break;
    const { places, row } = packer.unpack(run.body);
    const kept = places.flatMap((place, at) =>
      place.timeMs < beforeMs ? [] : [{ place, row: row(at) }],
    );
    deleted += places.length - kept.length;
    if (table === 'order') {
      const old = places.flatMap(({ timeMs }, at) => (timeMs < beforeMs ? [row(at)] : []));
      await deleteWith(database, account, old as readonly HistOrderRow[], gone);
    }
    const isRun = sql`account = ${account} AND kind = ${kind} AND time_ms = ${run.time_ms}
      AND height = ${run.height} AND idx = ${run.idx}`;
    const [first] = kept;
    if (first === undefined) await sql`DELETE FROM ${runs} WHERE ${isRun}`.execute(database);
    else {
      await sql`UPDATE ${runs} SET first_ms = ${first.place.timeMs}, rows = ${kept.length},
        body = ${packer.pack(kept)} WHERE ${isRun}`.execute(database);
    }
    const left = new Set(kept.map(({ place }) => place.instrumentId));
    for (const id of new Set(places.map(({ instrumentId }) => instrumentId))) {
      if (left.has(id)) continue;
      await sql`DELETE FROM ${sql.table(`${table}_run_instruments`)}
        WHERE instrument_id = ${id} AND ${isRun}`.execute(database);
    }
  }
  return deleted;
}

/** What is found by the ids of the orders that go. */
async function deleteWith(
  database: Database,
  account: unknown,
  rows: readonly HistOrderRow[],
  gone: Record<string, number>,
): Promise<void> {
  if (rows.length === 0) return;
  const orders = rows.map(({ order }) => order);
  const traces = await pruneOrderEnds(database, hexOf(account as Uint8Array), orders);
  for (const [name, count] of Object.entries(traces)) gone[name] = (gone[name] ?? 0) + count;
  const ids = sql.join(rows.map(({ order }) => sql`${order.oid}`));
  const isHis = sql`account = ${account} AND order_key IN (${ids})`;
  await sql`DELETE FROM child_orders WHERE ${isHis}`.execute(database);
}
