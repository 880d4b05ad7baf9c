import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDirectory } from '@oddlot/host/directory-lock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockJournal, readServiceNames } from './log/data-folder.ts';
import { renameVenue } from './rename-venue.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'oddlot-rename-'));
});
afterEach(() => rmSync(data, { recursive: true }));

test('a renamed copy gets its own name and keeps that of the original as a former name', async () => {
  mkdirSync(join(data, 'journal'));
  const first = await renameVenue({ data, word: 'example.org' });
  expect(first.former).toBeUndefined();
  const second = await renameVenue({ data, word: 'example.org' });
  expect(second.former).toBe(first.name);
  expect(second.name).not.toBe(first.name);
  expect(readServiceNames(data)).toEqual({ name: second.name, former: [first.name] });
});

test('a folder is not renamed while a venue is using it, or if it does not contain a venue', async () => {
  await expect(renameVenue({ data, word: 'example.org' })).rejects.toThrow(/No log in/);
  mkdirSync(join(data, 'journal'));
  const lock = lockDirectory(data);
  await expect(renameVenue({ data, word: 'example.org' })).rejects.toThrow(/is in use by/);
  lock.release();
  expect(readServiceNames(data).name).toBeUndefined();
});

test.runIf(process.platform === 'linux')(
  'a folder is not renamed even if the lock file of the running venue was removed',
  async () => {
    const lock = await lockJournal(join(data, 'journal'));
    await expect(renameVenue({ data, word: 'example.org' })).rejects.toThrow(/is in use by/);
    lock.release();
    expect(readServiceNames(data).name).toBeUndefined();
  },
);
