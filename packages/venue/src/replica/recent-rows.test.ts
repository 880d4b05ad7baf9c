import { expect, test } from 'vitest';
import { RecentRows } from './recent-rows.ts';

test('a user keeps so many rows, newest first', () => {
  const rows = new RecentRows<number>({ perUserMax: 3, totalMax: 100 });
  for (const row of [1, 2, 3, 4]) rows.add('alice', row);
  expect(rows.of('alice')).toEqual([4, 3, 2]);
  expect(rows.of('bob')).toEqual([]);
});

test('all together keep so many: who was silent longest goes', () => {
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

test('a snapshot brings back rows and order', () => {
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
