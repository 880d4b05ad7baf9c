import Database from 'better-sqlite3';
import { address, hash } from '@oddlot/units';
import type { ReceiptBlock, ReceiptQuery, ReceiptRow } from './receipt-messages.ts';

/**
 * Receipts in SQLite. The height that has been projected is written in the transaction of the rows,
 * so after any crash the table says exactly where to go on.
 */

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS receipts (
    tx_hash BLOB PRIMARY KEY CHECK (length(tx_hash) = 32),
    signer BLOB NOT NULL CHECK (length(signer) = 20),
    nonce INTEGER NOT NULL,
    height INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    block_hash BLOB NOT NULL CHECK (length(block_hash) = 32),
    action_type TEXT NOT NULL,
    user BLOB NOT NULL CHECK (length(user) = 20),
    failed INTEGER NOT NULL,
    body TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS receipts_by_signer ON receipts (signer, nonce);
  CREATE INDEX IF NOT EXISTS receipts_by_time ON receipts (time_ms);
  CREATE TABLE IF NOT EXISTS projected (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    height INTEGER NOT NULL
  );
  INSERT OR IGNORE INTO projected VALUES (1, 0);
`;

/** Pages of log before SQLite folds it into the database: rarer than the default, and in bulk. */
const WAL_AUTOCHECKPOINT_PAGES = 20_000;
/** The version and the variant of a UUID are written over bits of bytes 6 and 8. */
const TRACE_PREFIX_BYTES = 6;
const TRACE_BYTES = 16;
const HASH_BYTES = 32;

type StoredRow = {
  readonly tx_hash: Buffer;
  readonly signer: Buffer;
  readonly user: Buffer;
  readonly nonce: number;
  readonly action_type: string;
  readonly height: number;
  readonly time_ms: number;
  readonly block_hash: Buffer;
  readonly idx: number;
  readonly failed: number;
  readonly body: string;
};

export class ReceiptDatabase {
  readonly #database: Database.Database;
  readonly #insert: Database.Statement;
  readonly #setProjected: Database.Statement;
  readonly #byTxHash: Database.Statement<unknown[], StoredRow>;
  readonly #byPrefix: Database.Statement<unknown[], StoredRow>;
  readonly #bySigner: Database.Statement<unknown[], StoredRow>;
  readonly #deleteOld: Database.Statement;
  #projectedHeight: number;

  constructor(file: string) {
    const database = new Database(file);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma(`wal_autocheckpoint = ${WAL_AUTOCHECKPOINT_PAGES}`);
    database.exec(SCHEMA);
    this.#database = database;
    // The first receipt of a hash wins: a re-send executes nothing. OR IGNORE would also swallow
    // rows that are malformed.
    this.#insert = database.prepare(
      'INSERT INTO receipts (tx_hash, signer, user, nonce, action_type, height, time_ms,' +
        ' block_hash, idx, failed, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)' +
        ' ON CONFLICT (tx_hash) DO NOTHING',
    );
    this.#setProjected = database.prepare('UPDATE projected SET height = ?');
    this.#byTxHash = database.prepare('SELECT * FROM receipts WHERE tx_hash = ?');
    this.#byPrefix = database.prepare('SELECT * FROM receipts WHERE tx_hash BETWEEN ? AND ?');
    // The first with a nonce is the one that used it; later ones were refused for that.
    this.#bySigner = database.prepare(
      'SELECT * FROM receipts WHERE signer = ? AND nonce = ? ORDER BY height, idx LIMIT 1',
    );
    this.#deleteOld = database.prepare(
      'DELETE FROM receipts WHERE tx_hash IN' +
        ' (SELECT tx_hash FROM receipts WHERE time_ms < ? ORDER BY time_ms LIMIT ?)',
    );
    const projected = database.prepare<[], { height: number }>('SELECT height FROM projected');
    this.#projectedHeight = projected.get()?.height ?? 0;
  }

  get projectedHeight(): number {
    return this.#projectedHeight;
  }

  /** Adds blocks in one transaction; those at or below the projected height are passed over. */
  append(blocks: readonly ReceiptBlock[]): void {
    let height = this.#projectedHeight;
    const insertAll = this.#database.transaction(() => {
      for (const block of blocks) {
        if (block.height <= height) continue;
        for (const row of block.receipts) this.#insertRow(row);
        height = block.height;
      }
      if (height > this.#projectedHeight) this.#setProjected.run(height);
    });
    insertAll();
    this.#projectedHeight = height;
  }

  find(query: ReceiptQuery): ReceiptRow | undefined {
    switch (query.by) {
      case 'txHash':
        return fromStored(this.#byTxHash.get(bytesOf(query.txHash)));
      case 'signer':
        return fromStored(this.#bySigner.get(bytesOf(query.signer), query.nonce));
      case 'traceId':
        return this.#findByTraceId(query.traceId);
    }
  }

  /** Deletes at most a number of old rows; returns how many. */
  deleteOlderThan(timeMs: number, limit: number): number {
    return this.#deleteOld.run(timeMs, limit).changes;
  }

  close(): void {
    this.#database.close();
  }

  #insertRow(row: ReceiptRow): void {
    this.#insert.run(
      bytesOf(row.txHash),
      bytesOf(row.signer),
      bytesOf(row.user),
      row.nonce,
      row.actionType,
      row.height,
      row.timeMs,
      bytesOf(row.blockHash),
      row.index,
      row.failed ? 1 : 0,
      row.body,
    );
  }

  #findByTraceId(traceId: string): ReceiptRow | undefined {
    const wanted = Buffer.from(traceId.replaceAll('-', ''), 'hex');
    if (wanted.length !== TRACE_BYTES) return undefined;
    const from = Buffer.alloc(HASH_BYTES, 0x00);
    const to = Buffer.alloc(HASH_BYTES, 0xff);
    wanted.copy(from, 0, 0, TRACE_PREFIX_BYTES);
    wanted.copy(to, 0, 0, TRACE_PREFIX_BYTES);
    for (const row of this.#byPrefix.iterate(from, to)) {
      if (traceBytes(row.tx_hash).equals(wanted)) return fromStored(row);
    }
    return undefined;
  }
}

function traceBytes(txHash: Buffer): Buffer {
  const bytes = Buffer.from(txHash.subarray(0, TRACE_BYTES));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes;
}

const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');
const hexOf = (bytes: Buffer): string => `0x${bytes.toString('hex')}`;

function fromStored(row: StoredRow | undefined): ReceiptRow | undefined {
  if (row === undefined) return undefined;
  return {
    txHash: hash(hexOf(row.tx_hash)),
    signer: address(hexOf(row.signer)),
    user: address(hexOf(row.user)),
    nonce: row.nonce,
    actionType: row.action_type,
    height: row.height,
    timeMs: row.time_ms,
    blockHash: hash(hexOf(row.block_hash)),
    index: row.idx,
    failed: row.failed === 1,
    body: row.body,
  };
}
