import { hash as digest } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteReader, ByteWriter } from '@oddlot/replica/codec/bytes';
import { cloidKey } from '@oddlot/protocol';
import { address, type Hash, hash, present } from '@oddlot/units';
import type { ReceiptRow } from '../receipt.ts';
import type { BlockRows, TxRecord } from '../rows/block-rows.ts';
import type { Draft, HistoryTables } from './history-tables.ts';
import { opened, sealed } from './packed-rows.ts';
import { HistoryDamagedError } from './store-errors.ts';
import { bytesOf } from './table.ts';

/**
 * The requests and receipts of a block. A block without either is not part of a run. Its receipts
 * can belong to actions executed by an earlier block.
 */
export type ChainBlock = {
  readonly height: number;
  readonly timeMs: number;
  readonly blockHash: Hash;
  readonly txs: readonly TxRecord[];
  readonly receipts: readonly ReceiptRow[];
};

export type ChainRun = HistoryTables['chain_runs'];

/**
 * The limits of a run. A lookup decodes a whole run, so runs are short. Compressing a run as a
 * whole takes much less space and time than compressing its blocks one by one.
 */
const RUN_CHARS_MAX = 64 * 1024;
const RUN_ITEMS_MAX = 128;
/** The approximate size of a request or receipt without its text. */
const CHARS_PER_ITEM = 100;

/** Adds blocks, and runs of consecutive blocks that are written together. */
export function addChain(draft: Draft, blocks: readonly BlockRows[]): void {
  for (const { head, receipts, txs } of blocks) {
    const { hash: blockHash, height, parentHash, stateHash, timeMs } = head;
    const hashes = [bytesOf(blockHash), hashKey(blockHash.slice(2)), bytesOf(parentHash)] as const;
    draft.add('blocks', [height, timeMs, ...hashes, bytesOf(stateHash), txs.length]);
    draft.count('blocks');
    draft.count('txs', txs.length);
    draft.count('receipts', receipts.length);
  }
  for (const run of runsOf(blocks.map(chainBlockOf))) addChainRun(draft, run);
}

function chainBlockOf({ head, receipts, txs }: BlockRows): ChainBlock {
  return { height: head.height, timeMs: head.timeMs, blockHash: head.hash, txs, receipts };
}

export function* runsOf(blocks: Iterable<ChainBlock>): Generator<readonly ChainBlock[]> {
  let run: ChainBlock[] = [];
  let chars = 0;
  let items = 0;
  for (const block of blocks) {
    const { receipts, txs } = block;
    if (txs.length + receipts.length === 0) continue;
    run.push(block);
    items += txs.length + receipts.length;
    chars += CHARS_PER_ITEM * (txs.length + receipts.length);
    for (const { request } of txs) chars += request.length;
    for (const { body } of receipts) chars += body.length;
    if (chars < RUN_CHARS_MAX && items < RUN_ITEMS_MAX) continue;
    yield run;
    run = [];
    chars = 0;
    items = 0;
  }
  if (run.length > 0) yield run;
}

export function addChainRun(draft: Draft, blocks: readonly ChainBlock[]): void {
  const run = chainRun(blocks);
  const { body, first_height: firstHeight, first_ms: firstMs, height, receipts, txs } = run;
  draft.add('chain_runs', [height, firstHeight, firstMs, txs, receipts, body]);
  for (const key of keysOf(blocks)) draft.add('receipt_keys', [key, height]);
}

/** Returns the row for a run of blocks. Its height is that of the last block. */
export function chainRun(blocks: readonly ChainBlock[]): ChainRun {
  return { ...columnsOf(blocks), body: encodeRun(blocks) };
}

/** Returns the blocks of a run; throws HistoryDamagedError if they do not match its columns. */
export function blocksOf(run: ChainRun): readonly ChainBlock[] {
  const blocks = decodeRun(run.body);
  const { first_height: firstHeight, first_ms: firstMs, height, receipts, txs } = run;
  const own = Object.values(columnsOf(blocks)).join(' ');
  if (own !== [height, firstHeight, firstMs, txs, receipts].join(' ')) {
    throw new HistoryDamagedError(`the requests and receipts up to block ${height} are damaged`);
  }
  return blocks;
}

function columnsOf(blocks: readonly ChainBlock[]): Omit<ChainRun, 'body'> {
  const [first, last] = [blocks[0], blocks.at(-1)];
  let txs = 0;
  let receipts = 0;
  for (const block of blocks) {
    txs += block.txs.length;
    receipts += block.receipts.length;
  }
  const { height: firstHeight, timeMs: firstMs } = present(first, 'the first block of a run');
  const { height } = present(last, 'the last block of a run');
  return { height, first_height: firstHeight, first_ms: firstMs, txs, receipts };
}

const INITIAL_BYTES = 4_096;
/** A buffer that has grown beyond this size is released. */
const RETAINED_BYTES_MAX = 1024 * 1024;
const writer = new ByteWriter(INITIAL_BYTES);
/** Hashes and halves of signatures, which cannot be compressed and would spoil other texts. */
const words = new ByteWriter(INITIAL_BYTES);
/** The form of runs whose words are among the compressed bytes. */
const MIXED = 1;
const WORDS_APART = 2;
/** The first byte of compressed data. Runs with separate words begin with their form instead. */
const COMPRESSED = 0x28;
const WORD_BYTES = 32;
const WORD = /0x[0-9a-f]{64}/g;
/** Replaces a word in a text. JSON contains no such character; other texts are stored unchanged. */
const WORD_MARK = '\u0001';

/** The bits of a receipt. New bits are appended; none is ever removed or moved. */
const FAILED = 1;
/** The request with the same index is in the same block, and has these fields. */
const HAS_REQUEST = 2;
const IS_SIGNED_BY_USER = 4;
/** An earlier block executed the action. */
const IS_LATE = 8;

/**
 * Encodes blocks as bytes: the number of words, the words, and the compressed rest. Hashes and
 * addresses are binary. The hash, the account and the type of a request are not repeated in its
 * receipt.
 */
export function encodeRun(blocks: readonly ChainBlock[]): Uint8Array {
  writer.clear(RETAINED_BYTES_MAX, INITIAL_BYTES);
  words.clear(RETAINED_BYTES_MAX, INITIAL_BYTES);
  writer.int(blocks.length);
  let last = { height: 0, timeMs: 0 };
  for (const block of blocks) {
    const { blockHash, height, receipts, timeMs, txs } = block;
    writer.int(height - last.height);
    writer.int(timeMs - last.timeMs);
    writeWord(blockHash);
    writer.int(txs.length);
    for (const { actionType, error, index, request, txHash, user } of txs) {
      writeAction({ actionType, index, txHash, user });
      writer.text(error === null ? '' : `:${error}`);
      writeRequest(request);
    }
    writer.int(receipts.length);
    let place = 0;
    for (const receipt of receipts) {
      while ((txs[place]?.index ?? Infinity) < receipt.index) place += 1;
      writeReceipt(block, receipt, txs[place]);
    }
    last = block;
  }
  const rest = zstdCompressSync(writer.written);
  writer.clear(RETAINED_BYTES_MAX, INITIAL_BYTES);
  writer.byte(WORDS_APART);
  writer.int(words.length / WORD_BYTES);
  writer.copy(words.written);
  writer.copy(rest);
  return sealed(writer);
}

function writeWord(hex: string): void {
  words.digits(hex.slice(2));
}

/** Writes a request without its words. The byte before it is 1 if it is stored unchanged. */
function writeRequest(request: string): void {
  const isPlain = request.includes(WORD_MARK);
  writer.byte(isPlain ? 1 : 0);
  if (isPlain) writer.text(request);
  else {
    const rest = request.replace(WORD, (word) => {
      writeWord(word);
      return WORD_MARK;
    });
    writer.text(rest);
  }
}

type Action = Pick<TxRecord, 'index' | 'txHash' | 'user' | 'actionType'>;

function writeAction({ actionType, index, txHash, user }: Action): void {
  writer.int(index);
  writeWord(txHash);
  writer.text(user);
  writer.text(actionType);
}

function writeReceipt(block: ChainBlock, receipt: ReceiptRow, tx: TxRecord | undefined): void {
  const { blockHash, body, failed, height, nonce, signer, timeMs } = receipt;
  const isLate = height !== block.height;
  const hasRequest = tx !== undefined && !isLate && isSame(receipt, tx);
  const isSignedByUser = signer === receipt.user;
  writer.byte(
    (failed ? FAILED : 0) |
      (hasRequest ? HAS_REQUEST : 0) |
      (isSignedByUser ? IS_SIGNED_BY_USER : 0) |
      (isLate ? IS_LATE : 0),
  );
  if (hasRequest) writer.int(receipt.index);
  else writeAction(receipt);
  if (!isSignedByUser) writer.text(signer);
  writer.number(nonce);
  if (isLate) {
    writer.number(height);
    writer.number(timeMs);
    writeWord(blockHash);
  }
  writer.text(body);
}

function isSame(receipt: Action, tx: Action): boolean {
  const { actionType, index, txHash, user } = tx;
  if (receipt.index !== index || receipt.txHash !== txHash) return false;
  return receipt.user === user && receipt.actionType === actionType;
}

/** Reads a run in either form. */
class RunReader {
  readonly rest: ByteReader;
  readonly #words: ByteReader | undefined;

  constructor(bytes: Uint8Array) {
    if (bytes[0] === COMPRESSED) {
      this.rest = opened(decompressed(bytes));
      if (this.rest.byte() !== MIXED) throw new HistoryDamagedError('a run has an unknown form');
      return;
    }
    const reader = opened(bytes);
    if (reader.byte() !== WORDS_APART) throw new HistoryDamagedError('a run has an unknown form');
    const wordBytes = WORD_BYTES * reader.int();
    this.#words = new ByteReader(reader.raw(wordBytes));
    this.rest = new ByteReader(decompressed(reader.remaining()));
  }

  word(): string {
    if (this.#words === undefined) return this.rest.text();
    return `0x${this.#words.raw(WORD_BYTES).toString('hex')}`;
  }

  request(): string {
    const isPlain = this.#words === undefined || this.rest.byte() === 1;
    const text = this.rest.text();
    return isPlain ? text : text.replaceAll(WORD_MARK, () => this.word());
  }
}

export function decodeRun(bytes: Uint8Array): ChainBlock[] {
  const run = new RunReader(bytes);
  const reader = run.rest;
  let [height, timeMs] = [0, 0];
  return Array.from({ length: reader.int() }, () => {
    height += reader.int();
    timeMs += reader.int();
    const place = { height, timeMs, blockHash: hash(run.word()) };
    const txs = Array.from({ length: reader.int() }, (): TxRecord => {
      const action = readAction(run);
      const error = reader.text();
      const request = run.request();
      return { ...action, error: error === '' ? null : error.slice(1), request };
    });
    const byIndex = new Map(txs.map((tx) => [tx.index, tx]));
    const receipts = Array.from({ length: reader.int() }, () => readReceipt(run, place, byIndex));
    return { ...place, txs, receipts };
  });
}

/** Also used for single texts written by releases before 0.4.0. */
export function decompressed(bytes: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(bytes);
  } catch (error) {
    throw new HistoryDamagedError('compressed rows are damaged', { cause: error });
  }
}

function readAction(run: RunReader): Action {
  const reader = run.rest;
  const index = reader.int();
  const txHash = hash(run.word());
  return { index, txHash, user: address(reader.text()), actionType: reader.text() };
}

function readReceipt(
  run: RunReader,
  place: Pick<ChainBlock, 'height' | 'timeMs' | 'blockHash'>,
  txs: ReadonlyMap<number, Action>,
): ReceiptRow {
  const reader = run.rest;
  const bits = reader.byte();
  const has = (bit: number): boolean => (bits & bit) !== 0;
  const { actionType, index, txHash, user } = has(HAS_REQUEST)
    ? present(txs.get(reader.int()), 'the request of a receipt')
    : readAction(run);
  const signer = has(IS_SIGNED_BY_USER) ? user : address(reader.text());
  const nonce = reader.number();
  const { blockHash, height, timeMs } = has(IS_LATE)
    ? { height: reader.number(), timeMs: reader.number(), blockHash: hash(run.word()) }
    : place;
  const action = { txHash, signer, user, nonce, actionType, height, timeMs, blockHash, index };
  return { ...action, failed: has(FAILED), body: reader.text() };
}

/**
 * The number of leading hex digits of a hash that form its key. A trace id begins with the same
 * digits.
 */
const HASH_KEY_DIGITS = 12;
const SIGNER_KEY_DIGITS = 10;
/** Greater than all keys of hashes, because all kinds of keys share an index. */
const SIGNER_KEYS = 2 ** 49;
/** Greater than all keys of signers. */
const ACCOUNT_KEYS = 2 ** 51;

/** Returns 48 bits of a transaction hash or trace id. Different hashes can have the same key. */
export function hashKey(hex: string): number {
  return Number.parseInt(hex.slice(0, HASH_KEY_DIGITS), 16);
}

/**
 * Returns the index key of an account, which is stored once per run that contains requests of the
 * account.
 */
export function accountKey(user: string): number {
  return ACCOUNT_KEYS + Number.parseInt(user.slice(2, 2 + HASH_KEY_DIGITS), 16);
}

/**
 * Returns a key of 48 bits, hashed from the account and the client order id. Clients therefore
 * cannot easily choose an id whose key collides with that of another account.
 */
export function clientIdKey(user: string, clientOrderId: string): number {
  return hashKey(digest('sha1', `${user} ${cloidKey(clientOrderId) ?? ''}`));
}

export function signerKey(signer: string, nonce: number): number {
  return SIGNER_KEYS + Number.parseInt(signer.slice(2, 2 + SIGNER_KEY_DIGITS), 16) + nonce;
}

/**
 * Returns the index keys of a run. Each key leads to the run that contains the request or receipt.
 */
export function keysOf(blocks: readonly ChainBlock[]): ReadonlySet<number> {
  const keys = new Set<number>();
  for (const { receipts, txs } of blocks) {
    for (const { txHash, user } of txs) keys.add(hashKey(txHash.slice(2))).add(accountKey(user));
    for (const { nonce, signer, txHash } of receipts) {
      keys.add(hashKey(txHash.slice(2))).add(signerKey(signer, nonce));
    }
  }
  return keys;
}
