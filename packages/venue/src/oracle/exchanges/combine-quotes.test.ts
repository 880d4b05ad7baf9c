import { describe, expect, test } from 'vitest';
import { weightedMedian, withoutOutliers } from './exchange-prices.ts';

type Row = readonly [priceE8: number, weight: number];
const prices = (rows: readonly Row[]) =>
  rows.map(([priceE8, weight], index) => ({ name: `exchange ${index}`, weight, priceE8 }));

describe('weighted median of prices', () => {
  test.each<[string, readonly Row[], number]>([
    ['of an empty list is zero', [], 0],
    ['of one price is that price', [[70, 2]], 70],
    [
      'of two equal weights is their mean',
      [
        [100, 1],
        [103, 1],
      ],
      102,
    ],
    [
      'of three is the middle one',
      [
        [900, 1],
        [100, 1],
        [101, 1],
      ],
      101,
    ],
    // Three of the five quotes are at 100.
    [
      'is the price with more than half of the weight',
      [
        [100, 3],
        [200, 1],
        [300, 1],
      ],
      100,
    ],
    // The weights at or below 200 sum to 3 of 6, which is exactly half.
    [
      'is the mean if the border is at half',
      [
        [100, 1],
        [200, 2],
        [300, 3],
      ],
      250,
    ],
    [
      'counts weights, not prices',
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

describe("prices more than 1% away from the others' median are filtered out", () => {
  test.each<[string, readonly number[], readonly number[]]>([
    ['without outliers', [10_000, 10_050, 10_100], [10_000, 10_050, 10_100]],
    ['exactly 1% is within the limit', [10_000, 10_100], [10_000, 10_100]],
    ['one outlier is excluded', [10_000, 10_010, 11_000], [10_000, 10_010]],
    [
      'an outlier that shifts the median excludes no other price',
      [10_000, 10_010, 90_000],
      [10_000, 10_010],
    ],
    ['two outliers of five', [10_000, 5_000, 10_010, 20_000, 10_020], [10_000, 10_010, 10_020]],
    ['two prices that contradict each other are both excluded', [10_000, 10_102], []],
    ['a single price is never an outlier', [10_000], [10_000]],
  ])('%s', (_, given, included) => {
    const rows = given.map((price): Row => [price, 1]);
    expect(withoutOutliers(prices(rows), 100).map(({ priceE8 }) => priceE8)).toEqual(included);
  });
});
