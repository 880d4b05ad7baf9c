import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { secretFile } from '@oddlot/host/durable';
import { heightOfFile } from './tree-file.ts';
import { HASH_BYTES } from './tree-hasher.ts';

/**
 * What salts are made of: random, made once, and no key to anything. Whoever has it can find out whose
 * the neighbours in a proof are, and no more than that. Trees of another secret are of no use.
 */
export function treeSecret(folder: string): Uint8Array {
  return secretFile({
    file: join(folder, 'salt-secret'),
    bytes: HASH_BYTES,
    madeWith: treeIn(folder),
    remedy:
      `remove ${folder}; trees are then rebuilt, but proofs that were already issued ` +
      'become invalid',
  });
}

function treeIn(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((each) => heightOfFile(each) !== undefined);
  return name === undefined ? undefined : join(folder, name);
}
