import { randomBytes } from 'node:crypto';
import { readTextFile, writeWholeFile } from './whole-file.ts';

/**
 * Random bytes of a venue's own, drawn once and kept as hex in a file that only its user can read. What was made with them can
 * be made again: a file that is gone or damaged is made anew.
 */
export function secretFile(file: string, bytes: number): Uint8Array {
  const kept = Buffer.from(readTextFile(file)?.trim() ?? '', 'hex');
  if (kept.length === bytes) return kept;
  const drawn = randomBytes(bytes);
  writeWholeFile(file, drawn.toString('hex'));
  return drawn;
}
