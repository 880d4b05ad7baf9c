import { constants } from 'node:fs';
import { access, chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Places the temporary folders of a run in memory if there is enough space. Thousands of blocks are
 * written, and each waits for its sync, which takes milliseconds on a disk.
 * `tests/crash/power-cut.test.ts` checks the syncs and their order for any folder. TMPDIR sets
 * another place.
 */

const MEMORY = '/dev/shm';
/** A venue requires free disk space (R-disk). */
const FREE_BYTES_MIN = 4 * 1024 ** 3;

let folder: string | undefined;

/** Runs before the first test, because workers and their processes inherit the environment. */
export async function setup(): Promise<void> {
  if (process.env['TMPDIR'] !== undefined || !(await hasRoom())) return;
  // Files that are unpacked once for all runs stay on the disk.
  process.env['ODDLOT_TEST_DISK'] = tmpdir();
  folder = await mkdtemp(join(MEMORY, 'oddlot-tests-'));
  // A database server in it runs as another user.
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
