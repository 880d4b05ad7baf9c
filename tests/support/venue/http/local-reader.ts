import {
  CommandReader,
  type ReadCommand,
  type Scale,
} from '../../../../packages/api/src/recover-messages.ts';
import type { RecoverPool } from '../../../../packages/api/src/recover-pool.ts';
import type { Recoverer } from '../../../../packages/api/src/recoverer.ts';

/** Reads requests like a recover thread, but on the caller's thread. */
export function localReader(recoverer: Recoverer): Pick<RecoverPool, 'learn' | 'read'> {
  const reader = new CommandReader(recoverer);
  let scales: Scale[] = [];
  return {
    read(text, job) {
      const batch = { scales, jobs: [{ id: 0, kind: 'read', text, job } as const] };
      scales = [];
      return Promise.resolve(reader.answer(batch)[0]!.answer as ReadCommand);
    },
    learn: (more) => void scales.push(...more),
  };
}
