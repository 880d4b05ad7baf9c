import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { RecentRows } from './trade-tape.ts';

test('only the newest rows of a user are kept, and they are returned newest first', () => {
  const rows = new RecentRows<number>({ perUserMax: 3, totalMax: 100 });
  for (const row of [1, 2, 3, 4]) rows.add('alice', row);
  expect(rows.of('alice')).toEqual([4, 3, 2]);
  expect(rows.of('bob')).toEqual([]);
});

test('if there are too many rows in total, the user whose latest row is the oldest is dropped', () => {
  const rows = new RecentRows<number>({ perUserMax: 3, totalMax: 4 });
  rows.add('alice', 1);
  rows.add('bob', 2);
  rows.add('alice', 3);
  rows.add('carol', 4);
  rows.add('carol', 5);
  expect(rows.of('bob')).toEqual([]);
  expect(rows.of('alice')).toEqual([3, 1]);
  expect(rows.of('carol')).toEqual([5, 4]);
});

test('a snapshot restores all rows and the order in which users are dropped', () => {
  const before = new RecentRows<number>({ perUserMax: 3, totalMax: 4 });
  before.add('alice', 1);
  before.add('bob', 2);
  before.add('alice', 3);
  const after = new RecentRows<number>({ perUserMax: 3, totalMax: 4 });
  after.restore(JSON.parse(JSON.stringify(before.dump())));
  after.add('carol', 4);
  after.add('carol', 5);
  expect(after.of('bob')).toEqual([]);
  expect(after.of('alice')).toEqual([3, 1]);
});

test('the user dropped is always the one whose latest row is the oldest', () => {
  const totalMax = 20;
  const rows = new RecentRows<number>({ perUserMax: 3, totalMax });
  /**
   * The reference model: users ordered by their latest row, oldest first, each with the number of
   * rows.
   */
  let model: [user: string, count: number][] = [];
  for (let row = 0; row < 2_000; row++) {
    // Users return after pauses of varying length, and at times only two users are active.
    const user = row % 300 < 30 ? `u${row % 2}` : `u${(row * row) % 23}`;
    const count = model.find(([name]) => name === user)?.[1] ?? 0;
    model = [...model.filter(([name]) => name !== user), [user, Math.min(3, count + 1)]];
    while (model.reduce((sum, [, each]) => sum + each, 0) > totalMax) model.shift();
    rows.add(user, row);
    expect(rows.dump().map(([name, stored]) => [name, stored.length])).toEqual(model);
  }
});

test('memory does not grow while the same users keep adding rows', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const rows = new RecentRows<number>({ perUserMax: 10, totalMax: 1_000 });
  const add = (count: number): void => {
    for (let n = 0; n < count; n += 1) rows.add(`user ${n % 3}`, n);
  };
  add(50_000);
  const before = heap();
  add(500_000);
  // If old entries of the map were not reused, this would grow fifty times as much.
  expect(heap() - before).toBeLessThan(1_000_000);
  expect(rows.of('user 0')).toHaveLength(10);
});
