import { threadHere } from '@oddlot/host/thread';
import type { StartRecoverer } from '../edge/recover-pool.ts';
import { runRecoverer } from '../edge/run-recoverer.ts';
import type { StartArchivist } from '../history/archivist/archivist-thread.ts';
import { runArchivist } from '../history/archivist/run-archivist.ts';
import { type Disk, diskHere } from '../log/disk-thread.ts';

/** What runs beside the main thread, and on what; each on a thread of its own where nothing is said. */
export type Threads = {
  readonly disk?: () => Disk;
  readonly startArchivist?: StartArchivist;
  readonly startRecoverer?: StartRecoverer;
};

/**
 * All of it on the thread of the caller, without waiting for a disk: a venue that is there in a moment, for a test.
 * What is done is the same.
 */
export const THREADS_HERE: Threads = {
  disk: () => diskHere({ isSynced: false }),
  startArchivist: (settings) => threadHere(runArchivist, settings),
  startRecoverer: (data) => threadHere(runRecoverer, data),
};
