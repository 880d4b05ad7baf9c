import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HASH_BYTES } from './tree-hash.ts';

/**
 * What salts are made of: random, made once, and no key to anything. Whoever has it can find out whose
 * the neighbours in a proof are, and no more than that.
 */
export function treeSecret(folder: string): Uint8Array {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'salt-secret');
  if (!existsSync(file)) {
    // Whole or not at all.
    const beside = `${file}.new`;
    writeFileSync(beside, randomBytes(HASH_BYTES).toString('hex'), { mode: 0o600 });
    renameSync(beside, file);
  }
  const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (secret.length === HASH_BYTES) return secret;
  // Trees of another secret are of no use, and are made again.
  rmSync(file);
  return treeSecret(folder);
}
