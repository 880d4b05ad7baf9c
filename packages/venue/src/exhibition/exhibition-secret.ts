import { join } from 'node:path';
import { secretFile } from '@oddlot/host/durable';

const FILE = 'exhibition-secret';
const BYTES = 32;

/**
 * What the made-up results of a venue follow from: drawn once and kept in its data folder, so that a
 * restart goes on with the rounds that it had promised. A file that is gone or damaged is made anew.
 */
export function exhibitionSecret(data: string): Uint8Array {
  return secretFile(join(data, FILE), BYTES);
}
