import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isNoRoom, makeFolder, makeOwnFile, OWN_FILE, tightenFiles } from './own-files.ts';

const HOLDER = 'lock.pid';
/**
 * References to held locks: an unreferenced database would be closed by garbage collection, which
 * would release its lock.
 */
const HELD = new Set<DatabaseSync>();

/**
 * Prevents two processes from using one data directory.
 *
 * The lock is a kernel lock, taken through SQLite on an empty file. It ends with its holder, even
 * if that is killed, and does not depend on whether a process id in a file still means the same
 * process. Such a check fails if two starts take over a stale file at once, and for a holder in
 * another container, whose id has no meaning here. The id next to the lock is only for the message.
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

/** Takes the lock of a directory immediately, or throws `DirectoryLockedError`. */
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
    // SQLite reads a file only after locking it, so this file is not locked. It is emptied and not
    // removed, because a concurrent process must find the same file.
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
 * Whether the lock of a directory is held, for processes that only read there: creates and changes
 * nothing.
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
    // Nothing is ever written, so no rollback is needed: the lock works on a full disk too.
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Only for a message, so a full disk does not matter. */
function writePid(file: string): void {
  try {
    writeFileSync(file, `${process.pid}\n`, { mode: OWN_FILE });
  } catch (error) {
    if (!isNoRoom(error)) throw error;
  }
}

/** The low byte is the kind of the failure; the others contain details. */
const SQLITE_BUSY = 5;
const SQLITE_NO_DATABASE: readonly number[] = [11, 26];

function isBusy(error: unknown): boolean {
  return kindOf(error) === SQLITE_BUSY;
}

/** True for a lock file with foreign content. */
function isNoDatabase(error: unknown): boolean {
  return SQLITE_NO_DATABASE.includes(kindOf(error));
}

function kindOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

/** The process id stored by the holder of a lock. */
export function holderOf(directory: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(directory, HOLDER), 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // The holder has not written its id yet; only the lock counts.
    return undefined;
  }
}
