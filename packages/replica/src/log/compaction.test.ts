import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { inDirectory } from '@oddlot/testing/host';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogEntry } from '../block.ts';
import {
  block,
  crashImage,
  openJournal,
  readAll,
  segmentPaths,
} from '@oddlot/testing/venue/journal';
import type { CompressStep } from './compaction.ts';
import type { FileJournal, FileJournalOptions } from './file-journal.ts';
import { JournalPrunedError } from './log.ts';
import { parseSegmentName, SEGMENT_HEADER_BYTES } from './journal-format.ts';
import { readJournal } from './journal-reader.ts';

const STEPS: readonly CompressStep[] = [
  'write',
  'sync',
  'verify',
  'rename',
  'settle',
  'remove',
  'forget',
];
const ALL = { belowSeq: Number.MAX_SAFE_INTEGER };
const SMALL = { segmentBytes: 5_000 };

async function grown(
  directory: string,
  { blocks = 40, ...options }: Partial<FileJournalOptions> & { readonly blocks?: number } = {},
): Promise<FileJournal> {
  const journal = await openJournal(directory, { ...SMALL, ...options });
  for (let n = 1; n <= blocks; n += 1) await journal.append(block(n, `request ${n}`));
  return journal;
}

/** Returns the suffix of each segment file: `log` or `log.zst`. */
async function forms(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).toSorted();
  return names.map((name) => name.replace(/^journal-\d{16}\./, ''));
}

const compressedPaths = async (directory: string): Promise<string[]> =>
  (await readdir(directory))
    .filter((name) => name.endsWith('.zst'))
    .toSorted()
    .map((name) => join(directory, name));

test('compaction compresses all segments except the one being written, without changing any entries', () =>
  inDirectory(async (directory) => {
    const journal = await grown(directory);
    const paths = await segmentPaths(directory);
    const plain = await Promise.all(paths.slice(0, -1).map((path) => readFile(path)));
    const entries = await readAll(journal);
    await journal.compact(ALL);
    const count = paths.length - 1;
    expect(await forms(directory)).toEqual([
      ...Array.from({ length: count }, () => 'log.zst'),
      'log',
    ]);
    // The decompressed file must equal the segment minus its trailing zeros.
    for (const [index, path] of (await compressedPaths(directory)).entries()) {
      const bytes = zstdDecompressSync(await readFile(path));
      const original = plain[index] ?? Buffer.alloc(0);
      expect(bytes.equals(original.subarray(0, bytes.length))).toBe(true);
      expect(original.subarray(bytes.length).every((byte) => byte === 0)).toBe(true);
      expect(bytes.length).toBeGreaterThan(SEGMENT_HEADER_BYTES);
    }
    expect(await readAll(journal)).toEqual(entries);
    expect(await readAll(journal, 17)).toEqual(entries.slice(16));
    const one: LogEntry[] = [];
    await journal.replay(8, (entry) => one.push(entry), { untilSeq: 8, withRequests: true });
    expect(one).toEqual(entries.slice(7, 8));
    await journal.append(block(41));
    await journal.close();
    const again = await openJournal(directory, SMALL);
    expect(again.repaired).toBeUndefined();
    expect((await readAll(again)).slice(0, 40)).toEqual(entries);
    expect((await again.append(block(42))).seq).toBe(42);
    await again.close();
  }));

test('if the process is killed before any step of the compression, every entry exists once and is readable', () =>
  inDirectory(async (directory) => {
    const images: [CompressStep, string][] = [];
    const journal = await grown(directory, {
      blocks: 20,
      faults: {
        beforeCompress: async (step) => void images.push([step, await crashImage(directory)]),
      },
    });
    const entries = await readAll(journal);
    await journal.compact(ALL);
    await journal.close();
    expect(images.slice(0, STEPS.length).map(([step]) => step)).toEqual(STEPS);
    expect(images.length).toBeGreaterThan(2 * STEPS.length);
    // The first segment has no predecessor, and the predecessor of the second is compressed; all
    // others are like the second.
    const count = process.env['TEST_LONG'] === undefined ? 2 * STEPS.length : images.length;
    for (const [, image] of images.slice(0, count)) {
      // A reader running while another process is writing removes no files and sees all entries.
      const reader = await readJournal(image, entries.length);
      const seen: LogEntry[] = [];
      await reader.replay(1, (entry) => seen.push(entry), { withRequests: true });
      expect(seen).toEqual(entries);
      const again = await openJournal(image, SMALL);
      expect(await readAll(again)).toEqual(entries);
      const names = await readdir(image);
      expect(names.filter((name) => name.endsWith('.new'))).toEqual([]);
      expect(new Set(names.map((name) => name.replace('.zst', ''))).size).toBe(names.length);
      await again.compact(ALL);
      expect((await forms(image)).filter((form) => form === 'log')).toHaveLength(1);
      expect(await readAll(again)).toEqual(entries);
      await again.close();
    }
  }));

test.each(STEPS)('a failure at the step "%s" is reported, and the segment remains readable', (at) =>
  inDirectory(async (directory) => {
    const failures: unknown[] = [];
    let isBroken = true;
    const journal = await grown(directory, {
      blocks: 20,
      onCompactFailed: (error) => failures.push(error),
      faults: {
        beforeCompress: (step) => {
          if (isBroken && step === at) throw new Error('ordered by a test');
        },
      },
    });
    const entries = await readAll(journal);
    const segments = (await segmentPaths(directory)).length;
    await journal.compact(ALL);
    expect(failures).toHaveLength(segments - 1);
    expect(await readAll(journal)).toEqual(entries);
    // A failure is reported once and the compression is retried only after the next startup.
    await journal.compact(ALL);
    expect(failures).toHaveLength(segments - 1);
    isBroken = false;
    await journal.close();
    const again = await openJournal(directory, SMALL);
    await again.compact(ALL);
    expect(await readAll(again)).toEqual(entries);
    expect((await forms(directory)).filter((form) => form === 'log')).toHaveLength(1);
    // A compressed copy is removed together with its original.
    await again.compact({ ...ALL, dropBeforeMs: Infinity });
    expect(await forms(directory)).toEqual(['log']);
    await again.close();
  }),
);

test('R-disk: if there is no space for a copy, compaction changes nothing and tries again later', () =>
  inDirectory(async (directory) => {
    let space: 'low' | 'none' | 'some' = 'low';
    const failures: unknown[] = [];
    const journal = await grown(directory, {
      blocks: 20,
      mayCompress: () => space !== 'low',
      onCompactFailed: (error) => failures.push(error),
      faults: {
        beforeCompress: (step) => {
          if (space === 'none' && step === 'sync') {
            throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
          }
        },
      },
    });
    const entries = await readAll(journal);
    for (const state of ['low', 'none'] as const) {
      space = state;
      await journal.compact(ALL);
      expect(new Set(await forms(directory))).toEqual(new Set(['log']));
    }
    space = 'some';
    await journal.compact(ALL);
    expect(failures).toEqual([]);
    expect((await forms(directory)).filter((form) => form === 'log')).toHaveLength(1);
    expect(await readAll(journal)).toEqual(entries);
    await journal.close();
  }));

test('closing the journal abandons any compression in progress and leaves none of its files behind', () =>
  inDirectory(async (directory) => {
    let closing: Promise<void> | undefined;
    const journal = await grown(directory, {
      blocks: 20,
      faults: { beforeCompress: () => void (closing ??= journal.close()) },
    });
    const entries = await readAll(journal);
    await journal.compact(ALL);
    await closing;
    expect(new Set(await forms(directory))).toEqual(new Set(['log']));
    const again = await openJournal(directory, SMALL);
    expect(await readAll(again)).toEqual(entries);
    await again.close();
  }));

test('compaction changes only segments below the requested number, and removes only old ones', () =>
  inDirectory(async (directory) => {
    let nowMs = 0;
    const clock = { nowMs: () => (nowMs += 1_000) };
    const journal = await grown(directory, { blocks: 60, clock });
    const entries = await readAll(journal);
    await journal.compact({ belowSeq: 40, dropBeforeMs: 20_000 });
    const { firstSeq } = journal;
    // A segment is removed only as a whole, so entry 20 remains if later entries share its segment.
    expect(firstSeq).toBeGreaterThan(1);
    expect(firstSeq).toBeLessThanOrEqual(20);
    expect(await readAll(journal, firstSeq)).toEqual(entries.slice(firstSeq - 1));
    await expect(readAll(journal, firstSeq - 1)).rejects.toThrow(JournalPrunedError);
    const compressed = (await forms(directory)).filter((form) => form === 'log.zst').length;
    expect(compressed).toBeGreaterThan(0);
    const plainFrom = Math.min(
      ...(await segmentPaths(directory)).map((path) => Number(/(\d{16})/.exec(path)?.[1])),
    );
    expect(plainFrom).toBeLessThanOrEqual(40);
    await journal.compact({ belowSeq: 40, dropBeforeMs: Infinity });
    expect(journal.firstSeq).toBe(plainFrom);
    await journal.close();
  }));

test('a reader copes with a segment being compressed after it was listed, and reports one that was removed', () =>
  inDirectory(async (directory) => {
    const journal = await grown(directory);
    const entries = await readAll(journal);
    const reader = await readJournal(directory, 40);
    await journal.compact(ALL);
    const seen: LogEntry[] = [];
    await reader.replay(1, (entry) => seen.push(entry), { withRequests: true });
    expect(seen).toEqual(entries);
    await journal.compact({ ...ALL, dropBeforeMs: Infinity });
    await expect(reader.replay(1, () => undefined)).rejects.toThrow(JournalPrunedError);
    await journal.close();
  }));

test('a torn or altered compressed segment is reported as damage by every reader', () =>
  inDirectory(async (directory) => {
    const journal = await grown(directory);
    const entries = await readAll(journal);
    await journal.compact(ALL);
    await journal.close();
    const [, second = ''] = await compressedPaths(directory);
    const firstSeq = parseSegmentName(basename(second))?.firstSeq;
    const whole = await readFile(second);
    const damages = [whole.subarray(0, whole.length >> 1), whole.subarray(0, whole.length - 3)];
    for (let at = 200; at < whole.length; at += 7) {
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] ?? 0) ^ 0x20;
      damages.push(flipped);
    }
    let found = 0;
    for (const [index, bytes] of damages.entries()) {
      await writeFile(second, bytes);
      const seen: LogEntry[] = [];
      let again: FileJournal | undefined;
      try {
        again = await openJournal(directory, SMALL);
        await again.replay(1, (entry) => seen.push(entry), { withRequests: true });
        // The altered bytes are after the last entry, so its checksum is still correct.
        expect(seen).toHaveLength(40);
      } catch (error) {
        found += 1;
        // A file as short as this one is decompressed on opening, which then detects the damage;
        // otherwise, the replay detects it.
        const seq = again === undefined ? firstSeq : seen.length + 1;
        expect(error).toMatchObject({ name: 'JournalDamagedError', file: second, seq });
      } finally {
        await again?.close();
      }
      if (index === 0) expect(found).toBe(1);
      expect(seen).toEqual(entries.slice(0, seen.length));
    }
    expect(found).toBeGreaterThan(damages.length / 2);
    await writeFile(second, 'nothing of the kind');
    await expect(openJournal(directory, SMALL)).rejects.toThrow(/header of the segment/);
    await writeFile(second, whole);
    const again = await openJournal(directory, SMALL);
    expect(await readAll(again)).toHaveLength(40);
    await again.close();
  }));

test('the journal does not open if a compressed segment lacks its successor or predecessor', () =>
  inDirectory(async (directory) => {
    const journal = await grown(directory);
    await journal.compact(ALL);
    await journal.close();
    const [last = ''] = await segmentPaths(directory);
    await rename(last, `${last}-aside`);
    await expect(openJournal(directory)).rejects.toThrow(/the next segment is missing/);
    await rename(`${last}-aside`, last);
    const [, , third = ''] = await compressedPaths(directory);
    await rm(third);
    await expect(openJournal(directory)).rejects.toThrow(/does not follow the previous segment/);
  }));

test('a segment larger than one read is compressed and read in full', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory, { segmentBytes: 6 * 1024 * 1024 });
    for (let n = 1; n <= 9; n += 1) {
      await journal.append(block(n, noise(n, 1_500_000)));
    }
    const entries = await readAll(journal);
    const [first = ''] = await segmentPaths(directory);
    const { size } = await stat(first);
    await journal.compact(ALL);
    const [compressed = ''] = await compressedPaths(directory);
    expect((await stat(compressed)).size).toBeLessThan(size);
    expect(await readAll(journal)).toEqual(entries);
    await truncate(compressed, (await stat(compressed)).size - 100_000);
    const seen: number[] = [];
    const torn = journal.replay(1, (entry) => seen.push(entry.seq));
    await expect(torn).rejects.toMatchObject({
      name: 'JournalDamagedError',
      file: compressed,
      seq: 4,
      message: expect.stringContaining('it cannot be decompressed: unexpected end of file'),
    });
    expect(seen).toEqual([1, 2, 3]);
    await journal.close();
  }));

/** Returns random text that compression shortens by a quarter. */
function noise(seed: number, length: number): string {
  const hash = createHash('shake256', { outputLength: (length / 4) * 3 });
  return hash.update(String(seed)).digest('base64');
}

test('random journals keep the same entries through any compression, removal and reopening', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { weight: 6, arbitrary: fc.record({ append: fc.array(fc.string(), { maxLength: 4 }) }) },
          { weight: 2, arbitrary: fc.record({ compactBelow: fc.nat({ max: 60 }) }) },
          { weight: 1, arbitrary: fc.record({ dropBelow: fc.nat({ max: 60 }) }) },
          { weight: 1, arbitrary: fc.constant({ kill: true as const }) },
          { weight: 1, arbitrary: fc.constant({ reopen: true as const }) },
        ),
        { maxLength: 40 },
      ),
      (steps) => inDirectory((directory) => expectSame(directory, steps)),
    ),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 10) },
  ));

type Step =
  | { readonly append: readonly string[] }
  | { readonly compactBelow: number }
  | { readonly dropBelow: number }
  | { readonly kill: true }
  | { readonly reopen: true };

/** Compares the journal with a reference model, which is a list of the acknowledged entries. */
async function expectSame(root: string, steps: readonly Step[]): Promise<void> {
  let directory = root;
  const options = { segmentBytes: 4_600 };
  let journal = await openJournal(directory, options);
  const entries: LogEntry[] = [];
  for (const step of steps) {
    if ('append' in step) {
      const commands = step.append.flatMap((request, index) => block(index, request));
      entries.push(await journal.append(commands));
    } else if ('compactBelow' in step) {
      await journal.compact({ belowSeq: step.compactBelow });
    } else if ('dropBelow' in step) {
      await journal.compact({ belowSeq: step.dropBelow, dropBeforeMs: Infinity });
      expect(journal.firstSeq).toBeLessThanOrEqual(Math.max(1, step.dropBelow, journal.firstSeq));
    } else {
      const image = 'kill' in step ? await crashImage(directory) : undefined;
      await journal.close();
      directory = image ?? directory;
      journal = await openJournal(directory, options);
    }
    const { firstSeq } = journal;
    expect(await readAll(journal, firstSeq)).toEqual(entries.slice(firstSeq - 1));
  }
  await journal.close();
}
