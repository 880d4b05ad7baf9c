import { constants } from 'node:fs';
import { access, chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Puts a run's temporary folders in memory if there is enough space. The tests write thousands of
 * synced blocks, and each sync takes milliseconds on a disk. `tests/crash/power-cut.test.ts` checks
 * syncs on any file system. Set TMPDIR to use another folder.
 */

const MEMORY = '/dev/shm';
/** A venue needs free disk space to start (R-disk). */
const FREE_BYTES_MIN = 4 * 1024 ** 3;

let folder: string | undefined;

/** Runs before the first test, because workers and their processes inherit the environment. */
export async function setup(): Promise<void> {
  if (process.env['TMPDIR'] !== undefined || !(await hasRoom())) return;
  // Files that are unpacked once for all runs stay on disk.
  process.env['ODDLOT_TEST_DISK'] = tmpdir();
  folder = await mkdtemp(join(MEMORY, 'oddlot-tests-'));
  // The PostgreSQL server runs as a different user and must be able to enter the folder.
  await chmod(folder, 0o755);
  process.env['TMPDIR'] = folder;
}

export async function teardown(): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

async function hasRoom(): Promise<boolean> {
  try {
    await access(MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= FREE_BYTES_MIN;
  } catch {
    return false;
  }
}
