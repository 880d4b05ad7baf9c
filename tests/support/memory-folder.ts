import { constants } from 'node:fs';
import { access, chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Where a run keeps its temporary folders: in memory, where the machine has room for it. Thousands of blocks are written and each
 * waits for its sync, which takes milliseconds on a disk and none here; that something is synced at all, and before what, is
 * seen by `tests/crash/power-cut.test.ts`, wherever the folders are. TMPDIR names another place.
 */

const MEMORY = '/dev/shm';
/** A venue wants to see room ahead of it (R-disk). */
const FREE_BYTES_MIN = 4 * 1024 ** 3;

let folder: string | undefined;

/** Before the first test of a run: its workers and their processes inherit the environment. */
export async function setup(): Promise<void> {
  if (process.env['TMPDIR'] !== undefined || !(await hasRoom())) return;
  // What is unpacked once for all runs stays on the disk.
  process.env['ODDLOT_TEST_DISK'] = tmpdir();
  folder = await mkdtemp(join(MEMORY, 'oddlot-tests-'));
  // A database server in it runs as somebody else.
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
