import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import {
  ASKED,
  type WriteFailure,
  type DiskWorkerData,
  DONE,
  ENDED,
  FAILED,
  HAS_FAILED,
  HAS_ZEROS,
  JOBS_MAX,
  type NewMemory,
  openShare,
  OUTCOME,
  performWriteJob,
  SKIPPED,
  SYNC_SECONDS,
} from './write-job.ts';

/**
 * The thread that writes the journal. It blocks on purpose: consecutive synchronous writes and
 * syncs take only as long as the disk needs, whereas each asynchronous call adds a round trip
 * through the thread pool of the runtime.
 */

const { memory: shared, port } = workerData as DiskWorkerData;
const { counters, jobs } = openShare(shared);
const memories: Buffer[] = [];

for (let ended = 0; ; ended = (ended + 1) | 0) {
  // The requester increments the counter before it notifies, so a notification can arrive after the
  // job is done. It is then ignored.
  while (Atomics.load(counters, ASKED) === ended) Atomics.wait(counters, ASKED, ended);
  const job = jobs[ended & (JOBS_MAX - 1)] as Float64Array;
  job[OUTCOME] = Atomics.load(counters, HAS_FAILED) === 1 ? SKIPPED : perform(job);
  if (job[OUTCOME] === FAILED) Atomics.store(counters, HAS_FAILED, 1);
  Atomics.store(counters, ENDED, (ended + 1) | 0);
  Atomics.notify(counters, ENDED);
}

function perform(job: Float64Array): number {
  try {
    // The numbers are in the order of their constants (`DESCRIPTOR` first).
    const [descriptor = 0, memory = 0, length = 0, position = 0, zeros = 0, space = 0, isSync] =
      job;
    const place = { descriptor, bytes: memoryAt(memory), length, position, zeros, space };
    const { hasZeros, syncSeconds } = performWriteJob({ ...place, isSync: isSync === 1 });
    job[HAS_ZEROS] = hasZeros ? 1 : 0;
    job[SYNC_SECONDS] = syncSeconds;
    return DONE;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    port.postMessage({ code, message } satisfies WriteFailure);
    return FAILED;
  }
}

/** Returns a shared memory by its index, after receiving those sent before the job. */
function memoryAt(index: number): Buffer {
  for (;;) {
    const received = receiveMessageOnPort(port);
    if (received === undefined) break;
    const { index: at, memory } = received.message as NewMemory;
    memories[at] = Buffer.from(memory);
  }
  const bytes = memories[index];
  if (bytes === undefined) throw new Error(`buffer ${index} was never sent`);
  return bytes;
}
