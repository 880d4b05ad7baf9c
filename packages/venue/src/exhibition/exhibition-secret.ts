import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from '@oddlot/host/durable';

const FILE = 'exhibition-secret';
const BYTES = 32;

/**
 * What the made-up results of a venue follow from: drawn once and kept in its data folder, so that a
 * restart goes on with the rounds that it had promised. A file that is gone or damaged is made anew.
 */
export function exhibitionSecret(data: string): Uint8Array {
  const path = join(data, FILE);
  const kept = read(path);
  if (kept?.length === BYTES) return kept;
  const drawn = randomBytes(BYTES);
  writeWholeFile(path, drawn.toString('hex'));
  return drawn;
}

function read(path: string): Buffer | undefined {
  try {
    return Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
