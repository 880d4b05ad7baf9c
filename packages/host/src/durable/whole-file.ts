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
import { makeFolder, OWNER_ONLY_MODE, syncDirectory, syncFolder } from './own-files.ts';
import { randomBytes } from 'node:crypto';

/**
 * Functions for files that are written as a whole. A file appears under its name completely or not
 * at all, and replaces a previous file with that name. Once the call has returned, the file
 * survives a power loss: its content is synced before it gets the name, and the folder is synced
 * afterwards.
 */

/** The mode of the file. By default, only the owner has access. */
type WholeFileOptions = { readonly mode?: number };

export function writeWholeFile(
  file: string,
  content: string | Uint8Array,
  { mode = OWNER_ONLY_MODE }: WholeFileOptions = {},
): void {
  makeFolder(dirname(file));
  const draft = draftOf(file);
  // A draft left by a crash could have another mode.
  rmSync(draft, { force: true });
  try {
    writeNew(draft, content, mode);
    renameSync(draft, file);
  } catch (error) {
    // The draft is removed, because a full disk needs the space.
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

/**
 * Writes a file that must not exist yet. An existing file is unchanged, and the error has the code
 * `EEXIST`.
 */
export function createWholeFile(file: string, content: string | Uint8Array): void {
  try {
    writeNew(file, content, OWNER_ONLY_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(file, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

/** Writes a file whose content is written by a callback in pieces. */
export async function writeWholeFileBy<Result>(
  file: string,
  write: (handle: FileHandle) => Promise<Result>,
  { mode = OWNER_ONLY_MODE }: WholeFileOptions = {},
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

/** Returns the text of a file, or undefined if the file does not exist. */
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

/** Writes all bytes, because a single write can be partial. */
export function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

/**
 * Thrown if a secret file is damaged, or missing although it has been used. The message is for the
 * operator.
 */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

type SecretFile = {
  readonly file: string;
  readonly bytes: number;
  /** A file that depends on the secret; undefined if there is none. */
  readonly madeWith: string | undefined;
  /** The action for an operator without a backup, worded to follow "If there is none,". */
  readonly remedy: string;
};

/**
 * Returns random bytes that are created once and stored as hex in a file readable only by its
 * owner. A lost secret is never replaced while dependent files exist, because they would silently
 * become invalid.
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
