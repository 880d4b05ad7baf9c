import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { systemTime } from '@oddlot/host/clock';
import { makeOwnFile } from '@oddlot/host/durable';
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely';
import { present } from '@oddlot/units';
import {
  type HistoryDriver,
  type HistoryTables,
  insertStatement,
  TABLE_NAMES,
  type TableName,
  tableOf,
} from './history-tables.ts';
import { migrate } from './migrate.ts';
import { HistoryDamagedError, historyError } from './store-errors.ts';

/**
 * The number of 4 KiB pages in the write-ahead log at which SQLite copies them into the database.
 * It is large because each copy syncs the disk twice. The log file never shrinks by itself, so it
 * is truncated after a long transaction.
 */
const WAL_AUTOCHECKPOINT_PAGES = 2_000;
const WAL_BYTES_MAX = 8 * 1024 * 1024;
const CACHE_KIB = 65_536;
/** Files up to this size are checked in full when they are opened, which takes at most a second. */
const CHECKED_BYTES_MAX = 256 * 1024 * 1024;
const STATEMENTS_MAX = 200;
const SUFFIXES = ['', '-wal', '-shm'];

export async function openSqlite(file: string): Promise<HistoryDriver> {
  let handle: DatabaseSync | undefined;
  try {
    makeOwnFile(file);
    handle = new DatabaseSync(file);
    // A single connection does not need shared memory, for which there might be no space on a full
    // disk (R-disk).
    handle.exec('PRAGMA locking_mode = EXCLUSIVE');
    handle.exec('PRAGMA journal_mode = WAL');
    handle.exec('PRAGMA synchronous = FULL');
    handle.exec(`PRAGMA wal_autocheckpoint = ${WAL_AUTOCHECKPOINT_PAGES}`);
    handle.exec(`PRAGMA journal_size_limit = ${WAL_BYTES_MAX}`);
    handle.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    if (statSync(file).size <= CHECKED_BYTES_MAX) checkPages(handle);
    const dialect = new SqliteDialect({ database: forKysely(handle) });
    const database = new Kysely<HistoryTables>({ dialect });
    await migrate(database, 'sqlite');
    return sqliteDriver(handle, database);
  } catch (error) {
    handle?.close();
    throw historyError(error);
  }
}

/** Renames the file instead of deleting it, so that an operator can examine it. */
export function setSqliteAside(file: string): string {
  const movedTo = `${file}.damaged-${systemTime.wallMs()}`;
  for (const suffix of SUFFIXES) {
    if (existsSync(file + suffix)) renameSync(file + suffix, movedTo + suffix);
  }
  return movedTo;
}

export function deleteSqlite(file: string): void {
  for (const suffix of SUFFIXES) rmSync(file + suffix, { force: true });
}

function checkPages(handle: DatabaseSync): void {
  const [found] = handle.prepare('PRAGMA quick_check(1)').all();
  const result = String(found?.['quick_check']);
  if (result !== 'ok') throw new HistoryDamagedError(result);
}

function sqliteDriver(handle: DatabaseSync, database: Kysely<HistoryTables>): HistoryDriver {
  const inserts = new Map<TableName, StatementSync>();
  for (const name of TABLE_NAMES) {
    const marks = Object.keys(tableOf(name).columns).map(() => '?');
    inserts.set(name, handle.prepare(insertStatement(name, `VALUES (${marks.join(', ')})`)));
  }
  return {
    database,
    write: async (tables) => {
      inTransaction(handle, () => {
        for (const [name, rows] of tables) {
          const insert = present(inserts.get(name), 'a statement for each table');
          for (const row of rows) insert.run(...row);
        }
      });
    },
    bytes: async () => pragma(handle, 'page_count') * pragma(handle, 'page_size'),
    close: () => database.destroy(),
  };
}

function pragma(handle: DatabaseSync, name: string): number {
  return Number(handle.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}

function inTransaction(handle: DatabaseSync, run: () => void): void {
  handle.exec('BEGIN IMMEDIATE');
  try {
    run();
    handle.exec('COMMIT');
  } catch (error) {
    // Some failures, such as a full disk, will already have rolled back the transaction.
    if (handle.isTransaction) handle.exec('ROLLBACK');
    throw error;
  }
}

/** Adapts the handle to the interface that Kysely expects, with cached statements. */
export function forKysely(handle: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, StatementSync>();
  const prepare = (text: string): StatementSync => {
    const cached = prepared.get(text);
    if (cached !== undefined) return cached;
    const statement = handle.prepare(text);
    if (prepared.size >= STATEMENTS_MAX) prepared.clear();
    prepared.set(text, statement);
    return statement;
  };
  return {
    close: () => {
      prepared.clear();
      handle.close();
    },
    prepare: (text) => {
      const statement = prepare(text);
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...(values as SQLInputValue[])),
        run: (values) => statement.run(...(values as SQLInputValue[])),
        iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
      };
    },
  };
}

const SETTINGS = ['application_id', 'auto_vacuum', 'encoding', 'page_size', 'user_version'];

/** Returns, as lines, the tables, indexes and header settings of a database that is not open. */
export function sqliteShape(file: string): string[] {
  return readFrom(file, (database) => [
    ...SETTINGS.map((name) => `setting ${name} ${pragmaLines(database, name).join(' ')}`),
    ...lines(database, 'SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name'),
    ...lines(database, 'SELECT name FROM kysely_migration ORDER BY name'),
    ...lines(database, 'SELECT id, is_locked FROM kysely_migration_lock ORDER BY id'),
  ]);
}

/**
 * Returns any damage to pages or indexes that SQLite finds in the file, or undefined if there is
 * none.
 */
export function sqliteFault(file: string): string | undefined {
  const [result = ''] = readFrom(file, (database) => pragmaLines(database, 'integrity_check(1)'));
  return result === 'ok' ? undefined : result;
}

function readFrom<Result>(file: string, read: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

function pragmaLines(database: DatabaseSync, name: string): string[] {
  return database
    .prepare(`PRAGMA ${name}`)
    .all()
    .flatMap((row) => Object.values(row).map(String));
}

function lines(database: DatabaseSync, query: string): string[] {
  const rows = database.prepare(query).all();
  return rows.map((row) => `shape ${JSON.stringify(Object.values(row))}`);
}
