import { threadHere } from '@oddlot/host/thread';
import type { StartRecoverer } from '@oddlot/api/recover-pool';
import { runRecoverer } from '@oddlot/api/run-recoverer';
import type { StartIndexer } from '@oddlot/history/indexer/indexer-thread';
import { runIndexer } from '@oddlot/history/indexer/run-indexer';
import { type Disk, diskHere } from '@oddlot/replica/log/disk-thread';

/** What runs beside the main thread, and on what; each on a thread of its own where nothing is said. */
export type Threads = {
  readonly disk?: () => Disk;
  readonly startIndexer?: StartIndexer;
  readonly startRecoverer?: StartRecoverer;
};

/**
 * All of it on the thread of the caller, without waiting for a disk: a venue that is there in a moment, for a test.
 * What is done is the same.
 */
export const THREADS_HERE: Threads = {
  disk: () => diskHere({ isSynced: false }),
  startIndexer: (settings) => threadHere(runIndexer, settings),
  startRecoverer: (data) => threadHere(runRecoverer, data),
};
