import type { Kysely, Selectable } from 'kysely';
import { hashKey } from '../receipt-codec.ts';
import type { Answer, Ask, BlockRecord, TxRecordRow } from '../../history.ts';
import type { ReceiptRow } from '../../receipt-row.ts';
import type { TxRecord } from '../../rows/block-rows.ts';
import { hexOf } from '../bytes.ts';
import type { HistoryTables } from '../history-tables.ts';
import { isAnswer, keyOf, unpackReceipts } from '../packed-receipts.ts';
import { unpackTxs } from '../packed-txs.ts';

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

async function txsOf(database: Database, height: number): Promise<readonly TxRecord[]> {
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
