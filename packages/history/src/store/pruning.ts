import { type Kysely, sql, type Transaction } from 'kysely';
import {
  blocksOf,
  type ChainBlock,
  chainRun,
  type ChainRun,
  clientIdKey,
  keysOf,
} from './chain-runs.ts';
import { runAt } from './chain-rows.ts';
import { type HistoryTables, TABLE_NAMES, type TableName, tableOf } from './history-tables.ts';
import type { RowPacker } from './packed-rows.ts';
import { listOf } from './pages.ts';
import type { ArrivalTrace } from '../rows/block-rows.ts';
import { fillPacker, orderPacker, type RunName, type RunRow } from './run-rows.ts';
import { hexOf, type Table } from './table.ts';
import type { HistOrder, HistOrderRow } from '@oddlot/protocol';
import { decodeArrivals, deleteEnds, encodeArrivals, endsBetween } from './trace-rows.ts';

/**
 * Limits for deleting old rows. Rows are clustered by owner and have no index on time, which would
 * make every write more expensive. Instead, each owner is visited, and its old rows form a range. A
 * step visits some owners and deletes a bounded number of rows; the next step continues after it.
 */
export type PruneLimits = {
  readonly rowsBeforeMs?: number;
  readonly receiptsBeforeMs?: number;
  /** Returns true for live orders, whose arrivals are kept. By default, no order counts as live. */
  readonly isLive?: IsLive;
};

type Step = { readonly counts: Record<string, number>; readonly isDone: boolean };
type Database = Kysely<HistoryTables> | Transaction<HistoryTables>;

/** How many owners a step visits, and how many rows or blocks it deletes. */
const OWNERS_PER_STEP = 200;
const ROWS_PER_STEP = 2_000;
const BLOCKS_PER_STEP = 500;
const CHAIN_RUNS_PER_STEP = 16;
/** How many rows one call deletes before it ends. */
const ROWS_PER_CALL = 20_000;

type Sweep = NonNullable<Table['pruned']> & {
  readonly table: TableName;
  readonly runs?: Parameters<typeof pruneRuns>[1];
};

const OWNED_RUNS = { owner: ['account', 'kind'], time: 'first_ms' } as const;

const SWEEPS: readonly Sweep[] = [
  {
    ...OWNED_RUNS,
    table: 'fill_runs',
    as: 'fills',
    runs: { name: 'fill', packer: fillPacker as RowPacker<unknown> },
  },
  {
    ...OWNED_RUNS,
    table: 'order_runs',
    as: 'orders',
    runs: { name: 'order', packer: orderPacker as RowPacker<unknown> },
  },
  ...TABLE_NAMES.flatMap((name): Sweep[] => {
    const { pruned } = tableOf(name);
    return pruned === undefined ? [] : [{ ...pruned, table: name }];
  }),
];

export class Pruning {
  /** The index of the current table, and the last owner visited in it. */
  #sweep = 0;
  #owner: readonly unknown[] | undefined;
  #deleted = 0;

  async step(database: Database, limits: PruneLimits): Promise<Step> {
    const { isLive = () => false, receiptsBeforeMs, rowsBeforeMs } = limits;
    const counts: Record<string, number> = {};
    if (receiptsBeforeMs !== undefined) {
      counts['receipts'] = await pruneReceipts(database, receiptsBeforeMs);
    }
    let isThrough = true;
    if (rowsBeforeMs !== undefined) {
      Object.assign(counts, await pruneBlocks(database, { beforeMs: rowsBeforeMs, isLive }));
      counts['settledEvents'] = await pruneEvents(database, rowsBeforeMs);
      isThrough = await this.#visitOwners(database, rowsBeforeMs, counts);
    }
    const sum = Object.values(counts).reduce((total, count) => total + count, 0);
    this.#deleted += sum;
    const isDone = this.#deleted >= ROWS_PER_CALL || (isThrough && sum === 0);
    if (isDone) this.#deleted = 0;
    return { counts, isDone };
  }

  /** Visits a few owners. Returns true after the last owner in the last table. */
  async #visitOwners(
    database: Database,
    beforeMs: number,
    counts: Record<string, number>,
  ): Promise<boolean> {
    let rows = 0;
    for (let visits = 0; visits < OWNERS_PER_STEP && rows < ROWS_PER_STEP; visits += 1) {
      const sweep = SWEEPS[this.#sweep];
      if (sweep === undefined) {
        this.#sweep = 0;
        this.#owner = undefined;
        return true;
      }
      const found = await nextOwner(database, sweep, this.#owner);
      if (found === undefined) {
        this.#sweep += 1;
        this.#owner = undefined;
        continue;
      }
      const before = Math.floor(beforeMs / (sweep.unitMs ?? 1));
      const deleted =
        found.oldest < before
          ? await deleteOld(database, sweep, found.owner, { before, counts })
          : 0;
      counts[sweep.as] = (counts[sweep.as] ?? 0) + deleted;
      rows += deleted;
      const isThrough = sweep.runs === undefined ? deleted < ROWS_PER_STEP : deleted === 0;
      if (isThrough) this.#owner = found.owner;
    }
    return false;
  }
}

async function nextOwner(
  database: Database,
  { owner, runs, table, time }: Sweep,
  after: readonly unknown[] | undefined,
): Promise<{ owner: readonly unknown[]; oldest: number } | undefined> {
  const columns = columnsOf(owner);
  const behind = after === undefined ? sql`` : sql`WHERE (${columns}) > (${listOf(after)})`;
  // A run is stored at the position of its last row, and the first run of an owner is the oldest.
  const order = columnsOf([...owner, runs === undefined ? time : 'time_ms']);
  const { rows } = await sql<Record<string, unknown>>`
    SELECT ${columns}, ${sql.ref(time)} FROM ${sql.table(table)} ${behind} ORDER BY ${order} LIMIT 1
  `.execute(database);
  const [row] = rows;
  if (row === undefined) return undefined;
  return { owner: owner.map((column) => row[column]), oldest: Number(row[time]) };
}

/**
 * Deletes at most one batch of an owner's oldest rows, plus rows with the same time as the last
 * one.
 */
async function deleteOld(
  database: Database,
  { keepsLast, owner, runs, table, time }: Sweep,
  values: readonly unknown[],
  { before, counts }: { readonly before: number; readonly counts: Record<string, number> },
): Promise<number> {
  if (runs !== undefined) return pruneRuns(database, runs, values, before, counts);
  const isOwned = sql.join(
    owner.map((column, at) => sql`${sql.ref(column)} = ${values[at]}`),
    sql` AND `,
  );
  const times = sql`SELECT ${sql.ref(time)} FROM ${sql.table(table)} WHERE ${isOwned}`;
  const column = sql.ref(time);
  const end = keepsLast
    ? sql`${column} < (${times} AND ${column} <= ${before} ORDER BY ${column} DESC LIMIT 1)`
    : sql`${column} < ${before}`;
  const portion = sql`${times} ORDER BY ${column} LIMIT 1 OFFSET ${ROWS_PER_STEP - 1}`;
  const { numAffectedRows } = await sql`
    DELETE FROM ${sql.table(table)} WHERE ${isOwned} AND ${end}
      AND ${column} <= COALESCE((${portion}), ${before})
  `.execute(database);
  return Number(numAffectedRows ?? 0);
}

function columnsOf(names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(name)));
}

/**
 * Deletes receipts of old blocks. Block times never decrease, so only the first runs with receipts
 * need to be read.
 */
async function pruneReceipts(database: Database, beforeMs: number): Promise<number> {
  const first = database
    .selectFrom('chain_runs')
    .selectAll()
    .where('receipts', '>', 0)
    .orderBy('height')
    .limit(CHAIN_RUNS_PER_STEP);
  const old = await database
    .selectFrom(first.as('first'))
    .selectAll()
    .where('first_ms', '<', beforeMs)
    .execute();
  let deleted = 0;
  for (const run of old) {
    const blocks = blocksOf(run);
    const remaining = blocks.map((block) =>
      block.timeMs < beforeMs ? { ...block, receipts: [] } : block,
    );
    deleted += await putChainRun(database, run, { blocks, remaining });
  }
  return deleted;
}

/**
 * Replaces the content of a run with the remaining requests and receipts, and returns the number
 * deleted. The last block is always kept, because its height is the key of the run.
 */
async function putChainRun(
  database: Database,
  run: ChainRun,
  { blocks, remaining }: Readonly<Record<'blocks' | 'remaining', readonly ChainBlock[]>>,
): Promise<number> {
  const filled = remaining.filter(({ receipts, txs }) => receipts.length + txs.length > 0);
  const last = remaining.at(-1);
  if (last !== undefined && filled.at(-1) !== last) filled.push(last);
  const { receipts, txs, ...columns } = chainRun(filled);
  const deleted = run.receipts + run.txs - receipts - txs;
  if (deleted === 0) return 0;
  const left = keysOf(filled);
  const gone = [...keysOf(blocks)].filter((key) => !left.has(key));
  if (gone.length > 0) {
    await database
      .deleteFrom('receipt_keys')
      .where('key', 'in', gone)
      .where('height', '=', run.height)
      .execute();
  }
  if (receipts + txs === 0) {
    await database.deleteFrom('chain_runs').where('height', '=', run.height).execute();
  } else {
    await database
      .updateTable('chain_runs')
      .set({ ...columns, receipts, txs })
      .where('height', '=', run.height)
      .execute();
  }
  return deleted;
}

async function pruneBlocks(
  database: Database,
  limits: { readonly beforeMs: number; readonly isLive: IsLive },
): Promise<Record<string, number>> {
  const first = database
    .selectFrom('blocks')
    .select(['height', 'time_ms'])
    .orderBy('height')
    .limit(BLOCKS_PER_STEP);
  const old = await database
    .selectFrom(first.as('first'))
    .select('height')
    .where('time_ms', '<', limits.beforeMs)
    .orderBy('height')
    .execute();
  const [from, upTo] = [old[0]?.height, old.at(-1)?.height];
  if (from === undefined || upTo === undefined) return { blocks: 0, txs: 0, arrivals: 0 };
  const requests = new Map<number, ChainBlock['txs']>();
  let txs = 0;
  for (let next = from; ;) {
    const run = await runAt(database, next);
    if (run === undefined || run.first_height > upTo) break;
    next = run.height + 1;
    const blocks = blocksOf(run);
    for (const block of blocks) requests.set(block.height, block.txs);
    const remaining = blocks.map((block) => (block.height > upTo ? block : { ...block, txs: [] }));
    txs += await putChainRun(database, run, { blocks, remaining });
  }
  let arrivals = 0;
  for (const { height } of old) {
    const block = { height, txs: requests.get(height) ?? [] };
    arrivals += await pruneArrivals(database, block, limits);
  }
  await database.deleteFrom('blocks').where('height', '<=', upTo).execute();
  return { blocks: old.length, txs, arrivals };
}

async function pruneEvents(database: Database, beforeMs: number): Promise<number> {
  const old = await database
    .selectFrom('settled_events')
    .select('event_id')
    .where('settled_ms', '<', beforeMs)
    .orderBy('settled_ms')
    .limit(BLOCKS_PER_STEP)
    .execute();
  const ids = old.map(({ event_id }) => event_id);
  if (ids.length === 0) return 0;
  for (const table of ['event_tags', 'settled_markets', 'settled_events'] as const) {
    await sql`DELETE FROM ${sql.table(table)} WHERE event_id IN (${listOf(ids)})`.execute(database);
  }
  return ids.length;
}

const RUNS_AT_ONCE = 32;

/**
 * Deletes the oldest rows of an owner, a few runs at a time, and returns how many were deleted. A
 * run is deleted if all its rows are too old; otherwise it keeps the newer ones. Related rows
 * deleted with them are counted in `counts`.
 */
async function pruneRuns(
  database: Database,
  { name, packer }: { readonly name: RunName; readonly packer: RowPacker<unknown> },
  [account, kind]: readonly unknown[],
  beforeMs: number,
  counts: Record<string, number>,
): Promise<number> {
  const runs = sql.table(`${name}_runs`);
  const { rows: oldest } = await sql<RunRow>`
    SELECT * FROM ${runs} WHERE account = ${account} AND kind = ${kind}
    ORDER BY time_ms, height, idx LIMIT ${RUNS_AT_ONCE}
  `.execute(database);
  let deleted = 0;
  for (const run of oldest) {
    if (run.first_ms >= beforeMs) break;
    const { places, row } = packer.unpack(run.body);
    const remaining = places.flatMap((place, at) =>
      place.timeMs < beforeMs ? [] : [{ place, row: row(at) }],
    );
    deleted += places.length - remaining.length;
    if (name === 'order') {
      const old = places.flatMap(({ timeMs }, at) => (timeMs < beforeMs ? [row(at)] : []));
      await deleteWith(database, account, old as readonly HistOrderRow[], counts);
    }
    const isRun = sql`account = ${account} AND kind = ${kind} AND time_ms = ${run.time_ms}
      AND height = ${run.height} AND idx = ${run.idx}`;
    const [first] = remaining;
    if (first === undefined) await sql`DELETE FROM ${runs} WHERE ${isRun}`.execute(database);
    else {
      await sql`UPDATE ${runs} SET first_ms = ${first.place.timeMs}, rows = ${remaining.length},
        body = ${packer.pack(remaining)} WHERE ${isRun}`.execute(database);
    }
    const left = new Set(remaining.map(({ place }) => place.instrumentId));
    for (const id of new Set(places.map(({ instrumentId }) => instrumentId))) {
      if (left.has(id)) continue;
      await sql`DELETE FROM ${sql.table(`${name}_run_instruments`)}
        WHERE instrument_id = ${id} AND ${isRun}`.execute(database);
    }
  }
  return deleted;
}

async function deleteWith(
  database: Database,
  account: unknown,
  rows: readonly HistOrderRow[],
  counts: Record<string, number>,
): Promise<void> {
  if (rows.length === 0) return;
  const orders = rows.map(({ order }) => order);
  const traces = await pruneOrderEnds(database, hexOf(account as Uint8Array), orders);
  for (const [name, count] of Object.entries(traces)) counts[name] = (counts[name] ?? 0) + count;
  const ids = listOf(rows.map(({ order }) => order.oid));
  const isOwned = sql`account = ${account} AND order_key IN (${ids})`;
  await sql`DELETE FROM child_orders WHERE ${isOwned}`.execute(database);
}

type IsLive = (orderId: number) => boolean;

/**
 * Deletes the arrival records of a pruned block and returns how many were deleted. The records of
 * orders that are live or ended later remain. They receive the hash of their action, because the
 * action itself is deleted with the block.
 */
async function pruneArrivals(
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
  const remaining = traces.filter(
    (trace) => trace.ended === undefined && (ended.has(trace.orderId) || isLive(trace.orderId)),
  );
  await putArrivals(
    database,
    row.first_oid,
    remaining.map((trace) => ({ ...trace, txHash: trace.txHash ?? hashIn(block.txs, trace) })),
  );
  return traces.length - remaining.length;
}

async function pruneOrderEnds(
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

/** Deletes the arrival of an order whose block has already been deleted. */
async function dropArrival(database: Database, orderId: number): Promise<number> {
  const row = await database
    .selectFrom('arrivals')
    .leftJoin('blocks', 'blocks.height', 'arrivals.height')
    .select(['arrivals.first_oid', 'arrivals.body', 'blocks.height'])
    .where('arrivals.first_oid', '<=', orderId)
    .orderBy('arrivals.first_oid', 'desc')
    .limit(1)
    .executeTakeFirst();
  // Arrivals of a stored block are deleted together with the block.
  if (row === undefined || row.height !== null) return 0;
  const traces = decodeArrivals(row.body);
  const remaining = traces.filter((trace) => trace.orderId !== orderId);
  await putArrivals(database, row.first_oid, remaining);
  return traces.length - remaining.length;
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

/** Returns the hash of the action that placed an order, or zeros if the venue placed it. */
function hashIn(
  txs: readonly { readonly index: number; readonly txHash: string }[],
  { commandIndex }: ArrivalTrace,
): string {
  return txs.find(({ index }) => index === commandIndex)?.txHash ?? `0x${'0'.repeat(64)}`;
}
