import { describe, expect, test } from 'vitest';
import {
  formatAveragePrice,
  formatPrice,
  formatRate,
  formatRatio,
  formatSize,
  sizeAsNumber,
} from './format.ts';

const BTC = { szDecimals: 5 };
const TENS = { szDecimals: -1 };

describe('prices and sizes are formatted on their instrument’s scale', () => {
  test('prices and sizes are canonical decimals on their instrument’s scale', () => {
    expect(formatPrice(BTC, 971_234)).toBe('97123.4');
    expect(formatPrice(BTC, 10)).toBe('1');
    expect(formatSize(BTC, 50_000)).toBe('0.5');
    expect(formatSize(BTC, -1)).toBe('-0.00001');
    expect(formatSize(BTC, 0)).toBe('0');
    expect(formatPrice(TENS, 12)).toBe('0.0000012');
    expect(formatSize(TENS, 12)).toBe('120');
  });

  test('sizeAsNumber returns a size as a JSON number', () => {
    expect(sizeAsNumber(BTC, 12_345_678)).toBe(123.45678);
    expect(sizeAsNumber(TENS, 7)).toBe(70);
  });
});

describe('rates and ratios are formatted with fixed units', () => {
  test('formatRate returns the exact decimal of a rate', () => {
    expect(formatRate(45_000)).toBe('0.00045');
  });

  test('formatRatio rounds half up to six decimals', () => {
    expect(formatRatio(1n, 3n)).toBe('0.333333');
    expect(formatRatio(2n, 3n)).toBe('0.666667');
    expect(formatRatio(5n, 10_000_000n)).toBe('0.000001');
    expect(formatRatio(-5n, 10_000_000n)).toBe('-0.000001');
    expect(formatRatio(4n, 10_000_000n)).toBe('0');
  });
});

describe('an average price is formatted from a notional and a size', () => {
  test('the average price is the notional divided by the size, for both signs', () => {
    // This is the notional of 0.5 at 97000 and 0.25 at 97000.3.
    const notional = 48_500_000_000n + 24_250_075_000n;
    expect(formatAveragePrice(BTC, notional, 75_000)).toBe('97000.1');
    expect(formatAveragePrice(BTC, -notional, -75_000)).toBe('97000.1');
    expect(formatAveragePrice(BTC, 100_000, 3)).toBe('3333.333333');
    expect(formatAveragePrice(TENS, 24n, 2)).toBe('0.000001');
    expect(formatAveragePrice(BTC, 0, 0)).toBe('0');
  });
});
