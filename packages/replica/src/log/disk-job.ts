import type { MessagePort } from 'node:worker_threads';
import { fdatasyncSync, ftruncateSync, writeSync } from 'node:fs';

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

/** Bytes that go into a file, and whether all of it has to be on disk afterwards. */
export type DiskJob = {
  readonly descriptor: number;
  readonly bytes: Buffer;
  readonly length: number;
  readonly position: number;
  /** How many zeros go behind them. */
  readonly zeros: number;
  /** How many bytes the disk has room for; less than there are only in tests. */
  readonly room: number;
  readonly isSync: boolean;
};

export type JobDone = {
  /** False when there was no room for the zeros: the bytes alone have to do. */
  readonly hasZeros: boolean;
  readonly syncSeconds: number;
};

/** As `isNoRoom`, whose package would take the thread longer to load than all of this. */
const NO_ROOM: readonly unknown[] = ['ENOSPC', 'EDQUOT'];
const ZERO_BYTES = Buffer.alloc(256 * 1024);

/** Blocks until it is done; throws what the disk says. */
export function performDiskJob(job: DiskJob): JobDone {
  const { bytes, descriptor, isSync, length, position, room, zeros } = job;
  const fitting = Math.min(length, room);
  writeFully(descriptor, bytes, { length: fitting, position });
  if (fitting < length) {
    throw Object.assign(new Error('ENOSPC: simulated by a test'), { code: 'ENOSPC' });
  }
  const hasZeros = writeZeros(descriptor, position + length, zeros);
  return { hasZeros, syncSeconds: isSync ? sync(descriptor) : 0 };
}

/** They ride on the sync of the bytes: growing costs none of its own. */
function writeZeros(descriptor: number, position: number, count: number): boolean {
  try {
    for (let at = 0; at < count; at += ZERO_BYTES.length) {
      const length = Math.min(ZERO_BYTES.length, count - at);
      writeFully(descriptor, ZERO_BYTES, { length, position: position + at });
    }
    return true;
  } catch (error) {
    if (!NO_ROOM.includes((error as NodeJS.ErrnoException).code)) throw error;
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
