import { stat } from 'node:fs/promises';
import { JournalFullError } from '@oddlot/host/durable';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import type { JournalFaults } from './segment-writer.ts';
import {
  block,
  crashImage,
  openJournal,
  readAll,
  segmentPaths,
} from '@oddlot/testing/venue/journal';

const LONG = 'x'.repeat(3_000);

type Disk = { isFull: boolean; readonly faults: JournalFaults };

const noSpace = (): Error => Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });

/** The points at which a write can run out of disk space. */
const DISKS: readonly [string, () => Disk][] = [
  [
    'before the first byte',
    () => fullDisk((disk) => ({ space: () => (disk.isFull ? 0 : undefined) })),
  ],
  [
    'in the middle of a record',
    () => fullDisk((disk) => ({ space: () => (disk.isFull ? 1_500 : undefined) })),
  ],
  [
    'with whole records written and not synced',
    () =>
      fullDisk((disk) => ({
        beforeSync: () => {
          if (disk.isFull) throw noSpace();
        },
      })),
  ],
];

function fullDisk(faults: (disk: { isFull: boolean }) => JournalFaults): Disk {
  const disk = { isFull: false, faults: {} as JournalFaults };
  disk.faults = faults(disk);
  return disk;
}

test.each(DISKS)('R-disk: an entry that finds no space %s is refused and cut off', (_, create) =>
  inDirectory(async (directory) => {
    const disk = create();
    const fatal: Error[] = [];
    const applied: number[] = [];
    const journal = await openJournal(directory, {
      faults: disk.faults,
      onFatal: (error) => fatal.push(error),
    });
    await journal.follow(1, (entry) => applied.push(entry.seq));
    await journal.append(block(1));
    disk.isFull = true;
    const refused = await Promise.allSettled([
      journal.append(block(2, LONG)),
      journal.append(block(3)),
    ]);
    for (const each of refused) {
      expect(each).toMatchObject({ status: 'rejected', reason: expect.any(JournalFullError) });
    }
    expect({ fatal, applied, lastSeq: journal.lastSeq }).toEqual({
      fatal: [],
      applied: [1],
      lastSeq: 1,
    });

    // If the process is killed here, the refused entry must not reappear.
    const image = await openJournal(await crashImage(directory));
    expect(image.repaired).toBeUndefined();
    expect((await readAll(image)).map((entry) => entry.commands)).toEqual([block(1)]);
    await image.close();

    disk.isFull = false;
    await journal.append(block(4));
    await journal.append(block(5, LONG));
    await journal.close();
    const again = await openJournal(directory);
    expect(again.repaired).toBeUndefined();
    expect((await readAll(again)).map((entry) => [entry.seq, entry.commands])).toEqual([
      [1, block(1)],
      [2, block(4)],
      [3, block(5, LONG)],
    ]);
    await again.close();
  }),
);

test('R-disk: cutting off a refused entry frees its space', () =>
  inDirectory(async (directory) => {
    let isFull = false;
    const journal = await openJournal(directory, {
      faults: { space: () => (isFull ? 1_000 : undefined) },
    });
    await journal.append(block(1));
    isFull = true;
    await expect(journal.append(block(2, LONG))).rejects.toThrow(JournalFullError);
    const [path = ''] = await segmentPaths(directory);
    // The file contains the header page and one small record.
    expect((await stat(path)).size).toBeLessThan(4_096 + 500);
    await journal.close();
  }));

test('R-disk: while there is too little space, the journal writes nothing; it then continues', () =>
  inDirectory(async (directory) => {
    let hasSpace = true;
    let writes = 0;
    const journal = await openJournal(directory, {
      hasSpace: () => hasSpace,
      faults: { beforeWrite: () => void (writes += 1) },
    });
    await journal.append(block(1));
    hasSpace = false;
    await expect(journal.append(block(2))).rejects.toThrow(JournalFullError);
    expect(writes).toBe(1);
    hasSpace = true;
    expect((await journal.append(block(3))).seq).toBe(2);
    await journal.close();
  }));
