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
 * Files that are read as a whole. Each appears under its name completely or not at all, replacing a
 * previous file with the name, and survives a power loss once the call returns: its content is
 * synced before it gets the name, the folder afterwards.
 */

/** Accessible to its owner only, unless another mode is given. */
type WholeFileOptions = { readonly mode?: number };

export function writeWholeFile(
  file: string,
  content: string | Uint8Array,
  { mode = OWN_FILE }: WholeFileOptions = {},
): void {
  makeFolder(dirname(file));
  const draft = draftOf(file);
  // The unfinished file of a crash may have another mode.
  rmSync(draft, { force: true });
  try {
    writeNew(draft, content, mode);
    renameSync(draft, file);
  } catch (error) {
    // A full disk needs the space.
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

/**
 * For a file that must not exist yet; an existing one is unchanged and the error has the code
 * `EEXIST`.
 */
export function createWholeFile(file: string, content: string | Uint8Array): void {
  try {
    writeNew(file, content, OWN_FILE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(file, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

/** For content that a callback writes in pieces. */
export async function writeWholeFileBy<Result>(
  file: string,
  write: (handle: FileHandle) => Promise<Result>,
  { mode = OWN_FILE }: WholeFileOptions = {},
): Promise<Result> {
  makeFolder(dirname(file));
  const draft = draftOf(file);
  await rm(draft, { force: true });
  let result: Result;
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      result = await write(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(dirname(file));
  return result;
}

/** The text of a file; undefined if it does not exist. */
export function readTextFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Renames a file durably, for example to preserve it for an operator. */
export function moveFile(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
}

const draftOf = (file: string): string => `${file}.new`;

function writeNew(file: string, content: string | Uint8Array, mode: number): void {
  const descriptor = openSync(file, 'wx', mode);
  try {
    writeAll(descriptor, Buffer.from(content));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A single write may be partial. */
export function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

/**
 * A secret file is damaged, or is missing although it was used; the message is for the operator.
 */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

type SecretFile = {
  readonly file: string;
  readonly bytes: number;
  /** A file that depends on the secret; undefined if there is none. */
  readonly madeWith: string | undefined;
  /** The remedy for an operator without a backup, as a continuation of "If there is none,". */
  readonly remedy: string;
};

/**
 * Random bytes, created once and stored as hex in a file that only its user can read. A lost secret
 * is never replaced if dependent files exist, because they would silently become invalid.
 */
export function secretFile({ bytes, file, madeWith, remedy }: SecretFile): Uint8Array {
  const text = readTextFile(file);
  const refuse = (what: string): never => {
    throw new SecretFileError(
      `${file} ${what}. Restore it from a backup. If there is none, ${remedy}`,
    );
  };
  if (text !== undefined) {
    const secret = Buffer.from(text.trim(), 'hex');
    const isWhole = secret.length === bytes && secret.toString('hex') === text.trim().toLowerCase();
    return isWhole ? secret : refuse(`does not contain ${bytes} bytes in hex`);
  }
  if (madeWith !== undefined) return refuse(`is missing, but ${madeWith} was created with it`);
  const drawn = randomBytes(bytes);
  writeWholeFile(file, drawn.toString('hex'));
  return drawn;
}
