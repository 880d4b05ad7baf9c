import { randomBytes } from 'node:crypto';
import { readTextFile, writeWholeFile } from './whole-file.ts';

/** A secret is not what was drawn, or is missing though it was used; its message is meant for the operator. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

type SecretFile = {
  readonly file: string;
  readonly bytes: number;
  /** A file that was made with the secret; undefined if there is none. */
  readonly madeWith: string | undefined;
  /** What an operator without a backup does, as it follows "Without a backup". */
  readonly remedy: string;
};

/**
 * Random bytes of a venue's own, drawn once and kept as hex in a file that only its user can read. Nothing is drawn in the
 * place of a secret that was there: what was made with it would silently stop to fit.
 */
export function secretFile({ bytes, file, madeWith, remedy }: SecretFile): Uint8Array {
  const text = readTextFile(file);
  const refuse = (what: string): never => {
    throw new SecretFileError(`${file} ${what}. Restore it. Without a backup ${remedy}`);
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
