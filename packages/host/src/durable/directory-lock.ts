import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isNoRoom, makeFolder, makeOwnFile, OWN_FILE, tightenFiles } from './own-files.ts';

const HOLDER = 'lock.pid';
/** One that nobody refers to is closed when memory is collected, and its lock is gone: who never lets go need not keep it. */
const HELD = new Set<DatabaseSync>();

/**
 * Keeps two processes off one data directory.
 *
 * The lock is the kernel's, taken through SQLite on an empty file: it ends with its holder, also
 * one that was killed, and needs no guess whether a process id in a file is still the same process.
 * Such a guess fails when two starts take over a stale file at once, and for a holder in another
 * container, whose id means nothing here. The id beside the lock is only for the message.
 */

export type DirectoryLock = {
  /** Lets the next process in. A second call does nothing. */
  release(): void;
};

/** Another process works on the directory. */
export class DirectoryLockedError extends Error {
  override readonly name = 'DirectoryLockedError';
  readonly pid: number | undefined;

  constructor(directory: string, pid: number | undefined, cause: unknown) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    super(`${directory} is in use by ${holder}. Stop it first, or use another folder`, { cause });
    this.pid = pid;
  }
}

/** Takes the lock of a directory at once, or throws `DirectoryLockedError`. */
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
    // SQLite reads a file only once it may, so nobody holds this one. It is emptied, not removed: a
    // holder that comes at the same moment must find the same file.
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

/** Whether somebody holds the lock of a directory, for who only reads there: nothing is made or changed. */
export function isDirectoryLocked(directory: string): boolean {
  const file = join(directory, 'lock');
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    // A file that can't be read as a database is held by nobody.
    if (isNoDatabase(error)) return false;
    throw error;
  } finally {
    database.close();
  }
}

function takeLock(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Nothing is ever written, so nothing has to be taken back: a full disk can be locked too.
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Only for a message: a disk without room can do without. */
function writePid(file: string): void {
  try {
    writeFileSync(file, `${process.pid}\n`, { mode: OWN_FILE });
  } catch (error) {
    if (!isNoRoom(error)) throw error;
  }
}

/** The low byte is the kind of the failure; the rest says more about it. */
const SQLITE_BUSY = 5;
const SQLITE_NO_DATABASE: readonly number[] = [11, 26];

function isBusy(error: unknown): boolean {
  return kindOf(error) === SQLITE_BUSY;
}

/** True for a lock file into which something has put bytes. */
function isNoDatabase(error: unknown): boolean {
  return SQLITE_NO_DATABASE.includes(kindOf(error));
}

function kindOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

/** Who says to hold the lock of a directory. */
export function holderOf(directory: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(directory, HOLDER), 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // The holder has not written it yet; the lock alone decides.
    return undefined;
  }
}
