import {
  CommandReader,
  packJob,
  type ReadCommand,
  type Scale,
  unpackReplies,
} from '../../../../packages/api/src/recover-messages.ts';
import type { RecoverPool } from '../../../../packages/api/src/recover-pool.ts';
import type { Recoverer } from '../../../../packages/api/src/recoverer.ts';

/** Decodes requests and recovers their signers on the calling thread instead of a worker thread. */
export function localReader(recoverer: Recoverer): Pick<RecoverPool, 'learn' | 'read'> {
  const reader = new CommandReader(recoverer);
  let scales: Scale[] = [];
  return {
    read(text, job) {
      const jobs: (string | number)[] = [];
      packJob(jobs, { kind: 'read', text, job });
      const [answer] = unpackReplies(reader.answer({ scales, jobs }));
      scales = [];
      return Promise.resolve(answer as ReadCommand);
    },
    learn: (more) => void scales.push(...more),
  };
}
