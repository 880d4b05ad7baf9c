import { hash as digest } from 'node:crypto';
import { cloidKey, traceId } from '@oddlot/protocol';
import { address, hash } from '@oddlot/units';
import type { ReceiptBlock, ReceiptQuery, ReceiptRow } from '../receipt.ts';
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { HistoryDamagedError } from './store-errors.ts';
import type { TxRecord } from '../rows/block-rows.ts';

/**
 * The receipts of a block as one text: two lines a receipt, its fields and its body. A block is
 * written once and read rarely, so what counts is that making the text costs next to nothing; the
 * body is JSON and so has no line breaks of its own. A receipt that was completed after the block that
 * executed its action names that block at the end of its fields.
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

/** Where the fields of another block start. */
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

/** Digits of a hash that make its key: those that a trace id leaves as they are. */
const HASH_KEY_DIGITS = 12;
const SIGNER_KEY_DIGITS = 10;
/** Above every key of a hash, so that one index serves both. */
const SIGNER_KEYS = 2 ** 49;

/** 48 bits of a transaction hash or a trace id: where to look, not proof of what is there. */
export function hashKey(hex: string): number {
  return Number.parseInt(hex.slice(0, HASH_KEY_DIGITS), 16);
}

/** Above every key of a signer. */
const ACCOUNT_KEYS = 2 ** 51;

/** The same for the account that a request acts for: one for each block that has some of its requests. */
export function accountKey(user: string): number {
  return ACCOUNT_KEYS + Number.parseInt(user.slice(2, 2 + HASH_KEY_DIGITS), 16);
}

/** 48 bits that stand for a client order id of an account: a hash, so that nobody can choose another's. */
export function clientIdKey(user: string, clientOrderId: string): number {
  return hashKey(digest('sha1', `${user} ${cloidKey(clientOrderId) ?? ''}`));
}

/** The same for a signer and a nonce. */
export function signerKey(signer: string, nonce: number): number {
  return SIGNER_KEYS + Number.parseInt(signer.slice(2, 2 + SIGNER_KEY_DIGITS), 16) + nonce;
}

/**
 * Receipts: a row a block, and a narrow index from 48-bit keys to the blocks to look in. A wide table
 * with an index for each way to ask was measured to cost more than everything else that a request needs.
 *
 * SQLite does not notice a flipped byte inside of a value, so each row carries a checksum of its own.
 * Those of the first release have none.
 */
type PackedReceipts = {
  readonly height: number;
  readonly time_ms: number;
  readonly block_hash: string;
  readonly receipts: string;
  readonly crc: number | null;
  /** Instead of the text, where that is long. */
  readonly packed: Uint8Array | null;
};

export function packReceipts({
  blockHash,
  height,
  receipts,
  timeMs,
}: ReceiptBlock): PackedReceipts {
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

/** Where the index has to point from to find a receipt. */
export function keysOf({ nonce, signer, txHash }: ReceiptRow): readonly [number, number] {
  return [hashKey(txHash.slice(2)), signerKey(signer, nonce)];
}

export function keyOf(query: ReceiptQuery): number {
  switch (query.by) {
    case 'txHash':
      return hashKey(query.txHash.slice(2));
    case 'traceId':
      return hashKey(query.traceId.replaceAll('-', ''));
    case 'signer':
      return signerKey(query.signer, query.nonce);
  }
}

export function isAnswer(query: ReceiptQuery, row: ReceiptRow): boolean {
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

/** The requests of a block as one text: they are written once, and read a block at a time. */
type PackedTxs = {
  readonly height: number;
  readonly txs: string;
  readonly crc: number;
  /** Instead of the text, where that is long. */
  readonly packed: Uint8Array | null;
};

type Tuple = readonly [
  index: number,
  txHash: string,
  user: string,
  actionType: string,
  error: string | null,
  request: string,
];

export function packTxs(height: number, txs: readonly TxRecord[]): PackedTxs {
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

/** Shorter texts gain little, and each costs a start of the compressor. */
const PACKED_CHARS_MIN = 512;

/** A text as it is stored: as it is, or as bytes beside an empty one. */
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
