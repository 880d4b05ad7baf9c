import { join } from 'node:path';
import { secretFile } from '@oddlot/host/durable';

const FILE = 'exhibition-secret';
const BYTES = 32;

/**
 * What the made-up results of a venue follow from: drawn once and kept in its data folder, so that a
 * restart goes on with the rounds that it had promised.
 */
export function exhibitionSecret(data: string): Uint8Array {
  return secretFile({
    file: join(data, FILE),
    bytes: BYTES,
    // Folders of earlier releases, and of venues without demo markets, have none.
    madeWith: undefined,
    remedy: 'remove it; open rounds then pay all sides equally',
  });
}
