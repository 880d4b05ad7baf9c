import { describe, expect, test } from 'vitest';
import { ladderOf } from './legs.ts';
import { quoteBuyFor, quoteBuyShares, quoteSell } from './quote.ts';

const GRID = { tick: '0.01', sizeDecimals: 2, takerFeeRate: '0' };
const FEE = { ...GRID, takerFeeRate: '0.07' };
const level = (px: string, sz: string) => ({ px, sz, n: 1 });
const ASKS = [level('0.46', '100'), level('0.47', '100')];
const BIDS = [level('0.45', '100'), level('0.44', '100')];

describe('a purchase for money', () => {
  test('buys from level to level, and its limit is a little beyond the last', () => {
    expect(quoteBuyFor('69.5', ASKS, GRID)).toEqual({
      shares: '150',
      limit: '0.49',
      average: '0.463333',
      value: '69.5',
      fee: '0',
      reserve: '73.5',
      isWhole: true,
    });
  });

  test('the fee is part of what is spent: rate × size × p × (1 − p), up to the micro', () => {
    const quote = quoteBuyFor('10', ASKS, FEE)!;
    expect(quote).toMatchObject({ shares: '20.94', value: '9.6324', fee: '0.364105' });
    expect(Number(quote.value) + Number(quote.fee)).toBeLessThanOrEqual(10);
  });

  test('never reserves more than there is', () => {
    const quote = quoteBuyFor('46', ASKS, GRID, '46')!;
    expect(quote).toMatchObject({ limit: '0.48', shares: '95.83', reserve: '45.9984' });
  });

  test('more money than the book has: all of the book, and it says so', () => {
    expect(quoteBuyFor('1000', ASKS, GRID)).toMatchObject({ shares: '200', isWhole: false });
    expect(quoteBuyFor('1000', [], GRID)).toBeUndefined();
  });
});

test.each([
  ['0.98', '0.99'],
  ['0.99', '0.99'],
])('a limit never leaves the grid: an offer at %s is taken at %s at most', (px, limit) => {
  expect(quoteBuyShares('5', [level(px, '10')], GRID)).toMatchObject({ limit });
});

test('a sale takes bids, and its limit is below the last', () => {
  expect(quoteSell('150', BIDS, GRID)).toMatchObject({
    limit: '0.42',
    average: '0.446666',
    value: '67',
    isWhole: true,
  });
  expect(quoteSell('500', BIDS, GRID)).toMatchObject({ average: '0.445', isWhole: false });
});

test('R-one-book: the NO side shows the same orders mirrored', () => {
  const book = { coin: '1', time: 0, levels: [BIDS, ASKS] as [typeof BIDS, typeof ASKS] };
  const { asks, bids } = ladderOf(book, 'No');
  expect(asks.map(({ px }) => px)).toEqual(['0.55', '0.56']);
  expect(bids.map(({ px }) => px)).toEqual(['0.54', '0.53']);
  expect(ladderOf(undefined, 'No')).toEqual({ asks: [], bids: [] });
});
