import type { Disk } from './disk-thread.ts';
import { type DiskJob, type JobDone, performDiskJob } from './perform-disk-job.ts';

/** Does on this thread what the disk's thread does. Whoever needs no durability leaves the syncs out. */
export function diskHere({ isSynced = true }: { readonly isSynced?: boolean } = {}): Disk {
  return {
    ask: (job, done) => void setImmediate(() => done(performed(isSynced ? job : unsynced(job)))),
    giveBack: () => {},
  };
}

function unsynced(job: DiskJob): DiskJob {
  return { ...job, isSync: false };
}

function performed(job: DiskJob): JobDone & { readonly error?: Error } {
  try {
    return performDiskJob(job);
  } catch (error) {
    return { error: error as Error, hasZeros: false, syncSeconds: 0 };
  }
}
