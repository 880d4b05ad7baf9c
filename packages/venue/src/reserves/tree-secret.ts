import { join } from 'node:path';
import { secretFile } from '@oddlot/host/durable';
import { HASH_BYTES } from './tree-hasher.ts';

/**
 * What salts are made of: random, made once, and no key to anything. Whoever has it can find out whose
 * the neighbours in a proof are, and no more than that. Trees of another secret are of no use, and are made
 * again.
 */
export function treeSecret(folder: string): Uint8Array {
  return secretFile(join(folder, 'salt-secret'), HASH_BYTES);
}
