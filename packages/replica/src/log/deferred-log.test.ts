import { inDirectory } from '@oddlot/testing/host';
import { block, openJournal, readAll } from '@oddlot/testing/venue/journal';
import { expect, test } from 'vitest';
import type { LogEntry } from '../block.ts';
import { DeferredLog } from './deferred-log.ts';

const START_MS = 1_767_225_600_000;

/** Opens a log whose clock advances by a second per block, and records the delivered entries. */
async function openDeferred(directory: string) {
  const files = await openJournal(directory);
  const failures: unknown[] = [];
  const delivered: LogEntry[] = [];
  let nowMs = START_MS;
  const clock = { nowMs: () => (nowMs += 1_000) };
  const log = new DeferredLog({ files, clock, onFatal: (error) => failures.push(error) });
  await log.follow(1, (entry) => delivered.push(entry));
  return { delivered, failures, files, log };
}

const seqsOf = (entries: readonly LogEntry[]): number[] => entries.map(({ seq }) => seq);

test('a deferred log passes on each block immediately, and writes nothing until it is stored', () =>
  inDirectory(async (directory) => {
    const { delivered, files, log } = await openDeferred(directory);
    const appended = log.append(block(1, 'a request'), 'proposal 1');
    expect(delivered).toEqual([
      { seq: 1, timeMs: START_MS + 1_000, commands: block(1, 'a request'), proposal: 'proposal 1' },
    ]);
    expect(await appended).toBe(delivered[0]);
    expect(files.lastSeq).toBe(0);
    await log.close();
  }));

test('a stored log continues in its files, with the blocks, times and requests it had in memory', () =>
  inDirectory(async (directory) => {
    const { delivered, failures, files, log } = await openDeferred(directory);
    for (let number = 1; number <= 600; number += 1) await log.append(block(number, `${number}`));
    const storing = log.store();
    // Some of these blocks arrive while the earlier ones are being written, the others afterwards.
    const during = [601, 602].map((number) => log.append(block(number)));
    await storing;
    const after = [603, 604, 605].map((number) => log.append(block(number)));
    await Promise.all([...during, ...after]);
    expect(seqsOf(delivered)).toEqual(Array.from({ length: 605 }, (_, at) => at + 1));
    expect(files.lastSeq).toBe(605);
    expect(failures).toEqual([]);
    await log.close();

    const again = await openJournal(directory);
    const stored = await readAll(again);
    const content = ({ commands, seq, timeMs }: LogEntry) => ({ seq, timeMs, commands });
    expect(stored.map(content)).toEqual(delivered.map(content));
    await again.close();
  }));

test('readers get the same blocks before and after the log is stored', () =>
  inDirectory(async (directory) => {
    const { log } = await openDeferred(directory);
    for (let number = 1; number <= 5; number += 1) await log.append(block(number));
    const read = async (): Promise<number[]> => {
      const entries: LogEntry[] = [];
      await log.replay(2, (entry) => entries.push(entry), { untilSeq: 4 });
      return seqsOf(entries);
    };
    expect(await read()).toEqual([2, 3, 4]);
    await log.store();
    expect(await read()).toEqual([2, 3, 4]);
    await log.close();
  }));

test('a block that cannot be applied ends the log', () =>
  inDirectory(async (directory) => {
    const files = await openJournal(directory);
    const failures: unknown[] = [];
    const onFatal = (error: unknown): void => void failures.push(error);
    const log = new DeferredLog({ files, clock: { nowMs: () => START_MS }, onFatal });
    const broken = new Error('the invariant is broken');
    await log.follow(1, () => {
      throw broken;
    });
    await expect(log.append(block(1))).rejects.toThrow(broken);
    await expect(log.append(block(2))).rejects.toThrow(broken);
    expect(failures).toEqual([broken]);
    await log.close();
  }));
