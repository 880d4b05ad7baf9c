import type { MessagePort } from 'node:worker_threads';

/**
 * What the journal and its disk thread share: counters that either waits on, and a row of numbers for each of
 * the two jobs that can be under way. Bytes lie in shared memory, so nothing of a job is copied or sent.
 */

/** One job is worked on while the next one waits at the door. */
export const JOBS_MAX = 2;
/** Two batches under way and one that fills, each with memory of its own. */
export const MEMORIES = JOBS_MAX + 1;

/** Counters: jobs that were asked for, jobs that ended, and 1 from a failed job on until that is known. */
export const ASKED = 0;
export const ENDED = 1;
export const HAS_FAILED = 2;
const COUNTERS = 4;

/** Numbers of a job, in order. */
export const DESCRIPTOR = 0;
/** Which of the memories the bytes are in. */
export const MEMORY = 1;
/** How many bytes, and where in the file they go. */
export const LENGTH = 2;
export const POSITION = 3;
/** How many zeros go behind them. */
export const ZEROS = 4;
/** How many bytes the disk has room for, in tests. */
export const ROOM = 5;
/** 1 when all that was written has to be on disk at the end. */
export const IS_SYNC = 6;
/** What comes back: how it ended, whether there was room for the zeros, and how long the sync took. */
export const OUTCOME = 7;
export const HAS_ZEROS = 8;
export const SYNC_SECONDS = 9;
const NUMBERS = 10;

/** Outcomes. What is not begun after a failure is skipped: it was made to follow what failed. */
export const DONE = 0;
export const FAILED = 1;
export const SKIPPED = 2;

type DiskShare = {
  readonly memory: SharedArrayBuffer;
  readonly counters: Int32Array<SharedArrayBuffer>;
  /** Of each job, by its number modulo `JOBS_MAX`. */
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
/** Why a job failed, sent beside its outcome. */
export type DiskFailure = { readonly message: string; readonly code: string | undefined };
/** A memory that is another than before; sent ahead of the job that needs it. */
export type NewMemory = { readonly index: number; readonly memory: SharedArrayBuffer };
