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

describe('R-funding: the premium determines the hourly rate', () => {
  test.each([
    // The rows are the rulebook's test vectors for the premium P and the rate, both in 10^-10.
    [-5_591_732n, -73_966],
    [-4_000_000n, 125_000],
    [0n, 125_000],
    [6_000_000n, 125_000],
    [100_000_000n, 11_875_000],
    [5_000_000_000n, 400_000_000],
    [-5_000_000_000n, -400_000_000],
    // These values are one unit outside the range in which only the interest is paid.
    [6_000_001n, 125_000],
    [6_000_004n, 125_001],
    [-4_000_004n, 125_000],
    [-4_000_005n, 124_999],
  ])('a premium of %s gives a funding rate of %s', (premium, rate) => {
    expect(fundingRateE10(premium, PARAMETERS)).toBe(rate);
  });

  test('a tie of the funding rate rounds towards plus infinity on both sides of zero', () => {
    // F8h = 12 gives 1.5, and F8h = −12 gives −1.5.
    const bare = { ...PARAMETERS, fundingInterestE10: 0, fundingDamperE10: 0 };
    expect(fundingRateE10(12n, bare)).toBe(2);
    expect(fundingRateE10(-12n, bare)).toBe(-1);
  });

  test('the average premium over an hour rounds towards zero', () => {
    expect(hourPremiumE10(1_439n)).toBe(1n);
    expect(hourPremiumE10(-1_439n)).toBe(-1n);
    expect(hourPremiumE10(-1_440n)).toBe(-2n);
  });
});

describe('R-funding, R-rounding: payments round against the account', () => {
  test.each([
    // At 1,000,001 and a rate of 0.0000125, 2 lots pay 25.000025 micro-USDC.
    [2, 1_000_001, 125_000, -26n],
    [-1, 1_000_001, 125_000, 12n],
    [2, 1_000_001, -125_000, 25n],
    [-1, 1_000_001, -125_000, -13n],
    [8, 1_000_000, 125_000, -100n],
    [-8, 1_000_000, 125_000, 100n],
    [5, 1_000_000, 0, 0n],
  ])('%i lots at %i and a rate of %i receive %s', (size, oracle, rate, amount) => {
    expect(fundingAmount(size, oracle, rate, { lots: 8, ofFund: 0 })).toBe(amount);
  });

  test('R-insurance-fund: receivers do not get the funding that the fund would owe, and amounts are rounded once', () => {
    // In the rulebook's example, the fund has 1,000 of 1,500 long lots, of 0.01 each, at 100.
    const paying = { lots: 1_500, ofFund: 1_000 };
    expect(fundingAmount(500, 1_000_000, 11_875_000, paying)).toBe(-593_750n);
    expect(fundingAmount(-1_500, 1_000_000, 11_875_000, paying)).toBe(593_750n);
    // The amount is 7 × 1,000,001 × 0.0000125 × 2 / 3 = 58.33…, which is rounded only once.
    expect(fundingAmount(-7, 1_000_001, 125_000, { lots: 3, ofFund: 1 })).toBe(58n);
    expect(fundingAmount(-7, 1_000_001, 125_000, { lots: 7, ofFund: 7 })).toBe(0n);
  });
});

/** Returns a book with one order at each of the given levels, which are pairs of price and lots. */
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

describe('R-funding: the impact price is the average price of a market order', () => {
  test('the impact price in one deep level is the price of that level', () => {
    const price = impactPrice(book(false, [[105, 1_000]]), false, 6_000);
    expect(shownImpact(price)).toBe(105);
    expect(price).toEqual({ numerator: 630_000n, denominator: 6_000n });
  });

  test('the impact price is the value divided by the lots, using a fraction of the last level', () => {
    // At 100, 10 lots are worth 1,000. The other 1,000 buy 1,000 / 125 = 8 lots, so the price is
    // 2,000 / 18.
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

  test('a side must be worth at least the impact notional to have an impact price', () => {
    expect(impactPrice(book(true, [[100, 10]]), true, 1_000)).toBeDefined();
    expect(impactPrice(book(true, [[100, 9]]), true, 1_000)).toBeUndefined();
    expect(impactPrice(book(true, []), true, 1_000)).toBeUndefined();
  });

  test('the impact price reads as many levels as necessary', () => {
    const levels = Array.from({ length: 500 }, (_, n) => [1_000 - n, 1] as const);
    // The 500 lots are worth 1,000 + 999 + … + 501 = 375,250.
    const price = impactPrice(book(true, levels), true, 375_250);
    expect(shownImpact(price)).toBe(751);
    expect(impactPrice(book(true, levels), true, 375_251)).toBeUndefined();
  });
});

describe('R-funding: the premium is computed from the impact prices', () => {
  const at = (price: bigint) => ({ numerator: price, denominator: 1n });

  test.each([
    // The rows are the rulebook's examples at an oracle price of 100: mark, bid, ask, premium and
    // rate.
    [10_040n, 10_060n, 0n, 40_000_000n, 4_375_000],
    [10_040n, 10_030n, 0n, 30_000_000n, 3_125_000],
    [10_118n, 10_150n, 0n, 100_000_000n, 11_875_000],
    [10_000n, 17_000n, 0n, 0n, 125_000],
    [9_920n, 0n, 9_800n, -80_000_000n, -9_375_000],
    // Some of these rows mirror the capped one; others use the other side of the mark or have only
    // one side.
    [9_882n, 0n, 9_850n, -100_000_000n, -11_875_000],
    [10_040n, 0n, 9_900n, 0n, 125_000],
    [9_960n, 10_100n, 0n, 0n, 125_000],
    [10_040n, 0n, 0n, 0n, 125_000],
    [9_960n, 0n, 0n, 0n, 125_000],
  ])(
    'at a mark of %s, a bid at %s and an ask at %s the premium is %s',
    (mark, bid, ask, expected, rate) => {
      const [impactBid, impactAsk] = [bid, ask].map((price) =>
        price === 0n ? undefined : at(price),
      );
      const perp = { mark: Number(mark), oracle: 10_000, definition: {} };
      expect(premiumE10(perp, impactBid, impactAsk)).toBe(expected);
      expect(fundingRateE10(expected, PARAMETERS)).toBe(rate);
    },
  );

  test('the premium is limited by the instrument’s premium cap', () => {
    const perp = { mark: 12_000, oracle: 10_000, definition: { premiumCapE8: 5_000_000 } };
    expect(premiumE10(perp, at(13_000n), undefined)).toBe(500_000_000n);
    expect(premiumE10({ ...perp, mark: 9_000 }, undefined, at(8_000n))).toBe(-500_000_000n);
    const none = { ...perp, definition: { premiumCapE8: 0 } };
    expect(premiumE10(none, at(13_000n), undefined)).toBe(0n);
  });

  test('the premium is computed from the exact average and rounds towards zero', () => {
    // The price of 2,000 / 18 = 111.11… gives 0.1111111111(1) at an oracle of 100 and
    // −0.0740740740(7) at 120.
    const price = { numerator: 2_000n, denominator: 18n };
    const definition = { premiumCapE8: 50_000_000 };
    expect(premiumE10({ mark: 130, oracle: 100, definition }, price, undefined)).toBe(
      1_111_111_111n,
    );
    expect(premiumE10({ mark: 100, oracle: 120, definition }, undefined, price)).toBe(
      -740_740_740n,
    );
  });
});
