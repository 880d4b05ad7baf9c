import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

/** Makes the creation, renaming or removal of files in a directory survive a power loss. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
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
