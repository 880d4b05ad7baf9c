import { expect, test } from 'vitest';
import { LAST_OF_STEP, type PointRow, SeriesSet, TieredSeries } from './tiered-series.ts';

const TIERS = [
  { stepMs: 10, retentionMs: 50 },
  { stepMs: 100, retentionMs: 1_000 },
];

/** Creates a series with a sample every 5 ms whose value is its time. */
function filled(toMs: number): TieredSeries<PointRow> {
  const series = new TieredSeries(TIERS, LAST_OF_STEP);
  for (let atMs = 5; atMs <= toMs; atMs += 5) series.record([atMs, atMs]);
  return series;
}

test('recent samples are fine, older ones are coarse, and the oldest are dropped', () => {
  const series = filled(3_000);
  expect(series.at(2_994)?.row).toEqual([2_990, 2_990]);
  expect(series.at(2_700)).toEqual({ row: [2_700, 2_700], stepMs: 100 });
  expect(series.at(2_799)?.row).toEqual([2_700, 2_700]);
  expect(series.at(1_500)).toBeUndefined();
  // The fine tier has the steps from 2,940 to 3,000, and the coarse tier those from 1,900 to 3,000.
  expect(series.size).toBe(7 + 12);
});

test('a period includes each time once, in order', () => {
  const parts = filled(3_000).between(0, 3_000);
  const times = parts.flatMap(({ rows }) => rows.map(([atMs]) => atMs));
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  expect(times).toEqual([
    1900, 2000, 2100, 2200, 2300, 2400, 2500, 2600, 2700, 2800, 2900, 2940, 2950, 2960, 2970, 2980,
    2990, 3000,
  ]);
});

test('a set that exceeds its maximum number of rows drops the least recently recorded series', () => {
  const set = new SeriesSet<string, PointRow>({ tiers: TIERS, fold: LAST_OF_STEP, rowsMax: 8 });
  set.record('a', [10, 1]);
  set.record('b', [20, 1]);
  set.record('a', [30, 1]);
  const restored = new SeriesSet<string, PointRow>({
    tiers: TIERS,
    fold: LAST_OF_STEP,
    rowsMax: 8,
  });
  restored.restore(JSON.parse(JSON.stringify(set.dump())));
  for (const each of [set, restored]) {
    // Series b has two rows and a has three, and c adds two rows per sample, so b is dropped first
    // and then a.
    each.record('c', [40, 1]);
    each.record('c', [150, 1]);
    expect([each.get('a')?.size, each.get('b')?.size, each.get('c')?.size]).toEqual([
      3,
      undefined,
      4,
    ]);
  }
});
