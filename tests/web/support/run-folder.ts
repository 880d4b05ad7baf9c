import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = 'ODDLOT_TEST_RUN_FOLDER';
const PID = '.pid';

/** Where a worker keeps what it has for longer than a file of tests. */
export function runFolder(): string {
  return process.env[FOLDER] ?? tmpdir();
}

/** Notes a process that ends with the run at the latest: its worker may be gone without a word. */
export async function endWithRun(pid: number): Promise<void> {
  await writeFile(join(runFolder(), `${pid}${PID}`), '');
}

/** Before the first test of a run, whose workers inherit the environment; after the last one it is gone. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-test-run-'));
  process.env[FOLDER] = folder;
  return async () => {
    // One that still ends by itself would write into a folder that is being removed.
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
