import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemTime } from '@oddlot/host/clock';
import type { LogEntry } from '@oddlot/replica/block';
import { lockData } from '@oddlot/replica/log/data-folder';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { FileJournal } from '@oddlot/replica/log/file-journal';
import type { Log } from '@oddlot/replica/log/log';
import { FollowingReplica } from '@oddlot/replica/following-replica';
import { FollowedModels } from './indexer/followed-models.ts';
import { RowBuffer } from './indexer/row-buffer.ts';
import { deleteHistory, openHistoryStore, type HistoryPlace } from './store/history-store.ts';
import { HistoryFullError } from './store/store-errors.ts';

/** Thrown before any change if the rows cannot be recomputed. */
class RebuildRefusedError extends Error {
  override readonly name = 'RebuildRefusedError';
}

type RebuildOptions = {
  /** The data folder, whose venue must be stopped. */
  readonly data: string;
  readonly place: HistoryPlace;
  readonly onProgress?: (progress: { readonly height: number; readonly of: number }) => void;
};

/**
 * Deletes the history and recomputes it from the first block of the log. If interrupted, the work
 * continues when the venue is next started.
 */
export async function rebuildHistory(
  options: RebuildOptions,
): Promise<{ readonly height: number; readonly rows: Readonly<Record<string, number>> }> {
  const { data } = options;
  if (!existsSync(join(data, 'journal'))) {
    throw new RebuildRefusedError(`No log in ${data}`);
  }
  const lock = await lockData(data);
  try {
    const journal = await FileJournal.open({
      directory: join(data, 'journal'),
      clock: { nowMs: () => systemTime.wallMs() },
      onFatal: (error) => {
        throw error;
      },
    });
    try {
      return await replayInto(options, journal);
    } finally {
      await journal.close();
    }
  } finally {
    lock.release();
  }
}

export async function replayInto(
  { data, onProgress, place }: RebuildOptions,
  journal: Pick<Log, 'firstSeq' | 'lastSeq' | 'replay'>,
): ReturnType<typeof rebuildHistory> {
  const { firstSeq, lastSeq } = journal;
  const replica = await FollowingReplica.create({
    log: journal,
    snapshots: new SnapshotStore({ directory: join(data, 'snapshots') }),
    eras: new EraStore({ directory: join(data, 'eras') }),
  });
  const first = await replica.firstApplicable();
  if (first > 1) {
    const why =
      first > firstSeq
        ? 'older blocks of the log need an earlier release'
        : 'the log has no older blocks';
    throw new RebuildRefusedError(
      `History rows before block ${first} cannot be recomputed: ${why}. Nothing was changed.`,
    );
  }
  await deleteHistory(place);
  const store = await openHistoryStore(place);
  try {
    const rows = await RowBuffer.on(store);
    const models = new FollowedModels(replica, {
      onRows: (block) => rows.add(block),
      // There are no subscribers, so rows that will not be stored are not created.
      isReported: () => false,
    });
    await replica.goToBeginning();
    models.history.isActive = true;
    const write = async (): Promise<void> => {
      if (!(await rows.writeSome())) throw new HistoryFullError('No disk space left for the rows');
      onProgress?.({ height: store.height, of: lastSeq });
    };
    const take = (entry: LogEntry): Promise<void> | undefined => {
      replica.take(entry);
      return rows.isDue ? write() : undefined;
    };
    await journal.replay(1, take, { withRequests: true });
    while (!rows.isEmpty) await write();
    return { height: store.height, rows: (await store.stats()).rows };
  } finally {
    await store.close();
  }
}
