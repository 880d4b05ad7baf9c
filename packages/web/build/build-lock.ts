import { readFile, rm, writeFile } from 'node:fs/promises';

const WAIT_MS = 100;

/**
 * Runs the function in only one process per checkout at a time. If the process that holds the lock
 * is no longer running, its lock is taken over.
 */
export async function withBuildLock<Result>(
  path: string,
  run: () => Promise<Result>,
): Promise<Result> {
  while (!(await take(path))) await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  try {
    return await run();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const owner = Number(await readFile(path, 'utf8').catch(() => ''));
  // An empty lock file means that its owner is still writing it.
  if (owner > 0 && !isAlive(owner)) await rm(path, { force: true });
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
