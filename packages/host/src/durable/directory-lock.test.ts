import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DirectoryLockedError, lockDirectory } from './directory-lock.ts';
import { inDirectory } from '@oddlot/testing/host/in-directory';

async function holdInChild(directory: string): Promise<ReturnType<typeof spawn>> {
  const lockUrl = new URL('./directory-lock.ts', import.meta.url).href;
  // A lock that is never released must survive garbage collection.
  const program = `
    import { lockDirectory } from ${JSON.stringify(lockUrl)};
    lockDirectory(${JSON.stringify(directory)});
    await new Promise((resolve) => setTimeout(resolve));
    gc();
    await new Promise((resolve) => setTimeout(resolve));
    gc();
    console.log('locked');
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('a second process is refused with the id of the first until the first is killed', () =>
  inDirectory(async (directory) => {
    const child = await holdInChild(directory);
    const attempt = (): unknown => lockDirectory(directory);
    expect(attempt).toThrow(DirectoryLockedError);
    expect(attempt).toThrow(`in use by process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = lockDirectory(directory);
    lock.release();
  }));

test('a lock also excludes its own process, and can be acquired again after its release', () =>
  inDirectory(async (directory) => {
    const lock = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(`in use by process ${process.pid}`);
    lock.release();
    lock.release();
    lockDirectory(directory).release();
  }));

test('a directory can be locked even if its lock file is damaged', () =>
  inDirectory(async (directory) => {
    await mkdir(directory);
    await writeFile(join(directory, 'lock'), 'no database at all '.repeat(500));
    const lock = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(DirectoryLockedError);
    lock.release();
    lockDirectory(directory).release();
  }));
