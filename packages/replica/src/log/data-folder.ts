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

/**
 * What a data folder goes by, in the file `service-network`: a line with its name, and a line with each
 * name that it had before, the newest first. It is beside the log, so it comes along wherever that goes.
 * The log's own folder notes the name too: a log that comes back without the file is not taken for one
 * that never had a name.
 */

type ServiceNames = {
  /** Undefined in a folder that goes by the name of its network. */
  readonly name: string | undefined;
  readonly former: readonly string[];
};

/** The file is there and holds no names; its message is meant for the operator. */
export class ServiceNamesDamagedError extends Error {
  override readonly name = 'ServiceNamesDamagedError';
}

const NAMES_FILE = 'service-network';
const NOTED_NAME = join('journal', 'named');
/** Who signed for it last may still hold something that counts; of older names nobody asks. */
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

/** In the log's folder, before anything is written for a name; again after a rename that was cut short. */
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
 * Gives a folder a name that nobody had before; what it was called until now is kept. On disk when this
 * resolves, whole or not at all whenever the power goes.
 */
export async function drawServiceName(directory: string, word: string): Promise<ServiceNames> {
  const before = namesIn(directory);
  const name = serviceName(word, randomBytes(SERVICE_DIGITS_BYTES).toString('hex'));
  const had = [before.name, ...before.former, notedIn(directory)];
  const former = [...new Set(had.filter((each) => each !== undefined))];
  const kept = { name, former: former.slice(0, FORMER_MAX) };
  const text = [kept.name, ...kept.former, ''].join('\n');
  writeWholeFile(join(directory, NAMES_FILE), text);
  noteServiceName(directory, name);
  return kept;
}

/** Gives a folder that is to be one of several of a venue the name that the others have; one that has a name keeps it. */
export function adoptServiceName(directory: string, name: string): void {
  const isShared = serviceWordOf(name) === undefined;
  if (isShared || namesIn(directory).name !== undefined) return;
  writeWholeFile(join(directory, NAMES_FILE), `${name}\n`);
}
