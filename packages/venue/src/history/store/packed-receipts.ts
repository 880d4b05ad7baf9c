import { crc32 } from 'node:zlib';
import { traceId } from '@oddlot/protocol';
import { hash } from '@oddlot/units';
import { packText, unpackText } from './packed/packed-text.ts';
import { decodeReceipts, encodeReceipts, hashKey, signerKey } from './receipt-codec.ts';
import type { ReceiptBlock, ReceiptQuery, ReceiptRow } from '../receipt-row.ts';
import { HistoryDamagedError } from './store-errors.ts';

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
