import { fdatasyncSync, ftruncateSync, writeSync } from 'node:fs';

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
const ZEROS = Buffer.alloc(256 * 1024);

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
    for (let at = 0; at < count; at += ZEROS.length) {
      const length = Math.min(ZEROS.length, count - at);
      writeFully(descriptor, ZEROS, { length, position: position + at });
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
