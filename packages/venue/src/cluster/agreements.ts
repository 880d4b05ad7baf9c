import { randomBytes } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import type { KV } from '@nats-io/kv';
import { SERVICE_DIGITS_BYTES, serviceName } from '@oddlot/protocol';
import { patiently } from './patiently.ts';

/** Where what replicas have drawn together lies: beside the leases, and never one itself. */
const NAME_KEY = 'venue-name';
const CURSOR_KEY = 'cursor-key';

export const AGREED_KEYS: ReadonlySet<string> = new Set([NAME_KEY, CURSOR_KEY]);

const AGAIN_AFTER_MS = 100;

type Bucket = Pick<KV, 'create' | 'get'>;

/**
 * What a venue is called whose stream nobody has opened yet. Replicas that are started together would each draw another name,
 * and all but the first could not follow the stream then.
 */
export function agreeOnName(kv: Bucket, word: string): Promise<string> {
  return agree(kv, NAME_KEY, () => serviceName(word, hexOf(SERVICE_DIGITS_BYTES)));
}

/** The key of cursors, so that a page which one replica has begun goes on at another. */
export async function agreeOnCursorKey(kv: Bucket, bytes: number): Promise<Uint8Array> {
  return Buffer.from(await agree(kv, CURSOR_KEY, () => hexOf(bytes)), 'hex');
}

/** Whoever writes first has drawn for all. */
async function agree(kv: Bucket, key: string, draw: () => string): Promise<string> {
  for (;;) {
    const found = await patiently(() => kv.get(key));
    if (found?.operation === 'PUT') return found.string();
    try {
      await kv.create(key, draw());
    } catch {
      // Another one was faster, or nobody has heard it, or it may not be written: it is looked at again.
      await later(AGAIN_AFTER_MS);
    }
  }
}

function hexOf(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
