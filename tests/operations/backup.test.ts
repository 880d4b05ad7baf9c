import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReader } from '@oddlot/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backUpFolder, restoreFolder } from '../../packages/replica/src/backup.ts';
import { replayFolder } from '../../packages/replica/src/replay-folder.ts';
import { FIXED_PRICE_FLAGS, Venue } from '../support/venue-process.ts';

/**
 * Goal: a running venue's log can be backed up, and a venue can continue from the backup. Method:
 * back up a real venue with bots several times while it is writing blocks, and start a second venue
 * on the restored data.
 */

let folder: string;
let venue: Venue;
const at = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-backup-'));
  venue = await Venue.start(['--no-limits']);
});
afterAll(async () => {
  await venue?.remove();
  await rm(folder, { recursive: true, force: true });
});

const headOf = async (url: string) => (await createReader({ url }).info.stateHash()).height;

test('a backup of a running venue has all previously acknowledged actions, and a venue can continue from it', async () => {
  const to = at('backup');
  let acknowledged = 0;
  for (let round = 0; round < 5; round++) {
    const height = acknowledged;
    await expect.poll(() => headOf(venue.url)).toBeGreaterThan(height + 5);
    acknowledged = await headOf(venue.url);
    const { manifest } = await backUpFolder({ data: venue.data, to, nowMs: Date.now() });
    expect(manifest.files.map(({ path }) => path)).toContainEqual(
      expect.stringMatching(/^journal\//),
    );
  }
  const hashThere = await createReader({ url: venue.url }).info.stateHash({ height: acknowledged });
  // The log alone gives the same state, even while the venue is writing it.
  const replayed = await replayFolder({ data: venue.data, to: acknowledged });
  expect(replayed).toMatchObject({ height: acknowledged, stateHash: hashThere.stateHash });
  expect(await replayFolder({ data: to, to: 10_000_000 })).toBeUndefined();
  const data = at('restored');
  await restoreFolder({ from: to, data });
  const second = await Venue.start(FIXED_PRICE_FLAGS, data);
  try {
    expect(await headOf(second.url)).toBeGreaterThanOrEqual(acknowledged);
    const again = await createReader({ url: second.url }).info.stateHash({ height: acknowledged });
    expect(again).toEqual(hashThere);
  } finally {
    await second.remove();
  }
});

test('a damaged backup, a folder with no backup, and a target that already exists are rejected', async () => {
  const to = at('damaged');
  const { manifest } = await backUpFolder({ data: venue.data, to, nowMs: 1 });
  const restoring = () => restoreFolder({ from: to, data: at('never') });
  const [file] = manifest.files;
  const bytes = await readFile(join(to, file!.path));
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(join(to, file!.path), bytes);
  await expect(restoring()).rejects.toThrow(`${file!.path} differs from what was backed up`);
  await rm(join(to, file!.path));
  await expect(restoring()).rejects.toThrow(`${file!.path} is missing`);
  expect(existsSync(at('never'))).toBe(false);
  await appendFile(at('some-file'), 'x');
  await expect(backUpFolder({ data: venue.data, to: folder, nowMs: 1 })).rejects.toThrow(
    'is not a backup',
  );
  await expect(backUpFolder({ data: folder, to: at('x'), nowMs: 1 })).rejects.toThrow(
    'is not a data folder',
  );
  await expect(restoreFolder({ from: folder, data: at('x') })).rejects.toThrow('is not a backup');
  await expect(restoreFolder({ from: at('backup'), data: folder })).rejects.toThrow(
    'contains files',
  );
});
