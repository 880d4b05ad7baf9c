import type { KV } from '@nats-io/kv';
import { patiently } from './patiently.ts';

const FIRST_MS = 1_000;
const LATER_MS_MAX = 8_000;

/**
 * The keys of a bucket. The client library lists them by a consumer that now and then is not told the end: such a list is
 * given up, and asked for anew.
 */
export async function keysOf(kv: Pick<KV, 'keys'>): Promise<string[]> {
  for (let forMs = FIRST_MS; ; forMs = Math.min(2 * forMs, LATER_MS_MAX)) {
    const keys = await patiently(() => kv.keys());
    let isWhole = true;
    const late = setTimeout(() => {
      isWhole = false;
      keys.stop();
    }, forMs);
    const found: string[] = [];
    for await (const key of keys) found.push(key);
    clearTimeout(late);
    if (isWhole) return found;
  }
}
