import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
  mkdirSync(data, { recursive: true });
  writeFileSync(`${path}.new`, drawn.toString('hex'), { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
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
