import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import { SERVICE_DIGITS_BYTES, serviceName, serviceWordOf } from '@oddlot/protocol';

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

const FILE = 'service-network';
const NOTE = join('journal', 'named');
/** Who signed for it last may still hold something that counts; of older names nobody asks. */
const FORMER_MAX = 8;

export function readServiceNames(directory: string): ServiceNames {
  const { former, name } = namesIn(directory);
  const noted = notedIn(directory);
  if (noted === undefined || noted === name || former.includes(noted)) return { name, former };
  const file = join(directory, FILE);
  const what = name === undefined ? 'is missing' : `contains ${name}`;
  throw new ServiceNamesDamagedError(
    `${file} ${what}, but the log next to it was written for ${noted}. Restore the file, write that name into it, or rename the folder with npm run rename-venue`,
  );
}

/** In the log's folder, before anything is written for a name; again after a rename that was cut short. */
export function noteServiceName(directory: string, name: string): void {
  if (notedIn(directory) !== name) writeWholeFile(join(directory, NOTE), `${name}\n`);
}

function notedIn(directory: string): string | undefined {
  return readTextFile(join(directory, NOTE))?.trim();
}

function namesIn(directory: string): ServiceNames {
  const file = join(directory, FILE);
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
  writeWholeFile(join(directory, FILE), text);
  noteServiceName(directory, name);
  return kept;
}

/** Gives a folder that is to be one of several of a venue the name that the others have; one that has a name keeps it. */
export function adoptServiceName(directory: string, name: string): void {
  const isShared = serviceWordOf(name) === undefined;
  if (isShared || namesIn(directory).name !== undefined) return;
  writeWholeFile(join(directory, FILE), `${name}\n`);
}
