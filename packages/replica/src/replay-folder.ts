import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EraStore, SnapshotStore } from './log/checked-stores.ts';
import { JournalDamagedError } from './log/log.ts';
import { readJournal } from './log/journal-reader.ts';
import { FollowingReplica } from './following-replica.ts';

/** What a log comes to at a block. */
type Replayed = {
  readonly height: number;
  readonly timeMs: number;
  /** Of the block. */
  readonly hash: string;
  /** Of the whole state after it. */
  readonly stateHash: string;
};

/**
 * Applies the log of a folder to an engine of its own, from the first block up to one, and says what came out. It writes
 * nothing, so that the venue may run meanwhile. Undefined when the log can't be read so far: it ends before, or is damaged.
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
    // Whoever asks for more than there is reads into what was never written: from here it looks the same as damage.
    if (error instanceof JournalDamagedError) return undefined;
    throw error;
  }
  const { hash, height, stateHash, timeMs } = replica.head;
  return height === to ? { height, timeMs, hash, stateHash } : undefined;
}
