import { expect, test } from 'vitest';
import { clockApartMs } from './replica-board.ts';

/** What each of some replicas finds, by what their clocks are ahead of that of the servers. */
const each = (aheads: readonly number[]): number[] => {
  const present = aheads.map((aheadMs, index) => ({ replica: `${index}`, aheadMs }));
  return aheads.map((_, index) => clockApartMs(`${index}`, present));
};

test.each([
  ['one alone is right', [9_000], [0]],
  ['of two the one that is ahead is off', [0, 40_000], [0, 40_000]],
  ['of three the one that is apart is', [10, 0, 40_000], [10, -10, 39_990]],
  ['ahead or behind', [10, 0, -40_000], [10, -10, -40_000]],
  ['of two halves the one that is ahead', [0, 0, 60_000, 60_000], [0, 0, 60_000, 60_000]],
  ['a few of many', [0, 0, 0, 50_000, 70_000], [0, 0, 0, 50_000, 70_000]],
])('of the clocks of replicas %s', (_, aheads, found) => {
  expect(each(aheads)).toEqual(found);
});

test('who has told nothing is not compared', () => {
  expect(clockApartMs('b', [{ replica: 'a', aheadMs: 90_000 }])).toBe(0);
});
