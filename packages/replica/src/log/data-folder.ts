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
import { makeFolder, readTextFile, writeWholeFile } from '@oddlot/host/durable';
import { randomBytes } from 'node:crypto';
import { SERVICE_DIGITS_BYTES, serviceName, serviceWordOf } from '@oddlot/protocol';

/** Locks a data folder and its journal. The lock holds even if the lock file is removed. */
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
 * Prevents two processes from using the same journal, even if the lock file of the directory is
 * removed. It binds a kernel name derived from the folder itself, which the kernel releases when
 * the holder exits. These names exist only on Linux and are not shared between containers with
 * separate networks; in those cases only the lock file protects the journal.
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
    // The lock file had been removed, and this process has just created a new one with its own
    // process id.
    throw new DirectoryLockedError(data, named === process.pid ? undefined : named, cause);
  }
  server.unref();
  return { release: () => void server.close() };
}

/**
 * The names of a data folder, stored in the file `service-network`: one line with the current name,
 * then one line per former name, newest first. The file is next to the log, so it is copied
 * together with it. The log's folder also records the name, so that a lost file is detected.
 */

type ServiceNames = {
  readonly name: string | undefined;
  readonly former: readonly string[];
};

/** Thrown if the file exists but contains no valid names; its message is for the operator. */
export class ServiceNamesDamagedError extends Error {
  override readonly name = 'ServiceNamesDamagedError';
}

const NAMES_FILE = 'service-network';
const NOTED_NAME = join('journal', 'named');
/** Requests signed for a recent former name can still arrive; older names are dropped. */
const FORMER_MAX = 8;

export function readServiceNames(directory: string): ServiceNames {
  const { former, name } = namesIn(directory);
  const noted = notedIn(directory);
  if (noted === undefined || noted === name || former.includes(noted)) return { name, former };
  const file = join(directory, NAMES_FILE);
  const what = name === undefined ? 'is missing' : `contains ${name}`;
  throw new ServiceNamesDamagedError(
    `${file} ${what}, but the log next to it was written for ${noted}. Restore the file, write that name into it, or rename the folder with npm run rename-venue`,
  );
}

/**
 * Records the name in the log's folder before any data is written under this name, and again after
 * an interrupted rename.
 */
export function noteServiceName(directory: string, name: string): void {
  if (notedIn(directory) !== name) writeWholeFile(join(directory, NOTED_NAME), `${name}\n`);
}

function notedIn(directory: string): string | undefined {
  return readTextFile(join(directory, NOTED_NAME))?.trim();
}

function namesIn(directory: string): ServiceNames {
  const file = join(directory, NAMES_FILE);
  const text = readTextFile(file);
  if (text === undefined) return { name: undefined, former: [] };
  const [name, ...former] = text.split('\n').filter((line) => line !== '');
  const isWhole = name !== undefined && [name, ...former].every((each) => serviceWordOf(each));
  if (isWhole) return { name, former };
  throw new ServiceNamesDamagedError(
    `${file} does not contain the network name of this venue. Restore it, or write the ` +
      'name that clients sign for into it',
  );
}

/**
 * Gives a folder a name that has never been used before, and stores the former names. The change is
 * on disk when this resolves; a power loss leaves the old or the new file.
 */
export async function drawServiceName(directory: string, word: string): Promise<ServiceNames> {
  const before = namesIn(directory);
  const name = serviceName(word, randomBytes(SERVICE_DIGITS_BYTES).toString('hex'));
  const had = [before.name, ...before.former, notedIn(directory)];
  const former = [...new Set(had.filter((each) => each !== undefined))];
  const names = { name, former: former.slice(0, FORMER_MAX) };
  const text = [names.name, ...names.former, ''].join('\n');
  writeWholeFile(join(directory, NAMES_FILE), text);
  noteServiceName(directory, name);
  return names;
}

/**
 * Gives a folder the name used by its venue's other folders. A folder that already has a name keeps
 * it.
 */
export function adoptServiceName(directory: string, name: string): void {
  const isShared = serviceWordOf(name) === undefined;
  if (isShared || namesIn(directory).name !== undefined) return;
  writeWholeFile(join(directory, NAMES_FILE), `${name}\n`);
}
