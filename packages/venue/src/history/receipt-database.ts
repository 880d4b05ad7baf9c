import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { traceId } from '@oddlot/protocol';
import { hash } from '@oddlot/units';
import { decodeReceipts, hashKey, signerKey } from './receipt-codec.ts';
import type { MissingReceipts, PackedBlock, ReceiptQuery, ReceiptRow } from './receipt-messages.ts';

/**
 * Receipts in SQLite: a row a block, and a narrow index from 48-bit keys to the blocks to look in. A
 * wide table with an index for each way to ask was measured to cost more than everything else that a
 * request needs from this process. The projected height is written in the transaction of the rows,
 * so after any crash the database says exactly where to go on.
 *
 * SQLite does not notice a flipped byte inside of a value, so each row carries a checksum of its own.
 * Those of the first release have none, and their height stands in a table `projected`.
 */

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS blocks (
    height INTEGER PRIMARY KEY,
    time_ms INTEGER NOT NULL,
    block_hash TEXT NOT NULL,
    receipts TEXT NOT NULL,
    crc INTEGER
  );
  CREATE TABLE IF NOT EXISTS receipt_keys (
    key INTEGER NOT NULL,
    height INTEGER NOT NULL,
    PRIMARY KEY (key, height)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS progress (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    text TEXT NOT NULL,
    crc INTEGER NOT NULL
  );
`;

/** Pages of log before SQLite folds it into the database: rarer than the default, and in bulk. */
const WAL_AUTOCHECKPOINT_PAGES = 20_000;
/** SQLite's result for a disk without room. */
const SQLITE_FULL = 13;
/** Its results for pages that are not what they should be, or can't be read. */
const SQLITE_DAMAGED: readonly number[] = [10, 11, 26];

/** A row is not what was written. */
class RowDamagedError extends Error {
  override readonly name = 'RowDamagedError';
}

/** Up to where receipts are stored, and which of them were lost and are being computed again. */
type Progress = { readonly height: number; readonly missing: MissingReceipts | null };

type StoredBlock = {
  readonly height: number;
  readonly time_ms: number;
  readonly block_hash: string;
  readonly receipts: string;
  readonly crc: number | null;
};

export class ReceiptDatabase {
  readonly #database: DatabaseSync;
  readonly #insertBlock: StatementSync;
  readonly #insertKey: StatementSync;
  readonly #setProgress: StatementSync;
  readonly #nextBlocks: StatementSync;
  readonly #hasKey: StatementSync;
  readonly #blocksOfKey: StatementSync;
  readonly #oldBlocks: StatementSync;
  readonly #deleteBlock: StatementSync;
  readonly #deleteKey: StatementSync;
  #progress: Progress;
  #uncommitted: Progress | undefined;

  constructor(file: string) {
    const { database, progress } = openFile(file);
    this.#database = database;
    this.#insertBlock = database.prepare('INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?)');
    this.#insertKey = database.prepare('INSERT OR IGNORE INTO receipt_keys VALUES (?, ?)');
    this.#setProgress = database.prepare('INSERT OR REPLACE INTO progress VALUES (1, ?, ?)');
    this.#nextBlocks = database.prepare(
      'SELECT * FROM blocks WHERE height > ? ORDER BY height LIMIT ?',
    );
    this.#hasKey = database.prepare('SELECT 1 FROM receipt_keys WHERE key = ? AND height = ?');
    this.#blocksOfKey = database.prepare(
      'SELECT blocks.* FROM receipt_keys JOIN blocks USING (height) WHERE key = ? ORDER BY height',
    );
    // Time never goes back, so old blocks come first: the others need not be read to find them.
    this.#oldBlocks = database.prepare(
      'SELECT * FROM (SELECT * FROM blocks ORDER BY height LIMIT ?) WHERE time_ms < ?',
    );
    this.#deleteBlock = database.prepare('DELETE FROM blocks WHERE height = ?');
    this.#deleteKey = database.prepare('DELETE FROM receipt_keys WHERE key = ? AND height = ?');
    this.#progress = progress;
  }

  get projectedHeight(): number {
    return this.#progress.height;
  }

  get missing(): MissingReceipts | undefined {
    return this.#progress.missing ?? undefined;
  }

  /** Goes on behind a height although nothing before it is there: that is computed again. */
  startAt(height: number): void {
    this.#inTransaction(() => {
      this.#note({ height, missing: height === 0 ? null : { done: 0, until: height } });
    });
  }

  /** Adds blocks in one transaction; those at or below the projected height are passed over. */
  append(blocks: readonly PackedBlock[]): void {
    this.#inTransaction(() => {
      const { height: before, missing } = this.#progress;
      const height = this.#insert(blocks, before);
      if (height > before) this.#note({ height, missing });
    });
  }

  /** Adds blocks that were lost, in order. */
  fill(blocks: readonly PackedBlock[]): void {
    this.#inTransaction(() => {
      const { height, missing } = this.#progress;
      // What was computed before the file was lost once more does not follow on what is there.
      if (missing === null || blocks[0]?.height !== missing.done + 1) return;
      const done = this.#insert(blocks, missing.done);
      this.#note({ height, missing: done < missing.until ? { ...missing, done } : null });
    });
  }

  #insert(blocks: readonly PackedBlock[], after: number): number {
    let height = after;
    for (const block of blocks) {
      if (block.height <= height) continue;
      height = block.height;
      if (block.count === 0) continue;
      const { blockHash, text, timeMs } = block;
      const crc = crc32(contentOf({ height, time_ms: timeMs, block_hash: blockHash }, text));
      this.#insertBlock.run(height, timeMs, blockHash, text, crc);
      for (const key of block.keys) this.#insertKey.run(key, height);
    }
    return height;
  }

  #note(progress: Progress): void {
    const text = JSON.stringify(progress);
    this.#setProgress.run(text, crc32(text));
    this.#uncommitted = progress;
  }

  /**
   * Reads some blocks and looks each of their keys up. Throws on the first that is damaged; returns
   * the last height read, undefined behind the last block.
   */
  scrub(afterHeight: number, limit: number): number | undefined {
    const blocks = this.#nextBlocks.all(afterHeight, limit) as StoredBlock[];
    for (const block of blocks) {
      for (const { nonce, signer, txHash } of rowsOf(block)) {
        for (const key of [hashKey(txHash.slice(2)), signerKey(signer, nonce)]) {
          if (this.#hasKey.get(key, block.height) !== undefined) continue;
          throw new RowDamagedError(`a key of block ${block.height} is gone`);
        }
      }
    }
    return blocks.at(-1)?.height;
  }

  /** Throws when the pages do not fit together. */
  checkPages(): void {
    const [found] = this.#database.prepare('PRAGMA quick_check(1)').all();
    const said = String(found?.['quick_check']);
    if (said !== 'ok') throw new RowDamagedError(said);
  }

  /**
   * The receipt that was executed first: of a hash or a nonce, later ones executed nothing. It may
   * have been completed after them, so all that answer are compared.
   */
  find(query: ReceiptQuery): ReceiptRow | undefined {
    let first: ReceiptRow | undefined;
    for (const block of this.#blocksOfKey.iterate(keyOf(query))) {
      const row = rowsOf(block as StoredBlock).find((each) => isAnswer(query, each));
      if (row !== undefined && (first === undefined || row.height < first.height)) first = row;
    }
    return first;
  }

  /** Deletes at most a number of old blocks; returns how many. */
  deleteOlderThan(timeMs: number, limit: number): number {
    const old = this.#oldBlocks.all(limit, timeMs) as StoredBlock[];
    this.#inTransaction(() => {
      for (const block of old) {
        for (const { nonce, signer, txHash } of rowsOf(block)) {
          this.#deleteKey.run(hashKey(txHash.slice(2)), block.height);
          this.#deleteKey.run(signerKey(signer, nonce), block.height);
        }
        this.#deleteBlock.run(block.height);
      }
    });
    return old.length;
  }

  close(): void {
    this.#database.close();
  }

  /** All of it or nothing. */
  #inTransaction(run: () => void): void {
    this.#uncommitted = undefined;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      run();
      this.#database.exec('COMMIT');
      this.#progress = this.#uncommitted ?? this.#progress;
    } catch (error) {
      // Some failures, such as a full disk, have already rolled it back.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** True for the error of a database whose disk has no room. */
export function isDatabaseFull(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_FULL;
}

/** True when the file is not what was written to it, so that its content must be computed again. */
export function isDatabaseDamaged(error: unknown): boolean {
  if (error instanceof RowDamagedError) return true;
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  // The lower byte is the result, the others say more about it.
  return SQLITE_DAMAGED.includes(Number(error.errcode) & 0xff);
}

function openFile(file: string): { database: DatabaseSync; progress: Progress } {
  const database = new DatabaseSync(file);
  try {
    // One process, one thread: without others there is no memory to share, for which a full disk
    // would have no room (R-disk).
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    database.exec(`PRAGMA wal_autocheckpoint = ${WAL_AUTOCHECKPOINT_PAGES}`);
    database.exec(SCHEMA);
    return { database, progress: readProgress(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

function readProgress(database: DatabaseSync): Progress {
  const columns = database.prepare('PRAGMA table_info(blocks)').all();
  if (!columns.some(({ name }) => name === 'crc')) {
    database.exec('ALTER TABLE blocks ADD COLUMN crc INTEGER');
  }
  const row = database.prepare('SELECT text, crc FROM progress').get();
  if (row !== undefined) {
    const text = String(row['text']);
    if (crc32(text) !== row['crc']) throw new RowDamagedError('the progress is not what was noted');
    return JSON.parse(text) as Progress;
  }
  const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'projected'";
  if (database.prepare(table).get() === undefined) return { height: 0, missing: null };
  const projected = database.prepare('SELECT height FROM projected').get();
  return { height: Number(projected?.['height'] ?? 0), missing: null };
}

/** What the checksum of a row covers. */
function contentOf(
  { block_hash, height, time_ms }: Pick<StoredBlock, 'block_hash' | 'height' | 'time_ms'>,
  receipts: string,
): string {
  return `${height} ${time_ms} ${block_hash}\n${receipts}`;
}

function rowsOf(stored: StoredBlock): ReceiptRow[] {
  const { height, time_ms: timeMs, block_hash: blockHash } = stored;
  if (stored.crc !== null && crc32(contentOf(stored, stored.receipts)) !== stored.crc) {
    throw new RowDamagedError(`the receipts of block ${height} are not what was written`);
  }
  return decodeReceipts({ height, timeMs, blockHash: hash(blockHash) }, stored.receipts);
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
