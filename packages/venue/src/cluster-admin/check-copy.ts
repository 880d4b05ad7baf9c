import { join } from 'node:path';
import { EraStore, SnapshotStore } from '../log/checked-stores.ts';
import type { FileJournal } from '../log/file-journal.ts';
import { FollowingReplica } from '../replica/following-replica.ts';
import { AdminRefusedError } from './admin-place.ts';

export type Progress = (what: string, seq: number, of: number) => void;

/**
 * Applies a log to an engine, from the newest state that is kept beside it: checksums of all entries that it reads, the
 * hashes that replicas have attested, and the starts of eras are compared. Says what the last block is.
 */
export async function checkCopy(
  data: string,
  journal: FileJournal,
  onProgress: Progress,
): Promise<{ readonly height: number; readonly hash: string }> {
  const replica = await FollowingReplica.create({
    log: journal,
    snapshots: new SnapshotStore({ directory: join(data, 'snapshots') }),
    eras: new EraStore({ directory: join(data, 'eras') }),
  });
  await replica.restoreBase();
  const { firstSeq, lastSeq } = journal;
  if (replica.head.height < firstSeq - 1) {
    throw new AdminRefusedError(
      `The log in ${data} begins with block ${firstSeq}, but the folder has no snapshot of ` +
        `block ${firstSeq - 1} or later`,
    );
  }
  await journal.replay(replica.head.height + 1, (entry) => {
    replica.take(entry);
    onProgress('checked', entry.seq, lastSeq);
  });
  const { height, kind, own } = replica.attestations.standing(undefined);
  if (kind !== 'agreed') {
    throw new AdminRefusedError(
      `Block ${height} has hash ${own} in ${data}, but most replicas attested a different ` +
        'one. Use a different copy',
    );
  }
  return replica.head;
}
