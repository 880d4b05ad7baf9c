import type { Hash } from '@oddlot/units';
import { ATTESTED_WITHIN_BLOCKS, attestationIn } from '../block/attestation-in.ts';
import type { LogEntry } from '../block/log-entry.ts';
import type { Log } from '../log/log.ts';

const BLOCKS_AT_ONCE = 1_000;

/** The hash that the log attests for the content of the snapshot of a block; undefined when it has none. */
export async function attestedIn(
  log: Pick<Log, 'firstSeq' | 'lastSeq' | 'replay'>,
  height: number,
): Promise<Hash | undefined> {
  const until = Math.min(log.lastSeq, height + ATTESTED_WITHIN_BLOCKS);
  let from = Math.max(height + 1, log.firstSeq);
  while (from <= until) {
    const untilSeq = Math.min(until, from + BLOCKS_AT_ONCE - 1);
    const found: Hash[] = [];
    const look = ({ commands }: LogEntry): void => {
      const attested = attestationIn(commands, height);
      if (attested !== undefined) found.push(attested);
    };
    await log.replay(from, look, { untilSeq });
    if (found[0] !== undefined) return found[0];
    from = untilSeq + 1;
  }
  return undefined;
}
