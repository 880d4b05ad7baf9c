import { expect, test } from 'vitest';
import { clockApartMs } from './replica-board.ts';

/** Returns the result of each replica, given how far the clocks are ahead of the servers' clock. */
const each = (aheads: readonly number[]): number[] => {
  const present = aheads.map((aheadMs, index) => ({ replica: `${index}`, aheadMs }));
  return aheads.map((_, index) => clockApartMs(`${index}`, present));
};

test.each([
  ['a single replica', [9_000], [0]],
  ['two replicas, of which the one ahead is off', [0, 40_000], [0, 40_000]],
  ['three replicas, of which one is ahead', [10, 0, 40_000], [10, -10, 39_990]],
  ['three replicas, of which one is behind', [10, 0, -40_000], [10, -10, -40_000]],
  ['two halves, of which the one ahead is off', [0, 0, 60_000, 60_000], [0, 0, 60_000, 60_000]],
  ['five replicas, of which two are ahead', [0, 0, 0, 50_000, 70_000], [0, 0, 0, 50_000, 70_000]],
])('a clock is compared with those of a majority: %s', (_, aheads, found) => {
  expect(each(aheads)).toEqual(found);
});

test('a replica without a report is not compared with others', () => {
  expect(clockApartMs('b', [{ replica: 'a', aheadMs: 90_000 }])).toBe(0);
});
