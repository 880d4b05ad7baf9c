import { crc32 } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import { address, hash } from '@oddlot/units';
import type { ReceiptRow } from '../receipt.ts';
import type { TxRecord } from '../rows/block-rows.ts';
import { type ChainBlock, decompressed } from './chain-runs.ts';
import { listOf } from './pages.ts';
import { HistoryDamagedError } from './store-errors.ts';
import { hexOf } from './table.ts';

/**
 * The number of blocks read at once. Earlier releases stored requests and receipts as one text per
 * block in each of two tables, compressed if it was long. A migration moves them into runs.
 */
const BLOCKS_AT_ONCE = 128;

/** Returns the blocks that have requests or receipts, in order, a few at a time. */
export async function* earlierBlocks(database: Kysely<unknown>): AsyncGenerator<ChainBlock[]> {
  let after = 0;
  for (;;) {
    const { rows } = await sql<{ height: number }>`
      SELECT height FROM tx_blocks WHERE height > ${after}
      UNION SELECT height FROM receipt_blocks WHERE height > ${after}
      ORDER BY height LIMIT ${BLOCKS_AT_ONCE}`.execute(database);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.height;
    const heights = listOf(rows.map(({ height }) => height));
    const blocks = await byHeight<EarlierBlock>(database, 'blocks', heights);
    const txs = await byHeight<EarlierTxs>(database, 'tx_blocks', heights);
    const receipts = await byHeight<EarlierReceipts>(database, 'receipt_blocks', heights);
    yield rows.map(({ height }) => {
      const [requests, answers] = [txs.get(height), receipts.get(height)];
      const block = blocks.get(height);
      const place =
        answers === undefined
          ? placeOf(height, block)
          : { height, timeMs: answers.time_ms, blockHash: hash(answers.block_hash) };
      return {
        ...place,
        txs: requests === undefined ? [] : unpackTxs(requests),
        receipts: answers === undefined ? [] : unpackReceipts(answers),
      };
    });
  }
}

type EarlierPlace = Pick<ChainBlock, 'height' | 'timeMs' | 'blockHash'>;
type EarlierBlock = {
  readonly height: number;
  readonly time_ms: number;
  readonly hash: Uint8Array;
};
type EarlierTxs = {
  readonly height: number;
  readonly txs: string;
  readonly crc: number;
  readonly packed: Uint8Array | null;
};
type EarlierReceipts = {
  readonly height: number;
  readonly time_ms: number;
  readonly block_hash: string;
  readonly receipts: string;
  /** The checksum; absent in rows written by release 0.1.0. */
  readonly crc: number | null;
  readonly packed: Uint8Array | null;
};

async function byHeight<Row extends { readonly height: number }>(
  database: Kysely<unknown>,
  table: string,
  heights: ReturnType<typeof listOf>,
): Promise<ReadonlyMap<number, Row>> {
  const { rows } = await sql<Row>`
    SELECT * FROM ${sql.table(table)} WHERE height IN (${heights})`.execute(database);
  return new Map(rows.map((row) => [row.height, row]));
}

function placeOf(height: number, block: EarlierBlock | undefined): EarlierPlace {
  if (block === undefined) throw new HistoryDamagedError(`block ${height} is missing`);
  return { height, timeMs: block.time_ms, blockHash: hash(hexOf(block.hash)) };
}

type Tuple = readonly [
  index: number,
  txHash: string,
  user: string,
  actionType: string,
  error: string | null,
  request: string,
];

function unpackTxs({ crc, height, packed, txs }: EarlierTxs): TxRecord[] {
  const whole = unpackText(txs, packed);
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

function unpackReceipts(stored: EarlierReceipts): ReceiptRow[] {
  const { block_hash: blockHash, crc, height, packed, time_ms: timeMs } = stored;
  const text = unpackText(stored.receipts, packed);
  if (crc !== null && crc32(`${height} ${timeMs} ${blockHash}\n${text}`) !== crc) {
    throw new HistoryDamagedError(`the receipts of block ${height} are damaged`);
  }
  return decodeReceipts({ height, timeMs, blockHash: hash(blockHash) }, text);
}

/** The text is empty if its compressed bytes are stored. */
function unpackText(text: string, packed: Uint8Array | null): string {
  return packed === null ? text : decompressed(packed).toString();
}

/** The index of the first field that refers to an earlier block. */
const BLOCK_FIELDS = 7;

function decodeReceipts(block: EarlierPlace, text: string): ReceiptRow[] {
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
