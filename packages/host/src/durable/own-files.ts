import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * The mode for files that a program stores. Only their owner has access, regardless of the umask.
 */
export const OWNER_ONLY_MODE = 0o600;
const OTHERS = 0o077;

/** Creates a missing file, because a library that creates it would use a different mode. */
export function makeOwnFile(file: string): void {
  closeSync(openSync(file, 'a', OWNER_ONLY_MODE));
}

/**
 * Removes other users' access to all files under a folder, which an earlier release or copying may
 * have granted. Symbolic links are not followed, and files owned by another user, such as a
 * database server, are not changed.
 */
export function tightenFiles(folder: string): void {
  const uid = process.getuid?.();
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      const status = lstatSync(path);
      if (status.uid !== uid) continue;
      if (status.isDirectory()) tightenFiles(path);
      else if (status.isFile() && (status.mode & OTHERS) !== 0) {
        chmodSync(path, status.mode & ~OTHERS & 0o777);
      }
    } catch (error) {
      // Another process may have removed the file in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** Stored data is private to its owner, because it contains keys, addresses and trades. */
const OWN_FOLDER = 0o700;
/** Denies other users access to everything that a process creates. */
export const OWN_UMASK = 0o077;

/**
 * Syncs a directory, so that files created, renamed or removed in it stay so after a power loss.
 */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Creates a folder and its missing parents one by one, because Node's recursive variant loops
 * forever if a parent exists but does not accept folders, as in /proc. The parent of each new
 * folder is synced, because it contains the new entry.
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: OWN_FOLDER });
  } catch (error) {
    // Another process may have created the folder at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  syncFolder(parent);
}

/** Writes a whole buffer at a position, because a single write can be partial. */
export async function writeFully(
  handle: FileHandle,
  bytes: Buffer,
  position: number,
): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/**
 * Thrown if there is no space for an entry. The entry was not written, but a later one can succeed
 * (R-disk).
 */
export class JournalFullError extends Error {
  override readonly name = 'JournalFullError';
}

/** Returns true for errors caused by a full disk or an exhausted quota. */
export function isDiskFull(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof JournalFullError) return true;
    if ('code' in each && (each.code === 'ENOSPC' || each.code === 'EDQUOT')) return true;
  }
  return false;
}
