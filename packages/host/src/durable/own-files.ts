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

/** The mode of files that a program keeps: they are its owner's alone, whatever the umask is. */
export const OWN_FILE = 0o600;
const OTHERS = 0o077;

/** Makes a file that is not there. A library that opens it by name would choose another mode. */
export function makeOwnFile(file: string): void {
  closeSync(openSync(file, 'a', OWN_FILE));
}

/**
 * Takes the rights of others from all files below a folder: an earlier release or a copy may have given them. Links are
 * not followed, and what belongs to another user, such as the files of a database server, stays as it is.
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
      // Another process may have removed it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** What a venue keeps is its own user's: keys, addresses of people, what they trade. */
const OWN_FOLDER = 0o700;
/** Takes from everything that a process makes what others could do with it. */
export const OWN_UMASK = 0o077;

/** Makes the creation, renaming or removal of files in a directory survive a power loss. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The same for whoever may not go on before it is so. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes a folder and those above it that are missing, one by one: Node's own way tries for ever where a
 * parent is there and takes no folders, as in /proc. A new one is an entry of the one above, which is synced.
 */
export function makeFolder(folder: string): void {
  const wanted = resolve(folder);
  if (existsSync(wanted)) return;
  const parent = dirname(wanted);
  if (parent !== wanted) makeFolder(parent);
  try {
    mkdirSync(wanted, { mode: OWN_FOLDER });
  } catch (error) {
    // Another process may just have made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  syncFolder(parent);
}

/** Writes all of a buffer at a position: a single write may stop short. */
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

/** There is no room for the entry: it was not written, and a later one can be (R-disk). */
export class JournalFullError extends Error {
  override readonly name = 'JournalFullError';
}

/** True for what a disk without room, or a quota that is used up, answers. */
export function isNoRoom(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof JournalFullError) return true;
    if ('code' in each && (each.code === 'ENOSPC' || each.code === 'EDQUOT')) return true;
  }
  return false;
}
