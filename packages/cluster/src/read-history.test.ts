import { describe, expect, test } from 'vitest';
import type { LogEntry } from '@oddlot/replica/block';
import { ReadHistory } from './read-history.ts';

const ERA = 'b5f0';
type Other = { [Name in keyof LogEntry]?: LogEntry[Name] | undefined };
const block = (seq: number, rest: Other = {}): LogEntry => ({
  seq,
  timeMs: 1_000 + seq,
  commands: [{ command: {} as never }],
  proposal: `p:${seq}`,
  ...(rest as Partial<LogEntry>),
});

/** One that has read blocks up to a number, of which some are others. */
function history(to: number, others: Readonly<Record<number, Other>> = {}, after = 0) {
  const read = new ReadHistory(ERA, after);
  for (let seq = after + 1; seq <= to; seq += 1) read.add(block(seq, others[seq]));
  return read;
}

describe('what a proposer had read', () => {
  test.each([
    ['its name', { proposal: 'q:1' }],
    ['its time', { timeMs: 7 }],
    ['that it did not count', { commands: [], proposal: undefined }],
  ] as const)('is another one by %s', (_what, other: Other) => {
    const { told } = history(9, { 5: other });
    expect(history(12).contradicted(told, 13)).toEqual({ from: 1, to: 9 });
    expect(history(12, { 5: other }).contradicted(told, 13)).toBeUndefined();
    expect(history(12, {}, 5).contradicted(told, 13)).toBeUndefined();
  });

  test('is the same whoever began where, and however long ago', () => {
    for (const [to, after] of [
      [1, 0],
      [1_500, 3],
      [8_192, 0],
      [8_193, 1],
      [20_001, 0],
    ] as const) {
      const reader = history(to + 40, {}, after);
      expect(reader.contradicted(history(to, {}, 0).told, to + 41)).toBeUndefined();
      const other = history(to, { [to]: { proposal: 'q:1' } });
      expect(reader.contradicted(other.told, to + 41)?.to).toBe(
        after < to - 1_024 || to < 1_025 ? to : undefined,
      );
    }
  });

  test('can not be beyond the block that tells it', () => {
    expect(history(9).contradicted(history(9).told, 9)).toEqual({ from: 9, to: 9 });
    expect(history(4).contradicted(history(9).told, 5)).toEqual({ from: 5, to: 9 });
  });

  test('is nothing of a stream that was written anew, nor what nobody said', () => {
    const other = new ReadHistory('c222', 0);
    for (let seq = 1; seq < 5; seq += 1) other.add(block(seq, { timeMs: 1 }));
    for (const told of [other.told, undefined, '', 'x', `${ERA} 1 2`])
      expect(history(9).contradicted(told, 10)).toBeUndefined();
  });

  test('is nothing that a stream was written from a folder with, whatever it is called where', async () => {
    const folder = (names: string, lastSeq: number) => ({
      firstSeq: 1,
      lastSeq,
      replay: async (from: number, take: (entry: LogEntry) => unknown) => {
        for (let seq = from; seq <= lastSeq; seq += 1)
          take(block(seq, seq > 6 ? {} : { proposal: `${names}:${seq}` }));
      },
    });
    const opening = { era: ERA, lastSeq: 6 };
    const reader = await ReadHistory.of(folder('a', 9), opening);
    for (const lastSeq of [4, 6, 8]) {
      const teller = await ReadHistory.of(folder('b', lastSeq), opening);
      expect(reader.contradicted(teller.told, 10)).toBeUndefined();
      // Whoever reads the rest of what was written comes to the same.
      for (let seq = lastSeq + 1; seq <= 9; seq += 1) teller.add(block(seq));
      expect(teller.told).toBe(reader.told);
    }
    const other = await ReadHistory.of(folder('a', 6), opening);
    other.add(block(7, { proposal: 'q:1' }));
    expect(reader.contradicted(other.told, 10)).toEqual({ from: 7, to: 7 });
  });
});
