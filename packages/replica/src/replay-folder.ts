import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EraStore, SnapshotStore } from './log/checked-stores.ts';
import { JournalDamagedError } from './log/log.ts';
import { readJournal } from './log/journal-reader.ts';
import { FollowingReplica } from './following-replica.ts';

type Replayed = {
  readonly height: number;
  readonly timeMs: number;
  readonly hash: string;
  readonly stateHash: string;
};

/**
 * Applies the log in a folder to a separate engine, from the first block up to a height, and
 * returns the hashes. It writes nothing, so the venue can keep running. Returns undefined if the
 * log ends before that height or is damaged.
 */
export async function replayFolder({
  data,
  to,
  onProgress,
}: {
  readonly data: string;
  readonly to: number;
  readonly onProgress?: (height: number) => void;
}): Promise<Replayed | undefined> {
  const directory = join(data, 'journal');
  if (!existsSync(directory)) return undefined;
  const log = await readJournal(directory, to);
  const replica = await FollowingReplica.create({
    log,
    snapshots: new SnapshotStore({ directory: join(data, 'snapshots') }),
    eras: new EraStore({ directory: join(data, 'eras') }),
  });
  await replica.goToBeginning();
  try {
    await log.replay(log.firstSeq, (entry) => {
      replica.take(entry);
      onProgress?.(entry.seq);
    });
  } catch (error) {
    // Reading beyond the end of the log reaches bytes that were never written, which cannot be
    // distinguished from damage here.
    if (error instanceof JournalDamagedError) return undefined;
    throw error;
  }
  const { hash, height, stateHash, timeMs } = replica.head;
  return height === to ? { height, timeMs, hash, stateHash } : undefined;
}
