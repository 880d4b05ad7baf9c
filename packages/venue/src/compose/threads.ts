import { threadHere } from '@oddlot/host/thread';
import type { StartRecoverer } from '@oddlot/api/recover-pool';
import { runRecoverer } from '@oddlot/api/run-recoverer';
import type { StartIndexer } from '@oddlot/history/indexer/indexer-thread';
import { runIndexer } from '@oddlot/history/indexer/run-indexer';
import { type Disk, diskHere } from '@oddlot/replica/log/disk-thread';

/** The components that can run on other threads; by default, each runs on its own thread. */
export type Threads = {
  readonly disk?: () => Disk;
  readonly startIndexer?: StartIndexer;
  readonly startRecoverer?: StartRecoverer;
};

/**
 * Runs all components on the caller's thread and does not wait for writes to reach the disk, so
 * that a test venue starts immediately.
 */
export const THREADS_HERE: Threads = {
  disk: () => diskHere({ isSynced: false }),
  startIndexer: (settings) => threadHere(runIndexer, settings),
  startRecoverer: (data) => threadHere(runRecoverer, data),
};
