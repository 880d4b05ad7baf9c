import type { LogEntry } from '@oddlot/venue/replay';
import type { AuditedReplica } from '../replica/audited-replica.ts';
import type { LogSource } from './log-source.ts';

/** What a replica has to look up in a log that it is given block by block: the first one alone. */
export function beginningOf(source: LogSource): Parameters<typeof AuditedReplica.open>[0]['log'] {
  return {
    firstSeq: 1,
    lastSeq: Number.MAX_SAFE_INTEGER,
    async replay(fromSeq: number, apply: (entry: LogEntry) => unknown): Promise<void> {
      const { entries } = await source.page(fromSeq, new AbortController().signal);
      if (entries[0] !== undefined) await apply(entries[0]);
    },
  };
}
