import { hash as digest } from 'node:crypto';
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Kysely, Selectable } from 'kysely';
import { cloidKey, traceId } from '@oddlot/protocol';
import { address, hash } from '@oddlot/units';
import type { Answer, Ask, BlockRecord, TxRecordRow } from '../history.ts';
import type { ReceiptBlock, ReceiptQuery, ReceiptRow } from '../receipt.ts';
import type { BlockRows, TxRecord } from '../rows/block-rows.ts';
import type { Draft, HistoryTables } from './history-tables.ts';
import { comparePositions } from './pages.ts';
import { HistoryDamagedError } from './store-errors.ts';
import { bytesOf, hexOf } from './table.ts';

type Database = Kysely<HistoryTables>;

export function addChain(draft: Draft, { head, receipts, txs }: BlockRows): void {
  const { hash: blockHash, height, parentHash, stateHash, timeMs } = head;
  const hashes = [bytesOf(blockHash), hashKey(blockHash.slice(2)), bytesOf(parentHash)] as const;
  draft.add('blocks', [height, timeMs, ...hashes, bytesOf(stateHash), txs.length]);
  draft.count('blocks');
  const keys = new Set<number>();
  if (txs.length > 0) {
    const packed = packTxs(height, txs);
    draft.add('tx_blocks', [height, packed.txs, packed.crc, packed.packed]);
    draft.count('txs', txs.length);
    for (const { txHash, user } of txs) keys.add(hashKey(txHash.slice(2))).add(accountKey(user));
  }
  if (receipts.length > 0) {
    const packed = packReceipts({ height, timeMs, blockHash, receipts });
    const { crc, packed: bytes, receipts: text } = packed;
    draft.add('receipt_blocks', [height, timeMs, blockHash, text, crc, bytes]);
    draft.count('receipts', receipts.length);
    for (const receipt of receipts) for (const key of keysOf(receipt)) keys.add(key);
  }
  for (const key of keys) draft.add('receipt_keys', [key, height]);
}

/**
 * Returns the receipt of the first execution, because later requests with the same hash or nonce
 * executed nothing. The first one may have been completed last, so all matches are compared.
 */
export async function findReceipt(
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

const PACKED_TXS = [
  'tx_blocks.height',
  'tx_blocks.txs',
  'tx_blocks.crc',
  'tx_blocks.packed',
  'blocks.time_ms',
] as const;

export async function findTx(database: Database, { txHash }: Ask<'tx'>): Promise<Answer<'tx'>> {
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

export async function findTxs(
  database: Database,
  { height, limit }: Ask<'txs'>,
): Promise<Answer<'txs'>> {
  const query = database
    .selectFrom('tx_blocks')
    .innerJoin('blocks', 'blocks.height', 'tx_blocks.height')
    .select(PACKED_TXS);
  const packed =
    height === undefined
      ? // Each stored block has at least one request, so `limit` blocks are enough.
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

/** Number of blocks per query. Most blocks contain one request of an account. */
const BLOCKS_AT_ONCE = 100;

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

/**
 * Encodes the receipts of a block as one text with two lines per receipt: fields and body. A block
 * is written once and rarely read, so encoding must be cheap. The body is JSON without line breaks.
 * The last fields name the block that executed the action if it is an earlier one.
 */
export function encodeReceipts(height: number, receipts: readonly ReceiptRow[]): string {
  let text = '';
  for (const row of receipts) {
    const { actionType, body, failed, index, nonce, signer, txHash, user } = row;
    const fields = `${txHash} ${signer} ${user} ${nonce} ${index} ${failed ? 1 : 0} ${actionType}`;
    const block = row.height === height ? '' : ` ${row.height} ${row.timeMs} ${row.blockHash}`;
    text += `${fields}${block}\n${body}\n`;
  }
  return text;
}

/** Index of the first field that names an earlier block. */
const BLOCK_FIELDS = 7;

export function decodeReceipts(block: Omit<ReceiptBlock, 'receipts'>, text: string): ReceiptRow[] {
  const lines = text.split('\n');
  const rows: ReceiptRow[] = [];
  for (let line = 0; line + 1 < lines.length; line += 2) {
    const fields = (lines[line] ?? '').split(' ');
    const [txHash = '', signer = '', user = '', nonce, index, failed, actionType = ''] = fields;
    const [height, timeMs, blockHash] = fields.slice(BLOCK_FIELDS);
    rows.push({
      txHash: hash(txHash),
      signer: address(signer),
      user: address(user),
      nonce: Number(nonce),
      index: Number(index),
      failed: failed === '1',
      actionType,
      height: height === undefined ? block.height : Number(height),
      timeMs: timeMs === undefined ? block.timeMs : Number(timeMs),
      blockHash: blockHash === undefined ? block.blockHash : hash(blockHash),
      body: lines[line + 1] ?? '',
    });
  }
  return rows;
}

/**
 * Number of leading hex digits of a hash that form its key. A trace id begins with the same digits.
 */
const HASH_KEY_DIGITS = 12;
const SIGNER_KEY_DIGITS = 10;
/** Greater than all keys of hashes, because both kinds share an index. */
const SIGNER_KEYS = 2 ** 49;

/** Returns 48 bits of a transaction hash or trace id. Different hashes can have the same key. */
export function hashKey(hex: string): number {
  return Number.parseInt(hex.slice(0, HASH_KEY_DIGITS), 16);
}

/** Greater than all keys of signers. */
const ACCOUNT_KEYS = 2 ** 51;

/**
 * Returns the index key of an account, which is stored once per block with requests of the account.
 */
export function accountKey(user: string): number {
  return ACCOUNT_KEYS + Number.parseInt(user.slice(2, 2 + HASH_KEY_DIGITS), 16);
}

/**
 * Returns 48 bits of a hash of account and client order id, so that clients cannot choose the key
 * of another account.
 */
export function clientIdKey(user: string, clientOrderId: string): number {
  return hashKey(digest('sha1', `${user} ${cloidKey(clientOrderId) ?? ''}`));
}

export function signerKey(signer: string, nonce: number): number {
  return SIGNER_KEYS + Number.parseInt(signer.slice(2, 2 + SIGNER_KEY_DIGITS), 16) + nonce;
}

/**
 * Receipts are stored as one row per block with a narrow index from 48-bit keys to blocks. In
 * measurements, a table with one row per receipt and one index per query cost more than all other
 * work for a request. SQLite does not detect a changed byte in a value, so each row has a checksum,
 * except rows of release 0.1.0.
 */
type PackedReceipts = HistoryTables['receipt_blocks'];

function packReceipts({ blockHash, height, receipts, timeMs }: ReceiptBlock): PackedReceipts {
  const whole = encodeReceipts(height, receipts);
  const row = { height, time_ms: timeMs, block_hash: blockHash, receipts: whole };
  const { packed, text } = packText(whole);
  return { ...row, receipts: text, crc: checksumOf(row), packed };
}

export function unpackReceipts(packed: PackedReceipts): ReceiptRow[] {
  const { block_hash: blockHash, height, time_ms: timeMs } = packed;
  const receipts = unpackText({ text: packed.receipts, packed: packed.packed });
  if (packed.crc !== null && checksumOf({ ...packed, receipts }) !== packed.crc) {
    throw new HistoryDamagedError(`the receipts of block ${height} are damaged`);
  }
  return decodeReceipts({ height, timeMs, blockHash: hash(blockHash) }, receipts);
}

export function keysOf({ nonce, signer, txHash }: ReceiptRow): readonly [number, number] {
  return [hashKey(txHash.slice(2)), signerKey(signer, nonce)];
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

function checksumOf(row: Omit<PackedReceipts, 'crc' | 'packed'>): number {
  return crc32(`${row.height} ${row.time_ms} ${row.block_hash}\n${row.receipts}`);
}

/**
 * The requests of a block are stored as one text, because they are written once and read by block.
 */
type PackedTxs = HistoryTables['tx_blocks'];

type Tuple = readonly [
  index: number,
  txHash: string,
  user: string,
  actionType: string,
  error: string | null,
  request: string,
];

function packTxs(height: number, txs: readonly TxRecord[]): PackedTxs {
  const tuples: Tuple[] = txs.map(({ actionType, error, index, request, txHash, user }) => [
    index,
    txHash,
    user,
    actionType,
    error,
    request,
  ]);
  const whole = JSON.stringify(tuples);
  const { packed, text } = packText(whole);
  return { height, txs: text, crc: crc32(`${height}\n${whole}`), packed };
}

export function unpackTxs({ crc, height, packed, txs }: PackedTxs): TxRecord[] {
  const whole = unpackText({ text: txs, packed });
  if (crc32(`${height}\n${whole}`) !== crc) {
    throw new HistoryDamagedError(`the requests of block ${height} are damaged`);
  }
  return (JSON.parse(whole) as Tuple[]).map(
    ([index, txHash, user, actionType, error, request]) => ({
      index,
      txHash: hash(txHash),
      user: address(user),
      actionType,
      error,
      request,
    }),
  );
}

/** Shorter texts are stored uncompressed, because compression would save little. */
const PACKED_CHARS_MIN = 512;

/** Stored text, which is empty if `packed` contains the compressed bytes. */
type StoredText = { readonly text: string; readonly packed: Uint8Array | null };

function packText(text: string): StoredText {
  if (text.length < PACKED_CHARS_MIN) return { text, packed: null };
  return { text: '', packed: zstdCompressSync(text) };
}

export function unpackText({ packed, text }: StoredText): string {
  if (packed === null) return text;
  try {
    return zstdDecompressSync(packed).toString();
  } catch (error) {
    throw new HistoryDamagedError('a packed text is damaged', { cause: error });
  }
}
