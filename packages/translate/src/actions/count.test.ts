import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDecimal } from '@oddlot/units';
import { count, exactCount, nearestCount } from './count.ts';

describe('a decimal is converted to grid units', () => {
  test.each([
    ['97123.5', 1, 971_235, true],
    ['0.512', 5, 51_200, true],
    ['5.0', 0, 5, true],
    ['5.5', 0, 5, false],
    ['-5.5', 0, -6, false],
    ['-5', 2, -500, true],
    ['120', -1, 12, true],
    ['125', -1, 12, false],
    ['9007199254740991', 0, Number.MAX_SAFE_INTEGER, true],
    ['9007199254740993', 0, Number.MAX_SAFE_INTEGER, true],
    ['99999999999999999999999999999999', 6, Number.MAX_SAFE_INTEGER, true],
    ['-9999999999999999999999999999999', 6, -Number.MAX_SAFE_INTEGER, true],
    ['0.00', 0, 0, true],
  ])('the decimal %s on a grid of %i decimals becomes %i', (text, decimals, value, exact) => {
    expect(count(text, decimals)).toEqual({ value, exact });
  });

  test('count agrees with the exact decimal parser for random values', () => {
    const text = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 14n }), fc.stringMatching(/^(\.[0-9]{1,10})?$/))
      .map(([whole, fraction]) => `${whole}${fraction}`);
    fc.assert(
      fc.property(text, fc.integer({ min: -3, max: 9 }), (decimal, decimals) => {
        const exact = parseDecimal(decimal, decimals);
        const limit = BigInt(Number.MAX_SAFE_INTEGER);
        const rounded = exact === undefined ? 0n : exact.floor > limit ? limit : exact.floor;
        expect(count(decimal, decimals)).toEqual({ value: Number(rounded), exact: exact?.exact });
      }),
      { numRuns: 2000 },
    );
  });
});

test('reference prices round half up, and operator values off the grid are converted to -1', () => {
  expect(nearestCount('100.04', 1)).toBe(1000);
  expect(nearestCount('100.05', 1)).toBe(1001);
  expect(nearestCount('97123', 1)).toBe(971_230);
  expect(nearestCount('125', -1)).toBe(13);
  expect(exactCount('100.5', 1)).toBe(1005);
  expect(exactCount('100.55', 1)).toBe(-1);
  expect(exactCount('9007199254.740990', 6)).toBe(Number.MAX_SAFE_INTEGER - 1);
  expect(exactCount('9007199254.740992', 6)).toBe(-1);
  expect(exactCount('-9007199254.740992', 6)).toBe(-Number.MAX_SAFE_INTEGER);
});
