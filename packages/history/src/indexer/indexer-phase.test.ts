import { expect, test } from 'vitest';
import { type IndexerChange, type IndexerPhase, phaseAfter } from './indexer-thread.ts';

/** Returns the phase after each change. An impossible change leaves the phase unchanged. */
function through(...changes: readonly IndexerChange[]): IndexerPhase[] {
  let phase: IndexerPhase = 'opened';
  const seen: IndexerPhase[] = [phase];
  for (const change of changes) {
    phase = phaseAfter(phase, change) ?? phase;
    seen.push(phase);
  }
  return seen;
}

test('the indexer follows the log at once if the store is complete, and otherwise once the missing rows have been computed', () => {
  expect(through('verified', 'follows')).toEqual(['opened', 'verified', 'following']);
  expect(through('verified', 'lacks a few', 'rebuilt').slice(2)).toEqual([
    'completing',
    'following',
  ]);
  expect(through('verified', 'lacks many', 'rebuilt').slice(2)).toEqual([
    'rebuilding',
    'following',
  ]);
});

test('damage can be found at any time after the store has been verified, even in a recomputed store', () => {
  for (const before of ['follows', 'lacks a few', 'lacks many'] as const) {
    expect(through('verified', before, 'damaged').at(-1)).toBe('rebuilding');
  }
  expect(through('verified', 'damaged', 'damaged', 'rebuilt').at(-1)).toBe('following');
});

test('damage reported before the start does not trigger a second rebuild', () => {
  const [, , damaged] = through('verified', 'damaged');
  expect(damaged).toBe('rebuilding');
  expect(phaseAfter('rebuilding', 'lacks many')).toBeUndefined();
  expect(phaseAfter('rebuilding', 'follows')).toBeUndefined();
});

test('a lost history can only end, and an ended one never changes', () => {
  for (const change of ['rebuilt', 'damaged', 'follows', 'verified', 'lost'] as const) {
    expect(phaseAfter('lost', change)).toBeUndefined();
    expect(phaseAfter('ended', change)).toBeUndefined();
  }
  expect(phaseAfter('lost', 'ends')).toBe('ended');
});
