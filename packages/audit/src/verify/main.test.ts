import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDirectory } from '@oddlot/host/directory-lock';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { VERIFY_PROGRAM } from '../programs.ts';
import { folderRefusal } from './verify-folder.ts';

/** Runs the complete program, because scripts depend on its exit code. */
async function verify(...args: readonly string[]) {
  const program = spawn(process.execPath, [VERIFY_PROGRAM, ...args]);
  const output = { out: '', err: '' };
  program.stdout.on('data', (text) => (output.out += text));
  program.stderr.on('data', (text) => (output.err += text));
  const [code] = await once(program, 'close');
  return { code, ...output };
}

test(
  'a folder in use by a venue is not checked and stays unchanged',
  () =>
    inDirectory(async (data) => {
      await mkdir(join(data, 'journal'), { recursive: true });
      expect(folderRefusal(data)).toBeUndefined();
      expect(await readdir(data)).toEqual(['journal']);
      const lock = lockDirectory(data);
      const err = `${data} is in use by process ${process.pid}. Stop the venue first\n`;
      expect(await verify(data)).toEqual({ code: 2, out: '', err });
      lock.release();
      expect(folderRefusal(data)).toBeUndefined();
    }),
  60_000,
);

test('a folder without data is a usage error, and the help lists every check', async () => {
  const err = '/nowhere is not a data folder: it has no journal\n';
  expect(await verify('/nowhere')).toEqual({ code: 2, out: '', err });
  const { code, out } = await verify('--help');
  expect(code).toBe(0);
  expect(out).toContain('oddlot verify settlement');
  expect(out).toContain('oddlot verify reserves');
}, 60_000);
