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

/** Returns a history up to a block, in which the given blocks differ. */
function history(to: number, others: Readonly<Record<number, Other>> = {}, after = 0) {
  const read = new ReadHistory(ERA, after);
  for (let seq = after + 1; seq <= to; seq += 1) read.add(block(seq, others[seq]));
  return read;
}

describe("a proposer's read position shows which blocks it has read", () => {
  test.each([
    ['its name', { proposal: 'q:1' }],
    ['its time', { timeMs: 7 }],
    ['that it did not count', { commands: [], proposal: undefined }],
  ] as const)('a read position reveals a block that differs by %s', (_what, other: Other) => {
    const { readPosition } = history(9, { 5: other });
    expect(history(12).contradicted(readPosition, 13)).toEqual({ from: 1, to: 9 });
    expect(history(12, { 5: other }).contradicted(readPosition, 13)).toBeUndefined();
    expect(history(12, {}, 5).contradicted(readPosition, 13)).toBeUndefined();
  });

  test('a read position is the same whatever the starting block and distance', () => {
    for (const [to, after] of [
      [1, 0],
      [1_500, 3],
      [8_192, 0],
      [8_193, 1],
      [20_001, 0],
    ] as const) {
      const reader = history(to + 40, {}, after);
      expect(reader.contradicted(history(to, {}, 0).readPosition, to + 41)).toBeUndefined();
      const other = history(to, { [to]: { proposal: 'q:1' } });
      expect(reader.contradicted(other.readPosition, to + 41)?.to).toBe(
        after < to - 1_024 || to < 1_025 ? to : undefined,
      );
    }
  });

  test('a read position cannot be beyond the block that contains it', () => {
    expect(history(9).contradicted(history(9).readPosition, 9)).toEqual({ from: 9, to: 9 });
    expect(history(4).contradicted(history(9).readPosition, 5)).toEqual({ from: 5, to: 9 });
  });

  test('a missing read position, or one that refers to an earlier stream, is ignored', () => {
    const other = new ReadHistory('c222', 0);
    for (let seq = 1; seq < 5; seq += 1) other.add(block(seq, { timeMs: 1 }));
    for (const readPosition of [other.readPosition, undefined, '', 'x', `${ERA} 1 2`])
      expect(history(9).contradicted(readPosition, 10)).toBeUndefined();
  });

  test('a read position ignores blocks written from a folder, whose ids differ between copies', async () => {
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
      const source = await ReadHistory.of(folder('b', lastSeq), opening);
      expect(reader.contradicted(source.readPosition, 10)).toBeUndefined();
      // A reader of the remaining written blocks gets the same result.
      for (let seq = lastSeq + 1; seq <= 9; seq += 1) source.add(block(seq));
      expect(source.readPosition).toBe(reader.readPosition);
    }
    const other = await ReadHistory.of(folder('a', 6), opening);
    other.add(block(7, { proposal: 'q:1' }));
    expect(reader.contradicted(other.readPosition, 10)).toEqual({ from: 7, to: 7 });
  });
});
