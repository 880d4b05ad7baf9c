import { join } from 'node:path';
import { EraStore } from '../log/era-store.ts';
import { readJournal } from '../log/journal-reader.ts';
import { SnapshotStore } from '../log/snapshot-store.ts';
import { LocalReplica } from './local-replica.ts';

/**
 * A replica beside the one that leads, on another thread: it catches up with the log from its first block
 * on, up to one that is known to be durable, and does nothing else.
 */
export async function createReadingReplica(options: {
  /** The data folder. */
  readonly data: string;
  readonly untilHeight: number;
}): Promise<LocalReplica> {
  const { data, untilHeight } = options;
  // Without snapshots and starts of eras: nothing may shorten the way.
  const nowhere = join(data, 'none');
  return LocalReplica.create({
    log: await readJournal(join(data, 'journal'), untilHeight),
    snapshots: new SnapshotStore({ directory: nowhere }),
    eras: new EraStore({ directory: nowhere }),
    clock: { nowMs: () => 0 },
    genesis: [],
    snapshotEveryBlocks: Number.MAX_SAFE_INTEGER,
    snapshotEveryCommands: Number.MAX_SAFE_INTEGER,
    onFatal: (error) => {
      throw error;
    },
  });
}
