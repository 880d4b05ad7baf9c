import { expect, test } from 'vitest';
import { type IndexerChange, type IndexerPhase, phaseAfter } from './indexer-thread.ts';

/** The phases after some changes; impossible changes are ignored. */
function through(...changes: readonly IndexerChange[]): IndexerPhase[] {
  let phase: IndexerPhase = 'opened';
  const seen: IndexerPhase[] = [phase];
  for (const change of changes) {
    phase = phaseAfter(phase, change) ?? phase;
    seen.push(phase);
  }
  return seen;
}

test('a complete store is followed at once, one without some rows after its completion', () => {
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

test('damage can be found at any time after the check, also in a new store', () => {
  for (const before of ['follows', 'lacks a few', 'lacks many'] as const) {
    expect(through('verified', before, 'damaged').at(-1)).toBe('rebuilding');
  }
  expect(through('verified', 'damaged', 'damaged', 'rebuilt').at(-1)).toBe('following');
});

test('the start does not repeat a rebuild after reported damage', () => {
  const [, , damaged] = through('verified', 'damaged');
  expect(damaged).toBe('rebuilding');
  expect(phaseAfter('rebuilding', 'lacks many')).toBeUndefined();
  expect(phaseAfter('rebuilding', 'follows')).toBeUndefined();
});

test('a lost history stays lost, and an ended one stays ended', () => {
  for (const change of ['rebuilt', 'damaged', 'follows', 'verified', 'lost'] as const) {
    expect(phaseAfter('lost', change)).toBeUndefined();
    expect(phaseAfter('ended', change)).toBeUndefined();
  }
  expect(phaseAfter('lost', 'ends')).toBe('ended');
});
