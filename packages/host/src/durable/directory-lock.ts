import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDiskFull, makeFolder, makeOwnFile, OWNER_ONLY_MODE, tightenFiles } from './own-files.ts';

const HOLDER = 'lock.pid';
/**
 * References to the databases behind the locks being held. Garbage collection would close an
 * unreferenced database and release its lock.
 */
const HELD = new Set<DatabaseSync>();

/**
 * Prevents two processes from using the same data directory.
 *
 * The lock is a kernel lock, taken through SQLite on an empty file. The kernel releases it when its
 * holder exits, even if that process is killed. A process id in a file would not be enough: two
 * starting processes could take over a stale file at the same time, and the id of a process in
 * another container is meaningless here. The id stored next to the lock is used only in messages.
 */

export type DirectoryLock = {
  /** Releases the lock. A second call does nothing. */
  release(): void;
};

export class DirectoryLockedError extends Error {
  override readonly name = 'DirectoryLockedError';
  readonly pid: number | undefined;

  constructor(directory: string, pid: number | undefined, cause: unknown) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    super(`${directory} is in use by ${holder}. Stop it first, or use another folder`, { cause });
    this.pid = pid;
  }
}

/** Acquires the lock on a directory without waiting, or throws `DirectoryLockedError`. */
export function lockDirectory(directory: string): DirectoryLock {
  makeFolder(directory);
  const holderFile = join(directory, HOLDER);
  const file = join(directory, 'lock');
  makeOwnFile(file);
  let database: DatabaseSync;
  try {
    database = takeLock(file);
  } catch (cause) {
    if (isBusy(cause)) throw new DirectoryLockedError(directory, holderOf(directory), cause);
    if (!isNoDatabase(cause)) throw cause;
    // SQLite locks a file before it reads it, so a file with unreadable content is not locked. It
    // is emptied rather than removed, because a concurrent process must find the same file.
    truncateSync(file);
    database = takeLock(file);
  }
  writePid(holderFile);
  tightenFiles(directory);
  HELD.add(database);
  return {
    release: (): void => {
      HELD.delete(database);
      if (database.isOpen) database.close();
    },
  };
}

/**
 * Returns true if another process holds the lock on a directory. For processes that only read the
 * directory: it creates and changes nothing.
 */
export function isDirectoryLocked(directory: string): boolean {
  const file = join(directory, 'lock');
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    // A file that is not a database cannot be locked.
    if (isNoDatabase(error)) return false;
    throw error;
  } finally {
    database.close();
  }
}

function takeLock(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Nothing is ever written, so no rollback journal on disk is needed, and the lock works even on
    // a full disk.
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Stores the process id. It is used only in messages, so a full disk is ignored. */
function writePid(file: string): void {
  try {
    writeFileSync(file, `${process.pid}\n`, { mode: OWNER_ONLY_MODE });
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

/** The low byte of a SQLite error code is the kind of failure; the other bytes give details. */
const SQLITE_BUSY = 5;
const SQLITE_NO_DATABASE: readonly number[] = [11, 26];

function isBusy(error: unknown): boolean {
  return kindOf(error) === SQLITE_BUSY;
}

/** Returns true if a lock file is not a valid SQLite database. */
function isNoDatabase(error: unknown): boolean {
  return SQLITE_NO_DATABASE.includes(kindOf(error));
}

function kindOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

/** Returns the process id stored by the holder of a lock, or undefined if there is none. */
export function holderOf(directory: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(directory, HOLDER), 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // The holder has not written its id yet. The lock itself is decisive.
    return undefined;
  }
}
