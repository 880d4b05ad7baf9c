import { join } from 'node:path';
import type { LogEntry } from '../block/log-entry.ts';
import { EraStore } from '../log/era-store.ts';
import { readJournal } from '../log/read-journal.ts';
import { JournalTail } from '../log/journal-tail.ts';
import { SnapshotStore } from '../log/snapshot-store.ts';
import { FollowingReplica } from './following-replica.ts';
import { Snapshotter, type SnapshotterOptions } from './snapshotter.ts';

/** A replica that follows a data folder through its files, beside the one that leads on another thread. */
export type FolderFollower = {
  readonly replica: FollowingReplica;
  /** The oldest block of the log that can be applied. */
  readonly firstSeq: number;
  /** Hands over the entries behind the replica's, up to one that is known to be durable. */
  readUpTo(seq: number, apply: (entry: LogEntry) => unknown): Promise<void>;
  /** The number of the next entry. */
  readonly nextSeq: number;
  /** Writes the folder's snapshots. */
  snapshotter(options: Omit<SnapshotterOptions, 'replica' | 'snapshots'>): Promise<Snapshotter>;
  /** Heights of the snapshots that are kept. */
  snapshotHeights(): Promise<readonly number[]>;
  close(): Promise<void>;
};

/** Nothing is restored or read yet; the log is known to reach up to a block. */
export async function followFolder(
  data: string,
  headSeq: number,
  onPassedOver: (what: string, why: string) => void,
): Promise<FolderFollower> {
  const journal = join(data, 'journal');
  const log = await readJournal(journal, headSeq);
  const snapshots = new SnapshotStore({ directory: join(data, 'snapshots') });
  const eras = new EraStore({ directory: join(data, 'eras') });
  const replica = await FollowingReplica.create({ log, snapshots, eras, onPassedOver });
  let tail: JournalTail | undefined;
  const begun = (): JournalTail => (tail ??= new JournalTail(journal, replica.head.height + 1));
  return {
    replica,
    firstSeq: await replica.firstApplicable(),
    get nextSeq() {
      return begun().nextSeq;
    },
    readUpTo: (seq, apply) => begun().readUpTo(seq, apply),
    async snapshotter(options) {
      const snapshotter = new Snapshotter({ ...options, replica, snapshots });
      await snapshotter.open();
      return snapshotter;
    },
    snapshotHeights: async () => (await snapshots.list()).map(({ height }) => height),
    close: async () => tail?.close(),
  };
}
