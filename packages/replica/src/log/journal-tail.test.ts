import { inDirectory } from '@oddlot/testing/host';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogEntry } from '../block.ts';
import { block, openJournal, readAll, segmentPaths } from '@oddlot/testing/venue/journal';
import { JournalTail } from './journal-reader.ts';

test('entries are read once and in order while the journal grows and begins new segments', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory, { segmentBytes: 6_000 });
    const tail = new JournalTail(directory, 1);
    const read: LogEntry[] = [];
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(
        Array.from({ length: 1 + (round % 5) }, (_, index) =>
          journal.append(block(round, `request ${round} ${index}`)),
        ),
      );
      if (round % 3 === 0) await tail.readUpTo(journal.lastSeq, (entry) => read.push(entry));
    }
    await tail.readUpTo(journal.lastSeq, (entry) => read.push(entry));
    expect((await segmentPaths(directory)).length).toBeGreaterThan(2);
    expect(read).toEqual(await readAll(journal));
    await tail.close();
    await journal.close();
  }));

test('a reader stops at the last durable entry and waits for its consumer', () =>
  inDirectory(async (directory) => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 6 }), { maxLength: 12 }),
        fc.nat({ max: 20 }),
        async (steps, from) => {
          const path = `${directory}/${(runs += 1)}`;
          const journal = await openJournal(path, { segmentBytes: 6_000 });
          for (let count = 0; count < 60; count += 1) await journal.append(block(count));
          const tail = new JournalTail(path, from + 1);
          const read: number[] = [];
          let isTaking = false;
          let until = from;
          for (const step of steps) {
            until = Math.min(60, until + step);
            await tail.readUpTo(until, async ({ seq }) => {
              expect(isTaking).toBe(false);
              isTaking = true;
              await new Promise((resolve) => setImmediate(resolve));
              isTaking = false;
              read.push(seq);
            });
            expect(read).toEqual(Array.from({ length: until - from }, (_, at) => from + at + 1));
          }
          await tail.close();
          await journal.close();
        },
      ),
      { numRuns: 15 },
    );
  }));

test('a missing acknowledged entry is reported as damage', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory);
    await journal.append(block(1));
    const tail = new JournalTail(directory, 1);
    await expect(tail.readUpTo(2, () => undefined)).rejects.toThrow('damaged at entry 2');
    await tail.close();
    await journal.close();
  }));
