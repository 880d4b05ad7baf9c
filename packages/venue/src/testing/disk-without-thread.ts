import type { Disk } from '../log/disk-thread.ts';
import { type DiskJob, type JobDone, performDiskJob } from '../log/perform-disk-job.ts';

/** Does what the disk's thread does on the thread of the test, for those that watch what this one calls. */
export function diskWithoutThread(): Disk {
  return {
    ask: (job, done) => void setImmediate(() => done(performed(job))),
    giveBack: () => {},
  };
}

function performed(job: DiskJob): JobDone & { readonly error?: Error } {
  try {
    return performDiskJob(job);
  } catch (error) {
    return { error: error as Error, hasZeros: false, syncSeconds: 0 };
  }
}
