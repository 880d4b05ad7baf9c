import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { JournalDamagedError } from './log.ts';
import type { LogEntry } from '../block.ts';
import {
  block,
  crashImage,
  openJournal,
  readAll,
  recordOffsets,
  segmentPaths,
} from '@oddlot/testing/venue/journal';

/**
 * Simulates a crash or a defective disk: a test writes a journal, copies its files while it is
 * open, which is how they would be left if the process were killed, changes bytes in the copy, and
 * opens the copy.
 */

type Image = { path: string; directory: string; bytes: Buffer; starts: number[]; end: number };

/**
 * Writes batches of one entry each and then a batch of several entries, all of them acknowledged;
 * then simulates the process being killed.
 */
async function killedJournal(
  directory: string,
  counts: { singles: number; lastBatch: number },
): Promise<{ image: Image; entries: LogEntry[] }> {
  const journal = await openJournal(directory);
  for (let n = 1; n <= counts.singles; n += 1) await journal.append(block(n, `request ${n}`));
  const batch = Array.from({ length: counts.lastBatch }, (_, n) => journal.append(block(100 + n)));
  await Promise.all(batch);
  const entries = await readAll(journal);
  const image = await imageOf(await crashImage(directory));
  await journal.close();
  return { image, entries };
}

async function imageOf(directory: string): Promise<Image> {
  const [path = ''] = await segmentPaths(directory);
  return { path, directory, bytes: await readFile(path), ...(await recordOffsets(path)) };
}

const DAMAGES: Record<string, (image: Image, at: number) => Promise<void>> = {
  'cut off': (image, at) => truncate(image.path, at),
  'zero to the end': (image, at) => changed(image, (bytes) => bytes.fill(0, at, image.end)),
  'garbled to the end': (image, at) =>
    changed(image, (bytes) => {
      for (let i = at; i < image.end; i += 1) bytes[i] = (bytes[i] ?? 0) ^ (0x5a + (i % 7));
    }),
  'one bit flipped': (image, at) =>
    changed(image, (bytes) => void (bytes[at] = (bytes[at] ?? 0) ^ 0x10)),
  'a hole of zeros, later bytes there': (image, at) =>
    changed(image, (bytes) => bytes.fill(0, at, Math.min(at + 24, image.end))),
};

async function changed(image: Image, change: (bytes: Buffer) => unknown): Promise<void> {
  const bytes = Buffer.from(image.bytes);
  change(bytes);
  await writeFile(image.path, bytes);
}

test.each(Object.keys(DAMAGES))(
  'a last write that is torn at any byte (%s) loses no entry acknowledged before it',
  (kind) =>
    inDirectory(async (directory) => {
      const { image, entries } = await killedJournal(directory, { singles: 3, lastBatch: 3 });
      const batchStart = image.starts[3] ?? 0;
      for (const at of somewhere(image, batchStart)) {
        await writeFile(image.path, image.bytes);
        await DAMAGES[kind]?.(image, at);
        const journal = await openJournal(image.directory);
        const intact =
          image.starts.filter((start) => start < at).length - (at > batchStart ? 1 : 0);
        const found = await readAll(journal);
        // Overwriting zeros with zeros changes nothing, so one more record may be complete.
        expect(found.length).toBeGreaterThanOrEqual(Math.max(3, intact));
        expect(found).toEqual(entries.slice(0, found.length));
        expect(journal.repaired?.atSeq ?? found.length + 1).toBe(found.length + 1);
        const next = await journal.append(block(7));
        expect(next.seq).toBe(found.length + 1);
        await journal.close();
        if (at % (2 * EVERY) === 0) await expectEntries(image.directory, [...found, next]);
      }
    }),
);

/**
 * `npm run test:long` tears the write at every byte. Otherwise, it is torn at every byte around
 * record boundaries and at some bytes in between.
 */
const EVERY = process.env['TEST_LONG'] === undefined ? 7 : 1;

function somewhere({ end, starts }: Image, from: number): number[] {
  const isNearBorder = (at: number): boolean =>
    [...starts, end].some((border) => Math.abs(at - border) <= 2);
  const all = Array.from({ length: end - from }, (_, n) => from + n);
  return all.filter((at) => isNearBorder(at) || at % EVERY === 0);
}

async function expectEntries(directory: string, entries: LogEntry[]): Promise<void> {
  const journal = await openJournal(directory);
  expect(await readAll(journal)).toEqual(entries);
  await journal.close();
}

test('a torn tail is reported and overwritten with zeros, and not reported on the next startup', () =>
  inDirectory(async (directory) => {
    const { image } = await killedJournal(directory, { singles: 2, lastBatch: 2 });
    const last = image.starts[3] ?? 0;
    await changed(image, (bytes) => bytes.fill(0, last, last + 8));
    const journal = await openJournal(image.directory);
    expect(journal.repaired).toEqual({ atSeq: 4, bytes: image.end - last });
    const bytes = await readFile(image.path);
    expect(bytes.subarray(last).every((byte) => byte === 0)).toBe(true);
    const again = await openJournal(await crashImage(image.directory));
    expect(again.repaired).toBeUndefined();
    expect(again.lastSeq).toBe(3);
    await again.close();
    await journal.close();
  }));

test('the journal does not open if any byte of an acknowledged entry is damaged and later entries follow', () =>
  inDirectory(async (directory) => {
    const { image } = await killedJournal(directory, { singles: 4, lastBatch: 2 });
    const [, start = 0, end = 0] = image.starts;
    for (let at = start; at < end; at += 1) {
      await DAMAGES['one bit flipped']?.(image, at);
      await expect(openJournal(image.directory)).rejects.toMatchObject({
        name: 'JournalDamagedError',
        file: image.path,
        offset: start,
        seq: 2,
      });
    }
    await changed(image, (bytes) => bytes.fill(0, start, end));
    await expect(openJournal(image.directory)).rejects.toThrow(/entries after 1 cannot be trusted/);
  }));

test('after a clean close, the journal does not open if any byte of the last entries is damaged', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory);
    await journal.append(block(1));
    await Promise.all([journal.append(block(2)), journal.append(block(3))]);
    await journal.close();
    const image = await imageOf(directory);
    for (let at = image.starts[1] ?? 0; at < image.end; at += 1) {
      await DAMAGES['one bit flipped']?.(image, at);
      await expect(openJournal(directory)).rejects.toThrow(JournalDamagedError);
    }
    await DAMAGES['zero to the end']?.(image, image.starts[2] ?? 0);
    await expect(openJournal(directory)).rejects.toThrow(/complete up to entry 3/);
    await truncate(image.path, image.starts[1]);
    await expect(openJournal(directory)).rejects.toThrow(/complete up to entry 3/);
  }));

test('old records after a tail that was cut off do not reappear', () =>
  inDirectory(async (directory) => {
    const { image, entries } = await killedJournal(directory, { singles: 2, lastBatch: 3 });
    const [, , third = 0, fourth = 0] = image.starts;
    await DAMAGES['zero to the end']?.(image, third);
    const journal = await openJournal(image.directory);
    // This entry is as long as the one it replaces, so the old records would follow it exactly.
    const replacement = await journal.append(block(200));
    const later = await imageOf(await crashImage(image.directory));
    await journal.close();
    expect(later.end).toBe(fourth);
    await changed(later, (bytes) => image.bytes.copy(bytes, fourth, fourth, image.end));
    const again = await openJournal(later.directory);
    expect(await readAll(again)).toEqual([...entries.slice(0, 2), replacement]);
    expect(again.repaired?.bytes).toBe(image.end - fourth);
    await again.close();
  }));

test('a request that imitates a record is stored only as text', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory);
    await journal.append(block(1));
    const { path, starts } = await imageOf(directory);
    const record = (await readFile(path)).subarray(starts[0]);
    await journal.append(block(2, record.toString('latin1', 0, 400)));
    await journal.append(block(3, record.toString('utf8', 0, 400)));
    const image = await imageOf(await crashImage(directory));
    await journal.close();
    // If the imitations counted as records, there would be more than three.
    expect(image.starts).toHaveLength(3);
    await truncate(image.path, image.end - 1);
    const again = await openJournal(image.directory);
    expect(again.lastSeq).toBe(2);
    await again.close();
  }));

async function rolledJournal(directory: string): Promise<string[]> {
  const journal = await openJournal(directory, { segmentBytes: 5_000 });
  for (let n = 1; n <= 30; n += 1) await journal.append(block(n));
  await journal.close();
  return segmentPaths(directory);
}

test('damage in an older segment is found by the replay that reads it', () =>
  inDirectory(async (directory) => {
    const [oldest = ''] = await rolledJournal(directory);
    const bytes = await readFile(oldest);
    const { starts } = await recordOffsets(oldest);
    const at = (starts[1] ?? 0) + 60;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(oldest, bytes);
    const journal = await openJournal(directory, { segmentBytes: 5_000 });
    const seen: number[] = [];
    const replayed = journal.replay(1, (entry) => seen.push(entry.seq));
    await expect(replayed).rejects.toMatchObject({ name: 'JournalDamagedError', seq: 2 });
    expect(seen).toEqual([1]);
    expect((await readAll(journal, 20)).map((entry) => entry.seq)[0]).toBe(20);
    await journal.close();
  }));

test('the journal does not open if a segment is missing, whether in the middle or at the end', () =>
  inDirectory(async (directory) => {
    const paths = await rolledJournal(directory);
    const middle = await readFile(paths[2] ?? '');
    await rm(paths[2] ?? '');
    await expect(openJournal(directory)).rejects.toThrow(JournalDamagedError);
    await writeFile(paths[2] ?? '', middle);
    await rm(paths.at(-1) ?? '');
    await expect(openJournal(directory)).rejects.toThrow(/the next segment is missing/);
  }));

test('the journal does not open if a segment header is not intact', () =>
  inDirectory(async (directory) => {
    const [oldest = ''] = await rolledJournal(directory);
    const bytes = await readFile(oldest);
    bytes[17] = (bytes[17] ?? 0) ^ 1;
    await writeFile(oldest, bytes);
    await expect(openJournal(directory)).rejects.toThrow(/header of the segment/);
  }));

test('a crash between creating a segment and sealing the previous one is repaired', () =>
  inDirectory(async (directory) => {
    const paths = await rolledJournal(directory);
    const before = paths[1] ?? '';
    const sealed = await readFile(before);
    const unsealed = Buffer.from(sealed).fill(0, 512, 1024);
    await writeFile(before, unsealed);
    await writeFile(`${paths.at(-1)}.new`, 'half a header');
    const journal = await openJournal(directory, { segmentBytes: 5_000 });
    expect(await readAll(journal)).toHaveLength(30);
    expect(await readFile(before)).toEqual(sealed);
    await journal.close();
    // Without the mark, the segment is read in full, so damage in it is found immediately.
    const { starts } = await recordOffsets(before);
    unsealed[(starts.at(-1) ?? 0) + 50] = 0;
    await writeFile(before, unsealed);
    await expect(openJournal(directory)).rejects.toThrow(JournalDamagedError);
  }));

test('a journal that ends below the height of a snapshot is not replayed', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory);
    await journal.append(block(1));
    await expect(readAll(journal, 3)).rejects.toThrow(JournalDamagedError);
    await journal.close();
  }));
