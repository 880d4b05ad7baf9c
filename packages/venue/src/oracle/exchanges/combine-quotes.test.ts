import { describe, expect, test } from 'vitest';
import { weightedMedian, withoutOutliers } from './exchange-prices.ts';

type Row = readonly [priceE8: number, weight: number];
const prices = (rows: readonly Row[]) =>
  rows.map(([priceE8, weight], index) => ({ name: `exchange ${index}`, weight, priceE8 }));

describe('the weighted median', () => {
  test.each<[string, readonly Row[], number]>([
    ['of nothing is nothing', [], 0],
    ['of one is that one', [[70, 2]], 70],
    [
      'of two equal voices is their middle',
      [
        [100, 1],
        [103, 1],
      ],
      102,
    ],
    [
      'of three is the one between',
      [
        [900, 1],
        [100, 1],
        [101, 1],
      ],
      101,
    ],
    // 3 of 5 lie at 100.
    [
      'goes to whoever has more than half',
      [
        [100, 3],
        [200, 1],
        [300, 1],
      ],
      100,
    ],
    // 1 + 2 of 6 lie at or below 200: exactly half.
    [
      'is the middle where the border is half',
      [
        [100, 1],
        [200, 2],
        [300, 3],
      ],
      250,
    ],
    [
      'counts by weight, not by voices',
      [
        [100, 1],
        [200, 1],
        [300, 5],
      ],
      300,
    ],
  ])('%s', (_, rows, expected) => {
    expect(weightedMedian(prices(rows))).toBe(expected);
  });
});

describe('outliers, at more than 1% from the median of the others', () => {
  test.each<[string, readonly number[], readonly number[]]>([
    ['there is none', [10_000, 10_050, 10_100], [10_000, 10_050, 10_100]],
    ['exactly 1% is close enough', [10_000, 10_100], [10_000, 10_100]],
    ['one is left out', [10_000, 10_010, 11_000], [10_000, 10_010]],
    [
      'one that shifts the median for the others takes nobody along',
      [10_000, 10_010, 90_000],
      [10_000, 10_010],
    ],
    ['two of five', [10_000, 5_000, 10_010, 20_000, 10_020], [10_000, 10_010, 10_020]],
    ['of two that contradict each other neither is believed', [10_000, 10_102], []],
    ['one alone has nobody to contradict it', [10_000], [10_000]],
  ])('%s', (_, told, kept) => {
    const rows = told.map((price): Row => [price, 1]);
    expect(withoutOutliers(prices(rows), 100).map(({ priceE8 }) => priceE8)).toEqual(kept);
  });
});
