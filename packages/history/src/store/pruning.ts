import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import {
  accountKey,
  clientIdKey,
  hashKey,
  keysOf,
  unpackReceipts,
  unpackTxs,
} from './chain-codecs.ts';
import type { HistoryTables, RunRow, TableName } from './history-tables.ts';
import type { RowPacker } from './packed/packed-rows.ts';
import type { ArrivalTrace, TxRecord } from '../rows/block-rows.ts';
import { fillPacker, hexOf, orderPacker } from './row-codecs.ts';
import type { HistOrder, HistOrderRow } from '@oddlot/protocol';
import { decodeArrivals, deleteEnds, encodeArrivals, endsBetween } from './trace-codec.ts';

/**
 * Deleting what is too old. Rows are clustered by whose they are, and have no index by time, which most
 * venues would pay for and never use: so each owner is visited, and what is old of his is a range. A step
 * visits some owners and deletes a bounded number of rows; the next goes on where it ended.
 */
export type PruneLimits = {
  readonly rowsBeforeMs?: number;
  readonly receiptsBeforeMs?: number;
  /** Orders that live keep how they came; without it none does. */
  readonly isLive?: IsLive;
};

type Step = { readonly gone: Record<string, number>; readonly isDone: boolean };
type Database = Kysely<HistoryTables> | Transaction<HistoryTables>;

const DAY_MS = 86_400_000;
/** Owners that a step visits, and rows or blocks that it deletes. */
const OWNERS_PER_STEP = 200;
const ROWS_PER_STEP = 2_000;
const BLOCKS_PER_STEP = 500;
/** Rows that a call deletes. */
const ROWS_PER_CALL = 20_000;

type Sweep = {
  readonly table: TableName;
  /** How `stats` calls the rows. */
  readonly name: string;
  readonly owner: readonly string[];
  readonly time: string;
  /** In which a time is counted there. */
  readonly unitMs?: number;
  /** The last one of an owner stays: it holds until another comes. */
  readonly keepsLast?: true;
  /** Rows of the table are runs of rows. */
  readonly runs?: Parameters<typeof pruneRuns>[1];
};

const SWEEPS: readonly Sweep[] = [
  { table: 'fills', name: 'fills', owner: ['account', 'kind'], time: 'time_ms' },
  {
    table: 'fill_runs',
    name: 'fills',
    owner: ['account', 'kind'],
    time: 'first_ms',
    runs: { table: 'fill', packer: fillPacker as RowPacker<unknown> },
  },
  { table: 'orders', name: 'orders', owner: ['account', 'kind'], time: 'time_ms' },
  {
    table: 'order_runs',
    name: 'orders',
    owner: ['account', 'kind'],
    time: 'first_ms',
    runs: { table: 'order', packer: orderPacker as RowPacker<unknown> },
  },
  { table: 'ledger', name: 'ledger', owner: ['account', 'kind'], time: 'time_ms' },
  { table: 'fundings', name: 'fundings', owner: ['account'], time: 'time_ms' },
  { table: 'earnings', name: 'earnings', owner: ['builder'], time: 'time_ms' },
  { table: 'claims', name: 'claims', owner: ['builder'], time: 'time_ms' },
  { table: 'builder_days', name: 'builderDays', owner: ['builder'], time: 'day', unitMs: DAY_MS },
  { table: 'candles', name: 'candles', owner: ['instrument_id', 'step_ms'], time: 'start_ms' },
  { table: 'liquidations', name: 'liquidations', owner: ['instrument_id'], time: 'time_ms' },
  { table: 'largest_trades', name: 'largestTrades', owner: ['list'], time: 'start_ms' },
  { table: 'open_interest', name: 'openInterest', owner: ['instrument_id'], time: 'time_ms' },
  {
    table: 'account_values',
    name: 'accountValues',
    owner: ['account', 'step_ms'],
    time: 'time_ms',
    keepsLast: true,
  },
];

export class Pruning {
  /** Where the sweep is: the table, and the last owner visited. */
  #sweep = 0;
  #owner: readonly unknown[] | undefined;
  #deleted = 0;

  /** One step, in the transaction that notes it. */
  async step(database: Database, limits: PruneLimits): Promise<Step> {
    const { isLive = () => false, receiptsBeforeMs, rowsBeforeMs } = limits;
    const gone: Record<string, number> = {};
    if (receiptsBeforeMs !== undefined) {
      gone['receipts'] = await pruneReceipts(database, receiptsBeforeMs);
    }
    let isThrough = true;
    if (rowsBeforeMs !== undefined) {
      Object.assign(gone, await pruneBlocks(database, { beforeMs: rowsBeforeMs, isLive }));
      gone['settledEvents'] = await pruneEvents(database, rowsBeforeMs);
      isThrough = await this.#visitOwners(database, rowsBeforeMs, gone);
    }
    const sum = Object.values(gone).reduce((total, count) => total + count, 0);
    this.#deleted += sum;
    const isDone = this.#deleted >= ROWS_PER_CALL || (isThrough && sum === 0);
    if (isDone) this.#deleted = 0;
    return { gone, isDone };
  }

  /** True when the last owner of the last table was visited. */
  async #visitOwners(
    database: Database,
    beforeMs: number,
    gone: Record<string, number>,
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
        found.oldest < before ? await deleteOld(database, sweep, found.owner, { before, gone }) : 0;
      gone[sweep.name] = (gone[sweep.name] ?? 0) + deleted;
      rows += deleted;
      // Who has more that is old is visited again.
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
  const behind = after === undefined ? sql`` : sql`WHERE (${columns}) > (${valuesOf(after)})`;
  // A run stands where its last row does, and the first one of an owner is his oldest.
  const order = columnsOf([...owner, runs === undefined ? time : 'time_ms']);
  const { rows } = await sql<Record<string, unknown>>`
    SELECT ${columns}, ${sql.ref(time)} FROM ${sql.table(table)} ${behind} ORDER BY ${order} LIMIT 1
  `.execute(database);
  const [row] = rows;
  if (row === undefined) return undefined;
  return { owner: owner.map((column) => row[column]), oldest: Number(row[time]) };
}

/** The oldest rows of an owner, at most a portion and what has the time of its last. */
async function deleteOld(
  database: Database,
  { keepsLast, owner, runs, table, time }: Sweep,
  values: readonly unknown[],
  { before, gone }: { readonly before: number; readonly gone: Record<string, number> },
): Promise<number> {
  if (runs !== undefined) return pruneRuns(database, runs, values, before, gone);
  const isHis = sql.join(
    owner.map((column, at) => sql`${sql.ref(column)} = ${values[at]}`),
    sql` AND `,
  );
  const times = sql`SELECT ${sql.ref(time)} FROM ${sql.table(table)} WHERE ${isHis}`;
  const column = sql.ref(time);
  const end = keepsLast
    ? sql`${column} < (${times} AND ${column} <= ${before} ORDER BY ${column} DESC LIMIT 1)`
    : sql`${column} < ${before}`;
  const portion = sql`${times} ORDER BY ${column} LIMIT 1 OFFSET ${ROWS_PER_STEP - 1}`;
  const { numAffectedRows } = await sql`
    DELETE FROM ${sql.table(table)} WHERE ${isHis} AND ${end}
      AND ${column} <= COALESCE((${portion}), ${before})
  `.execute(database);
  return Number(numAffectedRows ?? 0);
}

function columnsOf(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(name)));
}

function valuesOf(values: readonly unknown[]): RawBuilder<unknown> {
  return sql.join(values.map((value) => sql`${value}`));
}

/** Time never goes back, so old blocks come first: the others need not be read to find them. */
async function pruneReceipts(database: Database, beforeMs: number): Promise<number> {
  const first = database
    .selectFrom('receipt_blocks')
    .selectAll()
    .orderBy('height')
    .limit(BLOCKS_PER_STEP);
  const old = await database
    .selectFrom(first.as('first'))
    .selectAll()
    .where('time_ms', '<', beforeMs)
    .execute();
  let gone = 0;
  for (const block of old) {
    const { height } = block;
    const receipts = unpackReceipts(block);
    const kept = new Set((await txKeys(database, height)).keys);
    await deleteKeys(
      database,
      height,
      receipts.flatMap(keysOf).filter((key) => !kept.has(key)),
    );
    await database.deleteFrom('receipt_blocks').where('height', '=', height).execute();
    gone += receipts.length;
  }
  return gone;
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
    .execute();
  let txs = 0;
  let arrivals = 0;
  for (const { height } of old) {
    const { count, keys, txs: requests } = await txKeys(database, height);
    arrivals += await pruneArrivals(database, { height, txs: requests }, limits);
    if (count > 0) {
      const kept = new Set(await receiptKeys(database, height));
      await deleteKeys(
        database,
        height,
        keys.filter((key) => !kept.has(key)),
      );
      await database.deleteFrom('tx_blocks').where('height', '=', height).execute();
    }
    await database.deleteFrom('blocks').where('height', '=', height).execute();
    txs += count;
  }
  return { blocks: old.length, txs, arrivals };
}

/** A key leads to a block as long as its request or its receipt is there. */
async function txKeys(
  database: Database,
  height: number,
): Promise<{
  readonly count: number;
  readonly keys: readonly number[];
  readonly txs: readonly TxRecord[];
}> {
  const packed = await database
    .selectFrom('tx_blocks')
    .selectAll()
    .where('height', '=', height)
    .executeTakeFirst();
  const txs = packed === undefined ? [] : unpackTxs(packed);
  const keys = txs.flatMap(({ txHash, user }) => [hashKey(txHash.slice(2)), accountKey(user)]);
  return { count: txs.length, keys: [...new Set(keys)], txs };
}

async function receiptKeys(database: Database, height: number): Promise<readonly number[]> {
  const packed = await database
    .selectFrom('receipt_blocks')
    .selectAll()
    .where('height', '=', height)
    .executeTakeFirst();
  return packed === undefined ? [] : unpackReceipts(packed).flatMap(keysOf);
}

async function deleteKeys(
  database: Database,
  height: number,
  keys: readonly number[],
): Promise<void> {
  for (const key of keys) {
    await database
      .deleteFrom('receipt_keys')
      .where('key', '=', key)
      .where('height', '=', height)
      .execute();
  }
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
    await sql`DELETE FROM ${sql.table(table)} WHERE event_id IN (${valuesOf(ids)})`.execute(
      database,
    );
  }
  return ids.length;
}

/** Runs that are looked through at a time. */
const RUNS_AT_ONCE = 32;

/**
 * Deletes the oldest rows of an owner, of some runs at a time, and returns how many: a run goes when all of
 * its rows are too old, and keeps the others when some are. What goes with them is counted in `gone`.
 */
async function pruneRuns(
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

/** Whether an order lives, as whoever follows the blocks knows. */
type IsLive = (orderId: number) => boolean;

/**
 * How orders came to their books is kept for as long as their rows are. Those of a block that goes are left out, unless they
 * live or ended later: these stay, with the hashes of their actions, which go with the block. Returns how many went.
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
