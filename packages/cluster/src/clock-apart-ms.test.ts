import { expect, test } from 'vitest';
import { clockApartMs } from './replica-board.ts';

/** The results of several replicas, given how far their clocks are ahead of the servers'. */
const each = (aheads: readonly number[]): number[] => {
  const present = aheads.map((aheadMs, index) => ({ replica: `${index}`, aheadMs }));
  return aheads.map((_, index) => clockApartMs(`${index}`, present));
};

test.each([
  ['a single one is right', [9_000], [0]],
  ['of two the one that is ahead is off', [0, 40_000], [0, 40_000]],
  ['of three the one that differs is off', [10, 0, 40_000], [10, -10, 39_990]],
  ['ahead or behind', [10, 0, -40_000], [10, -10, -40_000]],
  ['of two halves the one that is ahead is off', [0, 0, 60_000, 60_000], [0, 0, 60_000, 60_000]],
  ['a few of many', [0, 0, 0, 50_000, 70_000], [0, 0, 0, 50_000, 70_000]],
])('of the clocks of replicas %s', (_, aheads, found) => {
  expect(each(aheads)).toEqual(found);
});

test('a replica without a report is not compared', () => {
  expect(clockApartMs('b', [{ replica: 'a', aheadMs: 90_000 }])).toBe(0);
});
