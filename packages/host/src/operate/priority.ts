import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * What strangers can keep busy, and what can wait, yields to the thread that trades: where all cores
 * are taken it has about a tenth of that one's share.
 */
const NICENESS = 10;

/** A process that was just started, with all threads that it will have. */
export function lowerPriority(pid: number | undefined): void {
  if (pid !== undefined) tryLower(() => setPriority(pid, NICENESS));
}

/** The calling thread. Linux has priorities of threads; elsewhere nothing changes. */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  tryLower(() => setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS));
}

/** It may have ended already, or the system does not let us; things go their way all the same. */
function tryLower(lower: () => void): void {
  try {
    lower();
  } catch {
    return;
  }
}
