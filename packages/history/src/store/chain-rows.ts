import type { Kysely, Selectable, Transaction } from 'kysely';
import { traceId } from '@oddlot/protocol';
import type { Answer, Ask, BlockRecord, TxRecordRow } from '../history.ts';
import type { ReceiptQuery, ReceiptRow } from '../receipt.ts';
import type { TxRecord } from '../rows/block-rows.ts';
import {
  accountKey,
  blocksOf,
  type ChainBlock,
  type ChainRun,
  hashKey,
  signerKey,
} from './chain-runs.ts';
import type { HistoryTables } from './history-tables.ts';
import { comparePositions } from './pages.ts';
import { hexOf } from './table.ts';

type Database = Kysely<HistoryTables>;

/**
 * Returns the receipt of the first execution, because later requests with the same hash or nonce
 * were not executed. The first execution may have been completed last, so all matches are compared.
 */
export async function findReceipt(
  database: Database,
  query: Ask<'receipt'>,
): Promise<Answer<'receipt'>> {
  const key = keyOf(query);
  let first: ReceiptRow | null = null;
  for (const { receipts } of await blocksWith(database, key)) {
    for (const row of receipts) {
      if (isAnswer(query, row) && (first === null || row.height < first.height)) first = row;
    }
  }
  return first;
}

/** Returns the blocks of the runs that a key leads to, oldest first. */
async function blocksWith(database: Database, key: number): Promise<readonly ChainBlock[]> {
  if (!Number.isSafeInteger(key)) return [];
  const runs = await runsWith(database, key).orderBy('chain_runs.height').execute();
  return runs.flatMap(blocksOf);
}

function runsWith(database: Database, key: number) {
  return database
    .selectFrom('receipt_keys')
    .innerJoin('chain_runs', 'chain_runs.height', 'receipt_keys.height')
    .selectAll('chain_runs')
    .where('receipt_keys.key', '=', key);
}

export async function newestBlocks(
  database: Database,
  { before, limit }: Ask<'blocks'>,
): Promise<Answer<'blocks'>> {
  let query = database.selectFrom('blocks').selectAll();
  if (before !== undefined) query = query.where('height', '<', before);
  const rows = await query.orderBy('height', 'desc').limit(limit).execute();
  return rows.map(recordOf);
}

export async function findBlock(database: Database, ask: Ask<'block'>): Promise<Answer<'block'>> {
  const found =
    'height' in ask ? await blockAt(database, ask.height) : await blockOf(database, ask);
  if (found === undefined) return null;
  const record = recordOf(found);
  const executed = await txsOf(database, record.height);
  return { ...record, txs: executed.map((each) => rowOf(each, record)) };
}

export async function findTx(database: Database, { txHash }: Ask<'tx'>): Promise<Answer<'tx'>> {
  for (const block of await blocksWith(database, hashKey(txHash.slice(2)))) {
    const found = block.txs.find((each) => each.txHash === txHash);
    if (found !== undefined) return wholeRow(found, block);
  }
  return null;
}

/** The number of runs per query. */
const RUNS_AT_ONCE = 8;

export async function findTxs(
  database: Database,
  { height, limit }: Ask<'txs'>,
): Promise<Answer<'txs'>> {
  if (height !== undefined) {
    const block = await chainBlockAt(database, height);
    if (block === undefined) return [];
    const found = block.txs.slice(0, limit);
    return found.map((tx) => ({ ...rowOf(tx, block), request: tx.request }));
  }
  const rows: Answer<'txs'>[number][] = [];
  let before = Infinity;
  for (;;) {
    let query = database.selectFrom('chain_runs').selectAll().where('txs', '>', 0);
    if (Number.isFinite(before)) query = query.where('height', '<', before);
    const runs = await query.orderBy('height', 'desc').limit(RUNS_AT_ONCE).execute();
    for (const { block, tx } of newestFirst(runs)) {
      if (rows.length === limit) return rows;
      rows.push({ ...rowOf(tx, block), request: tx.request });
    }
    const last = runs.at(-1);
    if (last === undefined || runs.length < RUNS_AT_ONCE) return rows;
    before = last.height;
  }
}

function* newestFirst(
  runs: readonly ChainRun[],
): Generator<{ readonly block: ChainBlock; readonly tx: TxRecord }> {
  for (const run of runs) {
    for (const block of blocksOf(run).toReversed()) {
      for (const tx of block.txs.toReversed()) yield { block, tx };
    }
  }
}

export async function userTxs(
  database: Database,
  { cursor, endTime, limit, startTime, user }: Ask<'userTxs'>,
): Promise<Answer<'userTxs'>> {
  const rows: Answer<'userTxs'>['rows'][number][] = [];
  const from = startTime === undefined ? 0 : await firstHeight(database, startTime);
  const lastMs = Math.min(endTime ?? Infinity, cursor?.[0] ?? Infinity);
  const end = Number.isFinite(lastMs) ? await firstHeight(database, lastMs + 1) : Infinity;
  // The run that contains the last block is stored at a later height.
  let upTo = Number.isFinite(end) ? (await runAt(database, end - 1))?.height : Infinity;
  for (;;) {
    let query = runsWith(database, accountKey(user)).where('receipt_keys.height', '>=', from);
    if (upTo !== undefined && Number.isFinite(upTo)) {
      query = query.where('receipt_keys.height', '<=', upTo);
    }
    const runs = await query.orderBy('receipt_keys.height', 'desc').limit(RUNS_AT_ONCE).execute();
    for (const { block, tx } of newestFirst(runs)) {
      const { height, timeMs } = block;
      const place = [timeMs, height, tx.index] as const;
      const isBehind = cursor === undefined || comparePositions(place, cursor) < 0;
      if (tx.user !== user || height < from || height >= end || !isBehind) continue;
      const last = rows.at(-1);
      if (rows.length === limit && last !== undefined) {
        return { rows, next: [last.timeMs, last.height, last.index] };
      }
      rows.push(wholeRow(tx, block));
    }
    const last = runs.at(-1);
    if (last === undefined || runs.length < RUNS_AT_ONCE) return { rows, next: null };
    upTo = last.height - 1;
  }
}

/** Returns the first run that ends at or after a height. It need not contain that block. */
export function runAt(
  database: Database | Transaction<HistoryTables>,
  height: number,
): Promise<ChainRun | undefined> {
  return database
    .selectFrom('chain_runs')
    .selectAll()
    .where('height', '>=', height)
    .orderBy('height')
    .limit(1)
    .executeTakeFirst();
}

async function chainBlockAt(database: Database, height: number): Promise<ChainBlock | undefined> {
  const run = await runAt(database, height);
  if (run === undefined || run.first_height > height) return undefined;
  return blocksOf(run).find((each) => each.height === height);
}

/**
 * Returns the first block at or after a time. Block times never decrease and have no index, so this
 * is a binary search.
 */
export async function firstHeight(database: Database, timeMs: number): Promise<number> {
  const heights = database.selectFrom('blocks').select(['height', 'time_ms']);
  const first = await heights.orderBy('height').limit(1).executeTakeFirst();
  const last = await heights.orderBy('height', 'desc').limit(1).executeTakeFirst();
  if (first === undefined || last === undefined) return 0;
  let [low, high] = [first.height, last.height + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await heights
      .where('height', '>=', middle)
      .orderBy('height')
      .limit(1)
      .executeTakeFirst();
    if (found === undefined || found.time_ms >= timeMs) high = middle;
    else low = found.height + 1;
  }
  return low;
}

type StoredBlock = Selectable<HistoryTables['blocks']>;

function blockAt(database: Database, height: number): Promise<StoredBlock | undefined> {
  return database.selectFrom('blocks').selectAll().where('height', '=', height).executeTakeFirst();
}

async function blockOf(
  database: Database,
  ask: { readonly hash: string },
): Promise<StoredBlock | undefined> {
  const key = hashKey(ask.hash.slice(2));
  if (!Number.isSafeInteger(key)) return undefined;
  const rows = await database
    .selectFrom('blocks')
    .selectAll()
    .where('hash_key', '=', key)
    .orderBy('height')
    .execute();
  return rows.find((row) => hexOf(row.hash) === ask.hash);
}

export async function txsOf(database: Database, height: number): Promise<readonly TxRecord[]> {
  return (await chainBlockAt(database, height))?.txs ?? [];
}

function recordOf(row: StoredBlock): BlockRecord {
  return {
    height: row.height,
    timeMs: row.time_ms,
    hash: hexOf(row.hash),
    parentHash: hexOf(row.parent_hash),
    stateHash: hexOf(row.state_hash),
    numTxs: row.num_txs,
  };
}

function rowOf(
  { actionType, error, txHash, user }: TxRecord,
  { height, timeMs }: { readonly height: number; readonly timeMs: number },
): TxRecordRow {
  return { txHash, timeMs, user, actionType, height, error };
}

function wholeRow(tx: TxRecord, block: ChainBlock): NonNullable<Answer<'tx'>> {
  return { ...rowOf(tx, block), index: tx.index, request: tx.request };
}

function keyOf(query: ReceiptQuery): number {
  switch (query.by) {
    case 'txHash':
      return hashKey(query.txHash.slice(2));
    case 'traceId':
      return hashKey(query.traceId.replaceAll('-', ''));
    case 'signer':
      return signerKey(query.signer, query.nonce);
  }
}

function isAnswer(query: ReceiptQuery, row: ReceiptRow): boolean {
  switch (query.by) {
    case 'txHash':
      return row.txHash === query.txHash;
    case 'traceId':
      return traceId(row.txHash) === query.traceId;
    case 'signer':
      return row.signer === query.signer && row.nonce === query.nonce;
  }
}
