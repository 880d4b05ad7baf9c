import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { traceId } from '@oddlot/protocol';
import { hash } from '@oddlot/units';
import { decodeReceipts, hashKey, signerKey } from './receipt-codec.ts';
import type { PackedBlock, ReceiptQuery, ReceiptRow } from './receipt-messages.ts';

/**
 * Receipts in SQLite: a row a block, and a narrow index from 48-bit keys to the blocks to look in. A
 * wide table with an index for each way to ask was measured to cost more than everything else that a
 * request needs from this process. The projected height is written in the transaction of the rows,
 * so after any crash the database says exactly where to go on.
 */

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS blocks (
    height INTEGER PRIMARY KEY,
    time_ms INTEGER NOT NULL,
    block_hash TEXT NOT NULL,
    receipts TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS receipt_keys (
    key INTEGER NOT NULL,
    height INTEGER NOT NULL,
    PRIMARY KEY (key, height)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS projected (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    height INTEGER NOT NULL
  );
  INSERT OR IGNORE INTO projected VALUES (1, 0);
`;

/** Pages of log before SQLite folds it into the database: rarer than the default, and in bulk. */
const WAL_AUTOCHECKPOINT_PAGES = 20_000;
/** SQLite's result for a disk without room. */
const SQLITE_FULL = 13;

type StoredBlock = {
  readonly height: number;
  readonly time_ms: number;
  readonly block_hash: string;
  readonly receipts: string;
};

export class ReceiptDatabase {
  readonly #database: DatabaseSync;
  readonly #insertBlock: StatementSync;
  readonly #insertKey: StatementSync;
  readonly #setProjected: StatementSync;
  readonly #blocksOfKey: StatementSync;
  readonly #oldBlocks: StatementSync;
  readonly #deleteBlock: StatementSync;
  readonly #deleteKey: StatementSync;
  #projectedHeight: number;

  constructor(file: string) {
    const database = new DatabaseSync(file);
    // One process, one thread: without others there is no memory to share, for which a full disk
    // would have no room (R-disk).
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    database.exec(`PRAGMA wal_autocheckpoint = ${WAL_AUTOCHECKPOINT_PAGES}`);
    database.exec(SCHEMA);
    this.#database = database;
    this.#insertBlock = database.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?)');
    this.#insertKey = database.prepare('INSERT OR IGNORE INTO receipt_keys VALUES (?, ?)');
    this.#setProjected = database.prepare('UPDATE projected SET height = ?');
    this.#blocksOfKey = database.prepare(
      'SELECT blocks.* FROM receipt_keys JOIN blocks USING (height) WHERE key = ? ORDER BY height',
    );
    this.#oldBlocks = database.prepare(
      'SELECT * FROM blocks WHERE time_ms < ? ORDER BY height LIMIT ?',
    );
    this.#deleteBlock = database.prepare('DELETE FROM blocks WHERE height = ?');
    this.#deleteKey = database.prepare('DELETE FROM receipt_keys WHERE key = ? AND height = ?');
    const projected = database.prepare('SELECT height FROM projected').get();
    this.#projectedHeight = Number(projected?.['height'] ?? 0);
  }

  get projectedHeight(): number {
    return this.#projectedHeight;
  }

  /** Adds blocks in one transaction; those at or below the projected height are passed over. */
  append(blocks: readonly PackedBlock[]): void {
    let height = this.#projectedHeight;
    this.#inTransaction(() => {
      for (const block of blocks) {
        if (block.height <= height) continue;
        height = block.height;
        if (block.count === 0) continue;
        this.#insertBlock.run(height, block.timeMs, block.blockHash, block.text);
        for (const key of block.keys) this.#insertKey.run(key, height);
      }
      if (height > this.#projectedHeight) this.#setProjected.run(height);
    });
    this.#projectedHeight = height;
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
    const old = this.#oldBlocks.all(timeMs, limit) as StoredBlock[];
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
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      run();
      this.#database.exec('COMMIT');
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

function rowsOf(stored: StoredBlock): ReceiptRow[] {
  const { height, time_ms: timeMs, block_hash: blockHash } = stored;
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
