import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '@oddlot/engine';
import { lockDirectory } from '@oddlot/host/directory-lock';
import { address } from '@oddlot/units';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openIndexed, temporaryFolder } from '@oddlot/testing/venue/indexed-venue';
import { dumpHistory } from './store/dump-history.ts';
import { rebuildHistory } from './rebuild-history.ts';

let folder: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ folder, remove } = await temporaryFolder());
});
afterEach(() => remove());

const credit = (amountMicroUsdc: number): Command => ({
  type: 'creditFaucet',
  account: address(`0x${String(1 + (amountMicroUsdc % 9)).repeat(40)}`),
  subAccount: 'perp',
  amountMicroUsdc,
});

/** Runs a venue for 300 blocks, then compresses the older segments of its log. */
async function lived(): Promise<void> {
  const venue = await openIndexed({ folder, segmentBytes: 16_384 });
  for (let amount = 1; amount <= 300; amount += 1) await venue.propose(credit(amount));
  await venue.journal.compact({ belowSeq: venue.journal.lastSeq - 20 });
  await venue.stop();
  expect(venue.failures).toEqual([]);
}

test('a recomputed history equals the original one, even from compressed segments', async () => {
  await lived();
  const segments = await readdir(join(folder, 'journal'));
  expect(segments.some((name) => name.endsWith('.zst'))).toBe(true);
  const place = { file: join(folder, 'history.sqlite') };
  const before = await dumpHistory(place);
  expect(before.filter((line) => line.startsWith('ledger '))).toHaveLength(300);
  const progress: number[] = [];
  const onProgress = ({ height, of }: { height: number; of: number }): void => {
    progress.push(height / of);
  };
  const { height, rows } = await rebuildHistory({ data: folder, place, onProgress });
  expect(await dumpHistory(place)).toEqual(before);
  expect(rows['ledger']).toBe(300);
  expect(progress.at(-1)).toBe(1);
  // A venue continues from the recomputed rows without rebuilding them again.
  const venue = await openIndexed({ folder });
  await venue.propose(credit(7));
  await venue.stop();
  expect(venue.messages).not.toContain('rebuild');
  expect((await dumpHistory(place)).length).toBeGreaterThan(before.length);
  expect(height).toBeGreaterThanOrEqual(300);
});

test('a rebuild changes nothing if a venue is running, if there is no log, or if the first blocks are missing', async () => {
  const place = { file: join(folder, 'history.sqlite') };
  await expect(rebuildHistory({ data: folder, place })).rejects.toThrow('No log in');
  await lived();
  const before = await dumpHistory(place);
  const lock = lockDirectory(folder);
  await expect(rebuildHistory({ data: folder, place })).rejects.toThrow('is in use by');
  lock.release();
  const journal = join(folder, 'journal');
  const [first = ''] = (await readdir(journal)).toSorted();
  await rm(join(journal, first));
  await expect(rebuildHistory({ data: folder, place })).rejects.toThrow(
    'the log has no older blocks',
  );
  expect(await dumpHistory(place)).toEqual(before);
});
