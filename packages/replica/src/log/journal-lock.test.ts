import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DirectoryLockedError, lockDirectory } from '@oddlot/host/directory-lock';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { lockJournal } from './data-folder.ts';

test.runIf(process.platform === 'linux')(
  'a journal stays locked although its lock file was removed',
  () =>
    inDirectory(async (directory) => {
      const lock = lockDirectory(directory);
      const journal = join(directory, 'journal');
      const held = await lockJournal(journal);
      await rm(join(directory, 'lock'));
      // With the lock file alone, a second process could lock the folder.
      const second = lockDirectory(directory);
      await expect(lockJournal(journal)).rejects.toThrow(DirectoryLockedError);
      await expect(lockJournal(journal)).rejects.toThrow('in use by another process');
      held.release();
      (await lockJournal(journal)).release();
      second.release();
      lock.release();
    }),
);

test('a created folder is accessible only to its user, and a folder that cannot be created is reported without retries', () =>
  inDirectory(async (directory) => {
    const deep = join(directory, 'a', 'b');
    lockDirectory(deep).release();
    expect((await stat(deep)).mode & 0o777).toBe(0o700);
    if (process.platform === 'linux') expect(() => lockDirectory('/proc/x/y')).toThrow('ENOENT');
  }));
