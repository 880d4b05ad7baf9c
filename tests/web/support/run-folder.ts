import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = 'ODDLOT_TEST_RUN_FOLDER';
const PID = '.pid';

/** Returns the worker's folder for data that outlives a test file. */
export function runFolder(): string {
  return process.env[FOLDER] ?? tmpdir();
}

/**
 * Registers a process that must end with the run at the latest, because its worker may be killed.
 */
export async function endWithRun(pid: number): Promise<void> {
  await writeFile(join(runFolder(), `${pid}${PID}`), '');
}

/**
 * Runs before all tests, so that workers inherit the environment. The returned teardown removes the
 * folder.
 */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-test-run-'));
  process.env[FOLDER] = folder;
  return async () => {
    // A process that is still running would write to the folder while it is being removed.
    for (const name of await readdir(folder)) {
      if (name.endsWith(PID)) end(Number(name.slice(0, -PID.length)));
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  };
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
