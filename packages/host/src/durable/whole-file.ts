import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, OWN_FILE, syncDirectory, syncFolder } from './own-files.ts';
import { randomBytes } from 'node:crypto';

/**
 * Files that are read as a whole. Each appears under its name whole or not at all, in the place of what had that name before,
 * and is there after a power loss once the call is over: its bytes are synced before it gets the name, the folder after it.
 */

/** For its owner alone, unless it is made for others. */
type WholeFileOptions = { readonly mode?: number };

export function writeWholeFile(
  file: string,
  content: string | Uint8Array,
  { mode = OWN_FILE }: WholeFileOptions = {},
): void {
  makeFolder(dirname(file));
  const beside = besideOf(file);
  // What a crash left of one may have other rights.
  rmSync(beside, { force: true });
  try {
    writeNew(beside, content, mode);
    renameSync(beside, file);
  } catch (error) {
    // A disk without room needs it back.
    rmSync(beside, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

/** For a file that must not be there yet; one that is there stays as it is, and the error's code is `EEXIST`. */
export function createWholeFile(file: string, content: string | Uint8Array): void {
  try {
    writeNew(file, content, OWN_FILE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(file, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

/** What is written in pieces, by whoever is given the file. */
export async function writeWholeFileBy<Result>(
  file: string,
  write: (handle: FileHandle) => Promise<Result>,
  { mode = OWN_FILE }: WholeFileOptions = {},
): Promise<Result> {
  makeFolder(dirname(file));
  const beside = besideOf(file);
  await rm(beside, { force: true });
  let result: Result;
  try {
    const handle = await open(beside, 'wx', mode);
    try {
      result = await write(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await syncDirectory(dirname(file));
  return result;
}

/** The text of a file; undefined where there is none. */
export function readTextFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Puts a file out of the way, for whoever wants to look at it. */
export function moveFile(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
}

const besideOf = (file: string): string => `${file}.new`;

function writeNew(file: string, content: string | Uint8Array, mode: number): void {
  const descriptor = openSync(file, 'wx', mode);
  try {
    writeAll(descriptor, Buffer.from(content));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A single write may stop short. */
export function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

/** A secret is not what was drawn, or is missing though it was used; its message is meant for the operator. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

type SecretFile = {
  readonly file: string;
  readonly bytes: number;
  /** A file that was made with the secret; undefined if there is none. */
  readonly madeWith: string | undefined;
  /** What an operator without a backup does, as it follows "If there is none,". */
  readonly remedy: string;
};

/**
 * Random bytes of a venue's own, drawn once and kept as hex in a file that only its user can read. Nothing is drawn in the
 * place of a secret that was there: what was made with it would silently stop to fit.
 */
export function secretFile({ bytes, file, madeWith, remedy }: SecretFile): Uint8Array {
  const text = readTextFile(file);
  const refuse = (what: string): never => {
    throw new SecretFileError(
      `${file} ${what}. Restore it from a backup. If there is none, ${remedy}`,
    );
  };
  if (text !== undefined) {
    const kept = Buffer.from(text.trim(), 'hex');
    const isWhole = kept.length === bytes && kept.toString('hex') === text.trim().toLowerCase();
    return isWhole ? kept : refuse(`does not contain ${bytes} bytes in hex`);
  }
  if (madeWith !== undefined) return refuse(`is missing, but ${madeWith} was created with it`);
  const drawn = randomBytes(bytes);
  writeWholeFile(file, drawn.toString('hex'));
  return drawn;
}
