import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { RULES_VERSION } from '@oddlot/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LaterReleaseError } from '../../packages/replica/src/replica.ts';
import { FIXTURE_FLAGS } from '../fixtures/people.ts';
import { removeTemporaryData, temporaryData, VenueRun } from '../support/venue-process.ts';
import { copyOf, PREVIOUS, snapshot, type Seen } from './era-folders.ts';

/** Goal: a program neither adds to nor changes data started by a later release (R-era). */

/** The folder in which this release has started its rules version. */
let opened: string;
let first: Seen;

beforeAll(async () => {
  opened = await PREVIOUS.unpacked();
  first = await PREVIOUS.opening(opened);
});
afterAll(removeTemporaryData);

describe("R-era: a later release's folder is not changed", () => {
  const rules = RULES_VERSION + 1;
  const { hash } = PREVIOUS.meta;
  const openEra = { type: 'openEra', rules, stateHash: hash, previousHash: hash } as never;

  test('a folder whose log continues under later rules is rejected and not changed', async () => {
    const folder = await copyOf(opened);
    await PREVIOUS.append(folder, [{ command: openEra }]);
    const before = await filesOf(folder);
    await expect(PREVIOUS.opening(folder)).rejects.toThrow(LaterReleaseError);
    await expect(PREVIOUS.opening(folder)).rejects.toThrow(
      `rules ${rules}, this program supports rules up to`,
    );
    expect(await filesOf(folder)).toEqual(before);
  });

  test('the venue rejects a later folder with one line and no stack trace', async () => {
    const folder = await copyOf(opened);
    await PREVIOUS.append(folder, [{ command: openEra }]);
    expect(await refused(folder)).toMatch(
      `The data folder was written by a later release: it uses rules ${rules}`,
    );
  });

  test('a folder whose journal has a later format is rejected', async () => {
    const folder = await copyOf(opened);
    const [name = ''] = await readdir(join(folder, 'journal'));
    const file = join(folder, 'journal', name);
    const bytes = await readFile(file);
    bytes.writeUInt32LE(9, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 40)), 40);
    await writeFile(file, bytes);
    expect(await refused(folder)).toMatch(
      'The data folder was written by a later release: its journal has format 9',
    );
  });

  test('a folder whose snapshot has a later rules version is rejected', async () => {
    const folder = await copyOf(opened);
    await snapshot(folder, first.height, {
      rules,
      head: { height: first.height },
      state: { orders: [] },
    });
    await expect(PREVIOUS.opening(folder)).rejects.toThrow(LaterReleaseError);
  });
});

test('R-era: a folder with rules older than the previous version is rejected unchanged, and the release to use is named', async () => {
  const folder = await temporaryData();
  const { hash } = PREVIOUS.meta;
  const openEra = {
    type: 'openEra',
    rules: RULES_VERSION - 2,
    stateHash: hash,
    previousHash: hash,
  };
  await PREVIOUS.append(folder, [{ command: openEra as never }]);
  const before = await contentsOf(folder);
  expect(await refused(folder)).toMatch(
    `uses rules version ${RULES_VERSION - 2}, which this release cannot read. Start the folder once with release 0.3.0`,
  );
  expect(await contentsOf(folder)).toEqual(before);
});

/**
 * Returns the stderr of a venue that must not start. It must include neither a stack trace nor a
 * fatal error.
 */
async function refused(folder: string): Promise<string> {
  const run = new VenueRun(folder, FIXTURE_FLAGS);
  expect(await run.ended).toEqual({ code: 1, signal: null });
  expect(run.stderr).not.toMatch(/^ +at /m);
  expect(run.stderr).not.toMatch('fatal error; stopping immediately');
  return run.stderr;
}

async function contentsOf(folder: string): Promise<Record<string, string>> {
  const files = (await filesOf(folder)).filter((name) => /^(journal|snapshots|eras)\/./.test(name));
  const read = async (name: string) => [name, (await readFile(join(folder, name))).toString('hex')];
  return Object.fromEntries(await Promise.all(files.map(read))) as Record<string, string>;
}

async function filesOf(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true });
  return found.sort();
}
