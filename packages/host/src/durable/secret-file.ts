import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { writeWholeFile } from './whole-file.ts';

/** Random bytes of a venue's own, made once and kept in a file that only its user can read. */
export function secretFile(file: string, bytes: number): Uint8Array {
  if (!existsSync(file)) writeWholeFile(file, randomBytes(bytes).toString('hex'));
  const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (secret.length === bytes) return secret;
  // What was made with it can be made again.
  rmSync(file);
  return secretFile(file, bytes);
}
