import { jetstream, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { retryUntilAnswered } from './retry-until-answered.ts';
import { randomBytes } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import { SERVICE_DIGITS_BYTES, serviceName } from '@oddlot/protocol';

/**
 * Opens a key-value bucket of a cluster: `replicas` contains the status of each replica, `leases`
 * the holders of tasks.
 */
export function openBucket(
  connection: NatsConnection,
  {
    cluster,
    replicas,
    what,
  }: { readonly cluster: string; readonly what: string; readonly replicas: number },
): Promise<KV> {
  return retryUntilAnswered(() =>
    new Kvm(jetstream(connection)).create(`oddlot-${cluster}-${what}`, {
      replicas,
      history: 1,
      allow_direct: false,
    }),
  );
}

export async function madeMsOf(bucket: KV): Promise<number> {
  const { streamInfo } = await retryUntilAnswered(() => bucket.status());
  return Date.parse(streamInfo.created);
}

/** Returns whether a cluster has a bucket, for callers that must not create it. */
export async function hasBucket(
  connection: NatsConnection,
  { cluster, what }: { readonly cluster: string; readonly what: string },
): Promise<boolean> {
  const manager = await retryUntilAnswered(() => jetstreamManager(connection));
  return retryUntilAnswered(async () => {
    try {
      await manager.streams.info(`KV_oddlot-${cluster}-${what}`);
      return true;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status === 404) return false;
      throw error;
    }
  });
}

const FIRST_MS = 1_000;
const LATER_MS_MAX = 8_000;

/**
 * Returns the keys of a bucket. The client library lists them through a consumer that sometimes
 * misses the end, so an unfinished list is discarded and requested again.
 */
export async function keysOf(kv: Pick<KV, 'keys'>): Promise<string[]> {
  for (let forMs = FIRST_MS; ; forMs = Math.min(2 * forMs, LATER_MS_MAX)) {
    const keys = await retryUntilAnswered(() => kv.keys());
    let isWhole = true;
    const timer = setTimeout(() => {
      isWhole = false;
      keys.stop();
    }, forMs);
    const found: string[] = [];
    for await (const key of keys) found.push(key);
    clearTimeout(timer);
    if (isWhole) return found;
  }
}

/**
 * The key of a value that replicas agree on. Such keys are stored in the lease bucket but are not
 * leases.
 */
const NAME_KEY = 'venue-name';
const CURSOR_KEY = 'cursor-key';

export const AGREED_KEYS: ReadonlySet<string> = new Set([NAME_KEY, CURSOR_KEY]);

const AGAIN_AFTER_MS = 100;

type Bucket = Pick<KV, 'create' | 'get'>;

/**
 * Returns the network name of a venue whose stream is not open yet. Replicas that start together
 * must agree on it, because only one of several names could follow the stream.
 */
export function agreeOnName(kv: Bucket, word: string): Promise<string> {
  return agree(kv, NAME_KEY, () => serviceName(word, hexOf(SERVICE_DIGITS_BYTES)));
}

/** Returns the key of page cursors, so that any replica can continue a query begun on another. */
export async function agreeOnCursorKey(kv: Bucket, bytes: number): Promise<Uint8Array> {
  return Buffer.from(await agree(kv, CURSOR_KEY, () => hexOf(bytes)), 'hex');
}

/** Returns a value that is the same for all replicas: the first value written is used. */
async function agree(kv: Bucket, key: string, draw: () => string): Promise<string> {
  for (;;) {
    const found = await retryUntilAnswered(() => kv.get(key));
    if (found?.operation === 'PUT') return found.string();
    try {
      await kv.create(key, draw());
    } catch {
      // Another replica was faster, or the write failed or is not allowed, so the value is read
      // again.
      await later(AGAIN_AFTER_MS);
    }
  }
}

function hexOf(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
