import { expect, test } from 'vitest';
import { LAST_OF_STEP, type PointRow, SeriesSet } from './tiered-series.ts';

const create = () =>
  new SeriesSet<string, PointRow>({
    tiers: [{ stepMs: 1, retentionMs: 1_000 }],
    fold: LAST_OF_STEP,
    rowsMax: 6,
  });

/**
 * The set has a live series without recent samples, two series that have ended, and one that
 * continues.
 */
function fill(): SeriesSet<string, PointRow> {
  const set = create();
  set.record('silent', [1, 1]);
  for (const [at, key] of ['first', 'second'].entries()) {
    set.record(key, [2 + at, 1]);
    set.record(key, [4 + at, 1]);
    set.end(key);
  }
  set.record('live', [9, 1]);
  return set;
}

test('series that have ended are dropped first, in the order they ended', () => {
  const set = fill();
  expect(set.hasEvicted).toBe(false);
  set.record('live', [10, 1]);
  expect(['silent', 'first', 'second', 'live'].map((key) => set.get(key) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ]);
  expect(set.hasEvicted).toBe(true);
  for (const at of [11, 12]) set.record('live', [at, 1]);
  expect(set.get('second')).toBeUndefined();
  expect(set.get('silent')).toBeDefined();
  for (const at of [13, 14]) set.record('live', [at, 1]);
  expect(set.get('silent')).toBeUndefined();
});

test('a restored set drops the same series as the original', () => {
  const original = fill();
  const restored = create();
  restored.restore(JSON.parse(JSON.stringify(original.dump())));
  for (let at = 10; at < 16; at++) {
    for (const set of [original, restored]) set.record('live', [at, 1]);
    expect(restored.dump()).toEqual(original.dump());
    expect(restored.hasEvicted).toBe(original.hasEvicted);
  }
});

test('a set can be restored from an older snapshot’s list form', () => {
  const { series } = fill().dump();
  const restored = create();
  restored.restore(JSON.parse(JSON.stringify(series)));
  expect(restored.get('first')?.size).toBe(2);
  expect(restored.dump()).toMatchObject({ ended: 0, evicted: false, series });
});

test('a forgotten series leaves no data', () => {
  const set = fill();
  for (const key of ['first', 'live', 'nobody']) set.forget(key);
  expect(set.dump().series.map(([key]) => key)).toEqual(['second', 'silent']);
  expect(set.hasEvicted).toBe(false);
});
