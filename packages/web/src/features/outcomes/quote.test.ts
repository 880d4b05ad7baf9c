import { describe, expect, test } from 'vitest';
import { add, compare } from '../../lib/decimal.ts';
import { ladderOf } from './market-facts.ts';
import { quoteBuyFor, quoteBuyShares, quoteSell, reserveOf } from './quote.ts';

const GRID = { tick: '0.01', sizeDecimals: 2, takerFeeRate: '0' };
const FEE = { ...GRID, takerFeeRate: '0.07' };
const level = (px: string, sz: string) => ({ px, sz, n: 1 });
const ASKS = [level('0.46', '100'), level('0.47', '100')];
const BIDS = [level('0.45', '100'), level('0.44', '100')];

describe('a purchase is computed for an amount of money', () => {
  test('a purchase takes levels in order, with a limit slightly beyond the last one', () => {
    // 69.5 / 0.49 = 141.836…, so 100 shares are bought at 0.46 and 41.83 at 0.47. One lot more would cost 69.5016 at the limit.
    expect(quoteBuyFor('69.5', ASKS, GRID)).toEqual({
      shares: '141.83',
      limit: '0.49',
      average: '0.462949',
      value: '65.6601',
      fee: '0',
      reserve: '69.4967',
      isWhole: true,
    });
  });

  test.each([
    // A share at 0.48 costs 0.497472 including the fee of 0.07 × 0.48 × 0.52.
    ['10', ASKS, { limit: '0.48', shares: '20.1', fee: '0.349499', reserve: '9.999188' }],
    // Above one half, the fee falls while the total rises: 0.9 + 0.07 × 0.9 × 0.1 = 0.9063.
    ['50', [level('0.88', '100')], { limit: '0.9', shares: '55.16', reserve: '49.991508' }],
  ])(
    'R-reserve: a purchase costs at most %s with all shares and fees at the limit',
    (spend, asks, expected) => {
      const quote = quoteBuyFor(spend, asks, FEE)!;
      expect(quote).toMatchObject(expected);
      expect(compare(quote.reserve, spend)).toBeLessThanOrEqual(0);
      const oneLotMore = reserveOf(add(quote.shares, '0.01'), quote.limit, FEE);
      expect(compare(oneLotMore, spend)).toBe(1);
    },
  );

  test('a purchase does not use a distant level that would reduce the number of shares', () => {
    // With a limit of 0.42, the money would buy only 33.33 shares, although 100 are offered at
    // 0.10.
    const asks = [level('0.1', '100'), level('0.4', '1000')];
    expect(quoteBuyFor('14', asks, GRID)).toMatchObject({ shares: '100', limit: '0.12' });
  });

  test('a purchase takes the whole book if the money exceeds it, and reports that', () => {
    expect(quoteBuyFor('1000', ASKS, GRID)).toMatchObject({ shares: '200', isWhole: false });
    expect(quoteBuyFor('1000', [], GRID)).toBeUndefined();
  });
});

test.each([
  ['0.98', '0.99'],
  ['0.99', '0.99'],
])('the limit stays on the price grid: an offer at %s is taken at %s or better', (px, limit) => {
  expect(quoteBuyShares('5', [level(px, '10')], GRID)).toMatchObject({ limit });
});

test('a sale takes bids, with a limit below the last one', () => {
  expect(quoteSell('150', BIDS, GRID)).toMatchObject({
    limit: '0.42',
    average: '0.446666',
    value: '67',
    isWhole: true,
  });
  expect(quoteSell('500', BIDS, GRID)).toMatchObject({ average: '0.445', isWhole: false });
});

test('R-one-book: a quote for NO uses the mirrored orders of the same book', () => {
  const book = { coin: '1', time: 0, levels: [BIDS, ASKS] as [typeof BIDS, typeof ASKS] };
  const { asks, bids } = ladderOf(book, 'No');
  expect(asks.map(({ px }) => px)).toEqual(['0.55', '0.56']);
  expect(bids.map(({ px }) => px)).toEqual(['0.54', '0.53']);
  expect(ladderOf(undefined, 'No')).toEqual({ asks: [], bids: [] });
});
