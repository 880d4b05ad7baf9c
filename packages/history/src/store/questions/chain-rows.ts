import type { Kysely, Selectable } from 'kysely';
import {
  accountKey,
  hashKey,
  isAnswer,
  keyOf,
  unpackReceipts,
  unpackTxs,
} from '../chain-codecs.ts';
import type { Answer, Ask, BlockRecord, TxRecordRow } from '../../history.ts';
import type { ReceiptRow } from '../../receipt.ts';
import type { TxRecord } from '../../rows/block-rows.ts';
import { hexOf } from '../row-codecs.ts';
import type { HistoryTables } from '../history-tables.ts';
import { comparePositions } from './run-rows.ts';

type Database = Kysely<HistoryTables>;

/**
 * The receipt that was executed first: of a hash or a nonce, later ones executed nothing. It may have
 * been completed after them, so all that answer are compared.
 */
export async function receipt(
  database: Database,
  query: Ask<'receipt'>,
): Promise<Answer<'receipt'>> {
  const key = keyOf(query);
  if (!Number.isSafeInteger(key)) return null;
  const stored = await database
    .selectFrom('receipt_keys')
    .innerJoin('receipt_blocks', 'receipt_blocks.height', 'receipt_keys.height')
    .selectAll('receipt_blocks')
    .where('receipt_keys.key', '=', key)
    .orderBy('receipt_blocks.height')
    .execute();
  let first: ReceiptRow | null = null;
  for (const packed of stored) {
    const row = unpackReceipts(packed).find((each) => isAnswer(query, each));
    if (row !== undefined && (first === null || row.height < first.height)) first = row;
  }
  return first;
}

export async function blocks(
  database: Database,
  { before, limit }: Ask<'blocks'>,
): Promise<Answer<'blocks'>> {
  let query = database.selectFrom('blocks').selectAll();
  if (before !== undefined) query = query.where('height', '<', before);
  const rows = await query.orderBy('height', 'desc').limit(limit).execute();
  return rows.map(recordOf);
}

export async function block(database: Database, ask: Ask<'block'>): Promise<Answer<'block'>> {
  const found =
    'height' in ask ? await blockAt(database, ask.height) : await blockOf(database, ask);
  if (found === undefined) return null;
  const record = recordOf(found);
  const executed = await txsOf(database, record.height);
  return { ...record, txs: executed.map((each) => rowOf(each, record)) };
}

/** The requests of a block as they are stored, and its time. */
const PACKED_TXS = [
  'tx_blocks.height',
  'tx_blocks.txs',
  'tx_blocks.crc',
  'tx_blocks.packed',
  'blocks.time_ms',
] as const;

export async function tx(database: Database, { txHash }: Ask<'tx'>): Promise<Answer<'tx'>> {
  const key = hashKey(txHash.slice(2));
  if (!Number.isSafeInteger(key)) return null;
  const packed = await database
    .selectFrom('receipt_keys')
    .innerJoin('tx_blocks', 'tx_blocks.height', 'receipt_keys.height')
    .innerJoin('blocks', 'blocks.height', 'receipt_keys.height')
    .select(PACKED_TXS)
    .where('receipt_keys.key', '=', key)
    .orderBy('tx_blocks.height')
    .execute();
  for (const { time_ms: timeMs, ...rest } of packed) {
    const found = unpackTxs(rest).find((each) => each.txHash === txHash);
    if (found === undefined) continue;
    const { index, request } = found;
    return { ...rowOf(found, { height: rest.height, timeMs }), index, request };
  }
  return null;
}

export async function txs(
  database: Database,
  { height, limit }: Ask<'txs'>,
): Promise<Answer<'txs'>> {
  const query = database
    .selectFrom('tx_blocks')
    .innerJoin('blocks', 'blocks.height', 'tx_blocks.height')
    .select(PACKED_TXS);
  const packed =
    height === undefined
      ? // Each of them has at least one.
        await query.orderBy('tx_blocks.height', 'desc').limit(limit).execute()
      : await query.where('tx_blocks.height', '=', height).execute();
  const rows: Answer<'txs'>[number][] = [];
  for (const { time_ms: timeMs, ...rest } of packed) {
    const found = unpackTxs(rest);
    for (const each of height === undefined ? found.reverse() : found) {
      if (rows.length === limit) return rows;
      rows.push({ ...rowOf(each, { height: rest.height, timeMs }), request: each.request });
    }
  }
  return rows;
}

/** As many blocks at a time: most requests are alone in theirs, as far as one account goes. */
const BLOCKS_AT_ONCE = 100;

/** The requests of one account, newest first. */
export async function userTxs(
  database: Database,
  { cursor, endTime, limit, startTime, user }: Ask<'userTxs'>,
): Promise<Answer<'userTxs'>> {
  const rows: Answer<'userTxs'>['rows'][number][] = [];
  const from = startTime === undefined ? 0 : await firstHeight(database, startTime);
  const lastMs = Math.min(endTime ?? Infinity, cursor?.[0] ?? Infinity);
  let high = Number.isFinite(lastMs) ? (await firstHeight(database, lastMs + 1)) - 1 : Infinity;
  for (;;) {
    let query = database
      .selectFrom('receipt_keys')
      .innerJoin('tx_blocks', 'tx_blocks.height', 'receipt_keys.height')
      .innerJoin('blocks', 'blocks.height', 'receipt_keys.height')
      .select(PACKED_TXS)
      .where('receipt_keys.key', '=', accountKey(user))
      .where('receipt_keys.height', '>=', from);
    if (Number.isFinite(high)) query = query.where('receipt_keys.height', '<=', high);
    const packed = await query
      .orderBy('receipt_keys.height', 'desc')
      .limit(BLOCKS_AT_ONCE)
      .execute();
    for (const { time_ms: timeMs, ...rest } of packed) {
      const { height } = rest;
      for (const each of unpackTxs(rest).reverse()) {
        const place = [timeMs, height, each.index] as const;
        const isBehind = cursor === undefined || comparePositions(place, cursor) < 0;
        if (each.user !== user || !isBehind) continue;
        const last = rows.at(-1);
        if (rows.length === limit && last !== undefined) {
          return { rows, next: [last.timeMs, last.height, last.index] };
        }
        const { index, request } = each;
        rows.push({ ...rowOf(each, { height, timeMs }), index, request });
      }
      high = height - 1;
    }
    if (packed.length < BLOCKS_AT_ONCE) return { rows, next: null };
  }
}

/** The first block of a time or a later one, by halves: time never goes back, and has no index. */
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
  { hash }: { readonly hash: string },
): Promise<StoredBlock | undefined> {
  const key = hashKey(hash.slice(2));
  if (!Number.isSafeInteger(key)) return undefined;
  const rows = await database
    .selectFrom('blocks')
    .selectAll()
    .where('hash_key', '=', key)
    .orderBy('height')
    .execute();
  return rows.find((row) => hexOf(row.hash) === hash);
}

/** The requests of a block, in their order. */
export async function txsOf(database: Database, height: number): Promise<readonly TxRecord[]> {
  const packed = await database
    .selectFrom('tx_blocks')
    .selectAll()
    .where('height', '=', height)
    .executeTakeFirst();
  return packed === undefined ? [] : unpackTxs(packed);
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
