import { describe, expect, test } from 'vitest';
import { LevelBook } from '../book/level-book.ts';
import { OrderPool, SIDE_BUY } from '../book/order-pool.ts';
import {
  fundingAmount,
  fundingRateE10,
  hourPremiumE10,
  impactPrice,
  premiumE10,
  shownImpact,
} from './funding.ts';

const PARAMETERS = {
  fundingInterestE10: 1_000_000,
  fundingDamperE10: 5_000_000,
  fundingRateMaxE10: 400_000_000,
};

describe('R-funding: the rate of an hour', () => {
  test.each([
    // The rulebook's vectors: P, then the rate, both in 10^-10.
    [-5_591_732n, -73_966],
    [-4_000_000n, 125_000],
    [0n, 125_000],
    [6_000_000n, 125_000],
    [100_000_000n, 11_875_000],
    [5_000_000_000n, 400_000_000],
    [-5_000_000_000n, -400_000_000],
    // One step outside the range in which the interest alone is paid.
    [6_000_001n, 125_000],
    [6_000_004n, 125_001],
    [-4_000_004n, 125_000],
    [-4_000_005n, 124_999],
  ])('P %s gives %s', (premium, rate) => {
    expect(fundingRateE10(premium, PARAMETERS)).toBe(rate);
  });

  test('a tie goes up on both sides of zero', () => {
    // F8h = 12 gives 1.5, F8h = −12 gives −1.5.
    const bare = { ...PARAMETERS, fundingInterestE10: 0, fundingDamperE10: 0 };
    expect(fundingRateE10(12n, bare)).toBe(2);
    expect(fundingRateE10(-12n, bare)).toBe(-1);
  });

  test('the average of an hour rounds towards zero', () => {
    expect(hourPremiumE10(1_439n)).toBe(1n);
    expect(hourPremiumE10(-1_439n)).toBe(-1n);
    expect(hourPremiumE10(-1_440n)).toBe(-2n);
  });
});

describe('R-funding, R-rounding: payments', () => {
  test.each([
    // 2 lots at 1,000,001 and 0.0000125: 25.000025 micro-USDC.
    [2, 1_000_001, 125_000, -26n],
    [-1, 1_000_001, 125_000, 12n],
    [2, 1_000_001, -125_000, 25n],
    [-1, 1_000_001, -125_000, -13n],
    [8, 1_000_000, 125_000, -100n],
    [-8, 1_000_000, 125_000, 100n],
    [5, 1_000_000, 0, 0n],
  ])('%i lots at %i and a rate of %i collect %s', (size, oracle, rate, amount) => {
    expect(fundingAmount(size, oracle, rate)).toBe(amount);
  });
});

/** A book with one order at each of some levels, [price, lots]. */
function book(isBuy: boolean, levels: readonly (readonly [number, number])[]): LevelBook {
  const pool = new OrderPool();
  const made = new LevelBook(pool, 1);
  for (const [index, [price, lots]] of levels.entries()) {
    const slot = pool.allocate(index + 1);
    pool.price[slot] = price;
    pool.remaining[slot] = lots;
    pool.original[slot] = lots;
    pool.instrument[slot] = 1;
    pool.flags[slot] = isBuy ? SIDE_BUY : 0;
    pool.rank[slot] = index + 1;
    made.insert(slot);
  }
  return made;
}

describe('R-funding: the impact price', () => {
  test('of one deep level is its price', () => {
    const price = impactPrice(book(false, [[105, 1_000]]), false, 6_000);
    expect(shownImpact(price)).toBe(105);
    expect(price).toEqual({ numerator: 630_000n, denominator: 6_000n });
  });

  test('is the value over the lots, the last level in part', () => {
    // 10 lots at 100 are worth 1,000; the other 1,000 buy 1,000 / 125 = 8 lots: 2,000 / 18.
    const price = impactPrice(
      book(false, [
        [100, 10],
        [125, 40],
      ]),
      false,
      2_000,
    );
    expect(price).toEqual({ numerator: 250_000n, denominator: 2_250n });
    expect(shownImpact(price)).toBe(111);
  });

  test('a side worth exactly the impact notional is deep enough, one lot less is not', () => {
    expect(impactPrice(book(true, [[100, 10]]), true, 1_000)).toBeDefined();
    expect(impactPrice(book(true, [[100, 9]]), true, 1_000)).toBeUndefined();
    expect(impactPrice(book(true, []), true, 1_000)).toBeUndefined();
  });

  test('reads as many levels as it needs', () => {
    const levels = Array.from({ length: 500 }, (_, n) => [1_000 - n, 1] as const);
    // 1,000 + 999 + … + 501 = 375,250 for 500 lots.
    const price = impactPrice(book(true, levels), true, 375_250);
    expect(shownImpact(price)).toBe(751);
    expect(impactPrice(book(true, levels), true, 375_251)).toBeUndefined();
  });
});

describe('R-funding: the premium', () => {
  const at = (price: bigint) => ({ numerator: price, denominator: 1n });

  test.each([
    // Oracle 1,000: a bid above it, an ask below it, both around it, and each side missing.
    [1_010n, 1_020n, 100_000_000n],
    [980n, 990n, -100_000_000n],
    [990n, 1_010n, 0n],
    [1_010n, 0n, 100_000_000n],
    [0n, 990n, -100_000_000n],
    [0n, 0n, 0n],
  ])('of a bid at %s and an ask at %s is %s', (bid, ask, expected) => {
    const [impactBid, impactAsk] = [bid, ask].map((price) =>
      price === 0n ? undefined : at(price),
    );
    expect(premiumE10(1_000, impactBid, impactAsk)).toBe(expected);
  });

  test('is taken from the exact average and rounds towards zero', () => {
    // 2,000 / 18 = 111.11… against 100: 0.1111111111(1); against 120: −0.0740740740(7).
    const price = { numerator: 2_000n, denominator: 18n };
    expect(premiumE10(100, price, undefined)).toBe(1_111_111_111n);
    expect(premiumE10(120, undefined, price)).toBe(-740_740_740n);
  });
});
