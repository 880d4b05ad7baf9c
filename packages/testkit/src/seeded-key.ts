import { createHash } from 'node:crypto';

/** A private key that follows from a seed and a name; everybody can compute it, so it is for tests alone. */
export function seededKey(seed: string, name: string): `0x${string}` {
  return `0x${seededBytes(seed, `key ${name}`).toString('hex')}`;
}

/** 32 bytes that follow from the seed; another purpose has others. */
export function seededBytes(seed: string, purpose: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['oddlot testkit', seed, purpose]))
    .digest();
}
