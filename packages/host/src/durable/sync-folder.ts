import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

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
