import { LocalReader } from '../../../../packages/api/src/recover-messages.ts';
import type { RecoverPool } from '../../../../packages/api/src/recover-pool.ts';
import type { Recoverer } from '../../../../packages/api/src/recoverer.ts';

/** Decodes requests on the calling thread instead of a thread pool. */
export function readerHere(recoverer: Recoverer): Pick<RecoverPool, 'learn' | 'read'> {
  const reader = new LocalReader(recoverer);
  return {
    read: (text, job) => Promise.resolve(reader.read(text, job)),
    learn: (scales) => reader.learn(scales),
  };
}
