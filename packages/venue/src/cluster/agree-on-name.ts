import { randomBytes } from 'node:crypto';
import type { KV } from '@nats-io/kv';
import { SERVICE_DIGITS_BYTES, serviceName } from '@oddlot/protocol';
import { patiently } from './patiently.ts';

/** Beside the leases; never one itself. */
export const NAME_KEY = 'venue-name';

/**
 * What a venue is called whose stream nobody has opened yet. Replicas that are started together would each draw another name,
 * and all but the first could not follow the stream then: whoever writes its name first has named it for all.
 */
export async function agreeOnName(kv: Pick<KV, 'create' | 'get'>, word: string): Promise<string> {
  for (;;) {
    const found = await patiently(() => kv.get(NAME_KEY));
    if (found !== null && found.operation === 'PUT') return found.string();
    const name = serviceName(word, randomBytes(SERVICE_DIGITS_BYTES).toString('hex'));
    try {
      await kv.create(NAME_KEY, name);
    } catch {
      // Another one was faster, or nobody has heard it: it is looked at again.
    }
  }
}
