import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import {
  type DirectoryLock,
  DirectoryLockedError,
  holderOf,
  lockDirectory,
} from '@oddlot/host/directory-lock';
import { makeFolder } from '@oddlot/host/durable';

/** The lock of a data folder, and of the journal in it, whatever becomes of the folder's file. */
export async function lockData(data: string): Promise<DirectoryLock> {
  const folder = lockDirectory(data);
  try {
    const journal = await lockJournal(join(data, 'journal'));
    return {
      release() {
        journal.release();
        folder.release();
      },
    };
  } catch (error) {
    folder.release();
    throw error;
  }
}

/**
 * Keeps two processes off one journal, also when somebody has removed the file of the directory's lock: a
 * name of the kernel's that is made of the folder itself, and ends with its holder. Only Linux has such
 * names, and containers with a network of their own do not see each other's: there the file has to do.
 */
export async function lockJournal(directory: string): Promise<DirectoryLock> {
  makeFolder(directory);
  if (process.platform !== 'linux') return { release: () => undefined };
  const { dev, ino } = statSync(directory, { bigint: true });
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(`\0oddlot-journal-${dev}-${ino}`);
    await once(server, 'listening');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause;
    const data = dirname(directory);
    const named = holderOf(data);
    // Without the file of the directory's lock this process has just written its own there.
    throw new DirectoryLockedError(data, named === process.pid ? undefined : named, cause);
  }
  server.unref();
  return { release: () => void server.close() };
}
