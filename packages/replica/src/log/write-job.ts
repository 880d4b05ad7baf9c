import type { MessagePort } from 'node:worker_threads';
import { fdatasyncSync, ftruncateSync, writeSync } from 'node:fs';

/**
 * Memory shared by the journal and its disk thread: the counters each side waits on, and a row of
 * numbers for each of the two possible jobs. The bytes to write are also in shared memory, so
 * nothing is copied or sent for a job.
 */

/** One job runs while the next one is waiting. */
export const JOBS_MAX = 2;
/** Two batches can be in flight while a third is being filled, and each has its own memory. */
export const MEMORIES = JOBS_MAX + 1;

/**
 * The counters: the number of requested jobs, the number of ended jobs, and a flag that is 1 after
 * a failed job until the journal has seen the failure.
 */
export const ASKED = 0;
export const ENDED = 1;
export const HAS_FAILED = 2;
const COUNTERS = 4;

/** The positions of a job's numbers. The first is the file descriptor. */
export const DESCRIPTOR = 0;
/** The index of the memory that contains the bytes. */
export const MEMORY = 1;
export const LENGTH = 2;
export const POSITION = 3;
/** The number of zeros written after the bytes. */
export const ZEROS = 4;
/** The number of bytes the disk has space for; limited only in tests. */
export const SPACE = 5;
/** 1 if all written data must be on disk when the job ends. */
export const IS_SYNC = 6;
/**
 * The results of a job: the outcome, whether there was space for the zeros, and the duration of the
 * sync in seconds.
 */
export const OUTCOME = 7;
export const HAS_ZEROS = 8;
export const SYNC_SECONDS = 9;
const NUMBERS = 10;

/**
 * The outcomes of a job. After a failure, jobs that have not begun are skipped, because they were
 * created to follow the failed one.
 */
export const DONE = 0;
export const FAILED = 1;
export const SKIPPED = 2;

type DiskShare = {
  readonly memory: SharedArrayBuffer;
  readonly counters: Int32Array<SharedArrayBuffer>;
  /** The rows of the jobs. The index of a row is the job number modulo `JOBS_MAX`. */
  readonly jobs: readonly Float64Array<SharedArrayBuffer>[];
};

export const SHARE_BYTES = COUNTERS * 4 + JOBS_MAX * NUMBERS * 8;

export function openShare(memory: SharedArrayBuffer): DiskShare {
  const jobs = Array.from({ length: JOBS_MAX }, (_, index) => {
    return new Float64Array(memory, COUNTERS * 4 + index * NUMBERS * 8, NUMBERS);
  });
  return { memory, counters: new Int32Array(memory, 0, COUNTERS), jobs };
}

export type DiskWorkerData = { readonly memory: SharedArrayBuffer; readonly port: MessagePort };
export type WriteFailure = { readonly message: string; readonly code: string | undefined };
/** A replacement memory, sent before the job that needs it. */
export type NewMemory = { readonly index: number; readonly memory: SharedArrayBuffer };

/** The bytes to write to a file, and whether they must be on disk afterwards. */
export type WriteJob = {
  readonly descriptor: number;
  readonly bytes: Buffer;
  readonly length: number;
  readonly position: number;
  readonly zeros: number;
  /** The number of bytes the disk has space for. Less than `length` only in tests. */
  readonly space: number;
  readonly isSync: boolean;
};

export type WriteResult = {
  /** False if there was no space for the zeros, so that only the bytes were written. */
  readonly hasZeros: boolean;
  readonly syncSeconds: number;
};

/**
 * The error codes checked by `isNoRoom`. Its package is not imported, because that would more than
 * double the thread's load time.
 */
const NO_SPACE: readonly unknown[] = ['ENOSPC', 'EDQUOT'];
const ZERO_BYTES = Buffer.alloc(256 * 1024);

/** Performs a job and blocks until it is done; throws any disk error. */
export function performWriteJob(job: WriteJob): WriteResult {
  const { bytes, descriptor, isSync, length, position, space, zeros } = job;
  const fitting = Math.min(length, space);
  writeFully(descriptor, bytes, { length: fitting, position });
  if (fitting < length) {
    throw Object.assign(new Error('ENOSPC: simulated by a test'), { code: 'ENOSPC' });
  }
  const hasZeros = writeZeros(descriptor, position + length, zeros);
  return { hasZeros, syncSeconds: isSync ? sync(descriptor) : 0 };
}

/**
 * Grows the file ahead of the data. The sync of the bytes includes the zeros, so this costs no
 * extra sync.
 */
function writeZeros(descriptor: number, position: number, count: number): boolean {
  try {
    for (let at = 0; at < count; at += ZERO_BYTES.length) {
      const length = Math.min(ZERO_BYTES.length, count - at);
      writeFully(descriptor, ZERO_BYTES, { length, position: position + at });
    }
    return true;
  } catch (error) {
    if (!NO_SPACE.includes((error as NodeJS.ErrnoException).code)) throw error;
    ftruncateSync(descriptor, position);
    return false;
  }
}

function writeFully(
  descriptor: number,
  bytes: Buffer,
  { length, position }: { readonly length: number; readonly position: number },
): void {
  let written = 0;
  while (written < length) {
    written += writeSync(descriptor, bytes, written, length - written, position + written);
  }
}

function sync(descriptor: number): number {
  const startedMs = performance.now();
  fdatasyncSync(descriptor);
  return (performance.now() - startedMs) / 1000;
}
