import { type Address, microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { postToBalance } from '../ledger/post.ts';
import type { BlockResult } from '../messages/block.ts';
import type { Deleveraged, LiquidationStep } from '../messages/event.ts';
import { noteFundCost } from '../perp/insurance-fund.ts';
import {
  closesOf,
  deal,
  FUND,
  jumpPrices,
  money,
  openGap,
  px,
  setReserves,
  worth,
  X,
  Z,
} from '@oddlot/testing/engine/gaps';
import { actor, type Scenario } from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, group, waiting } from '@oddlot/testing/engine/waiting';

const [a, b, c, d, j, k] = [0xa, 0xb, 0xc, 0xd, 0xe, 0xf].map(actor) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
];

const steps = ({ events }: BlockResult): LiquidationStep[] =>
  events.filter((event) => event.type === 'liquidationStep');
const orderResults = (result: BlockResult): (readonly [Address, string, number | undefined])[] =>
  steps(result).map(({ account, price, step }) => [account, step, price]);
const notices = ({ events }: BlockResult): (readonly [Address, number, number])[] =>
  events
    .filter((event): event is Deleveraged => event.type === 'deleveraged')
    .map(({ account, price, size }) => [account, size, price]);

function funded(venue: Scenario, amounts: readonly (readonly [Address, number])[]): void {
  for (const [address, usdc] of amounts) venue.fund(address, usdc * 1_000_000);
}

/**
 * At 100, j has 1,200 and is long 100 X and short 100 Z; k has 520 and is long 100 Z; b has 5,000
 * and is short 100 X.
 */
function chained(isIsolated = false): Scenario {
  const venue = openGap();
  funded(venue, [
    [j, 1_200],
    [k, 520],
    [b, 5_000],
  ]);
  const marginMode = isIsolated ? 'isolated' : 'cross';
  act(venue, b, { type: 'updateMarginMode', instrumentId: X, marginMode });
  deal(venue, [j, b], X);
  deal(venue, [k, j], Z);
  return venue;
}

describe('R-liquidation: a price gap is settled before triggers fire and other accounts are liquidated', () => {
  // X falls to 75 and Z to 92. j has 1,200 − 2,500 + 800 = −500, all of it lost in X, which closes
  // with b at 75 + 5 = 80. k has 520 − 800 = −280 and closes at 92 + 2.80 with j, whose equity
  // falls from 0 to −280. X is therefore repriced at 80 + 2.80. b has 5,000 + 100 × (100 − 82.80) =
  // 6,720 = 1,200 + 520 + 5,000.
  test.each([false, true])(
    'a close that causes another loss is priced again (b isolated: %s)',
    (isIsolated) => {
      const venue = chained(isIsolated);
      const result = jumpPrices(venue, 75, 92);
      expect(orderResults(result)).toEqual([
        [j, 'adl', px(80)],
        [k, 'adl', px(94.8)],
      ]);
      expect([j, k, b, FUND].map((each) => worth(venue, each))).toEqual([0n, 0n, money(6_720), 0n]);
      expect([j, k, b].map((each) => venue.position(each, X) + venue.position(each, Z))).toEqual([
        0, 0, 0,
      ]);
      // The block's first events are corrected in place, so they show the final price.
      expect(closesOf(result, j)).toEqual([
        [-10_000, px(82.8)],
        [10_000, px(94.8)],
      ]);
      expect(closesOf(result, b)).toEqual([[10_000, px(82.8)]]);
      expect(notices(result)).toEqual([
        [b, 10_000, px(82.8)],
        [j, 10_000, px(94.8)],
      ]);
      const traded = result.events.filter((event) => event.type === 'positionTraded');
      expect(traded.map(({ account, realised }) => [account, realised])).toEqual([
        [b, money(1_720)],
        [j, money(-1_720)],
        [j, money(520)],
        [k, money(-520)],
      ]);
      expect(venue.state.liquidations.size).toBe(0);
      checkRestarts(venue);
    },
  );

  // The fund has 100,000 and has paid 4,500 for Z within the hour. It takes X from j, which could
  // cost at most 2,500, but not Z from k, which could cost 800 and thus exceed the limit of 5,000
  // for Z.
  test('the fund pays its part of a corrected price', () => {
    const venue = chained();
    setReserves(venue, 100_000);
    noteFundCost(venue.state, Z, microUsdc(money(4_500)));
    const result = jumpPrices(venue, 75, 92);
    expect(orderResults(result)).toEqual([
      [j, 'insurance', px(80)],
      [k, 'adl', px(94.8)],
    ]);
    expect([j, k].map((each) => worth(venue, each))).toEqual([0n, 0n]);
    // The fund paid 8,280 for 100 X worth 7,500; b keeps its position.
    expect(venue.holding(FUND, X)).toMatchObject({ size: 10_000, cost: money(8_280) });
    expect(worth(venue, FUND)).toBe(money(100_000 - 780));
    expect(worth(venue, b)).toBe(money(7_500));
    expect(closesOf(result, FUND)).toEqual([[10_000, px(82.8)]]);
    expect(venue.state.fundCosts.of(venue.nowMs, X)).toBe(money(780));
  });

  // Account a has 1,000 − 2,000 = −1,000, and X closes with b at 80 + 10. b has 1,100 + 2,000 −
  // 2,500 = 600 before and −400 after, so its Z closes with c at 75 + 4. c gains 100 × (100 − 79) =
  // 2,100, which is all that a and b had.
  test('an account made insolvent by a close is settled in the same step', () => {
    const venue = openGap();
    funded(venue, [
      [a, 1_000],
      [b, 1_100],
      [c, 50_000],
    ]);
    deal(venue, [a, b], X);
    deal(venue, [b, c], Z);
    const result = jumpPrices(venue, 80, 75);
    expect(orderResults(result)).toEqual([
      [a, 'adl', px(90)],
      [b, 'adl', px(79)],
    ]);
    expect([a, b, c].map((each) => worth(venue, each))).toEqual([0n, 0n, money(52_100)]);
    expect(worth(venue, FUND)).toBe(0n);
  });

  // At 80 each loses 2,000: a and b have −1,000 and are settled in order of address, before c with
  // −900.
  test('insolvent accounts are settled in order of equity, lowest first, then address', () => {
    const venue = openGap();
    funded(venue, [
      [a, 1_000],
      [b, 1_000],
      [c, 1_100],
      [d, 500_000],
    ]);
    for (const long of [c, b, a]) deal(venue, [long, d], X);
    expect(orderResults(jumpPrices(venue, 80, 100)).map(([account]) => account)).toEqual([a, b, c]);
  });

  // Account b gained 2,000 with X and lost 2,950 with Z. It has 1,010 − 950 = 60, below 1.5% of
  // 3,000 + 2,050 = 75.75, so its ratio is below 1. It is nevertheless deleveraged, and ranks
  // before c, which has the same gain and is safe.
  test('R-adl: a loss in another position does not exempt an account from deleveraging', () => {
    const venue = openGap();
    funded(venue, [
      [a, 1_000],
      [b, 1_010],
      [c, 50_000],
      [d, 50_000],
    ]);
    deal(venue, [a, b], X, 50);
    deal(venue, [a, c], X, 50);
    deal(venue, [b, d], Z, 50);
    const result = jumpPrices(venue, 60, 41);
    // Account a has 1,000 − 4,000 = −3,000, so its price is 60 + 30 = 90. b then has 60 − 1,500 =
    // −1,440, so its price is 41 + 28.80.
    expect(notices(result)).toEqual([
      [b, 5_000, px(90)],
      [c, 5_000, px(90)],
      [d, 5_000, px(69.8)],
    ]);
    expect([a, b].map((each) => worth(venue, each))).toEqual([0n, 0n]);
  });

  // Account b has no equity: 1,010 + 2,000 − 3,010 = 0. c has the same gain with 2,560 of equity. b
  // ranks first, because without equity its rank is infinite.
  test('R-adl: an account without equity ranks first if its position has a gain', () => {
    const venue = openGap();
    funded(venue, [
      [a, 1_000],
      [b, 1_010],
      [c, 560],
      [d, 50_000],
    ]);
    deal(venue, [a, b], X, 50);
    deal(venue, [a, c], X, 50);
    deal(venue, [b, d], Z, 50);
    expect(notices(jumpPrices(venue, 60, 39.8))[0]).toEqual([b, 5_000, px(90)]);
  });

  // The position lost 1 per coin since the last valid mark, so no account pays more than 99 + 1. Of
  // its deficit of 600, the fund covers 500, which cannot be charged (R-deficit).
  test('R-bankruptcy-price: other accounts pay at most the loss of the position', () => {
    const venue = openGap();
    funded(venue, [
      [a, 1_000],
      [b, 50_000],
    ]);
    deal(venue, [a, b], X);
    setReserves(venue, 0, 700);
    postToBalance(venue.state, venue.account(a), microUsdc(-money(1_500)));
    postToBalance(venue.state, venue.account(b), microUsdc(money(1_500)));
    const result = jumpPrices(venue, 99, 100);
    expect(orderResults(result)).toEqual([[a, 'adl', px(100)]]);
    expect([a, b].map((each) => worth(venue, each))).toEqual([0n, money(51_500)]);
    expect([worth(venue, FUND), venue.state.treasury]).toEqual([0n, money(200)]);
  });

  // Account j lost 3,000 with X and is short Z, whose price did not move. Account k is long Z and
  // does not pay for X.
  test('settling a gap closes only losing positions', () => {
    const venue = chained();
    const result = jumpPrices(venue, 70, 100);
    // Account j has 1,200 − 3,000 = −1,800, so X closes at 70 + 18 = 88. Z has no margin left and
    // closes at the mark in the same block, but only after the triggers.
    expect(orderResults(result).slice(0, 1)).toEqual([[j, 'adl', px(88)]]);
    expect(notices(result)).toContainEqual([k, 10_000, px(100)]);
    expect([j, k].map((each) => worth(venue, each))).toEqual([0n, money(520)]);
  });
});

describe('R-adl: lots opened in the current block are not deleveraged', () => {
  // Account a is long 10 coins with 60; at 94.5, 5 remain, below two thirds of 9.45. b takes its
  // profit from c in step (6). In step (7) only c is short, and its lots are new, so a waits for
  // the next block.
  test('an account that sold to a trigger is not deleveraged until the next block', () => {
    const venue = openGap();
    funded(venue, [
      [a, 60],
      [b, 5_000],
      [c, 5_000],
    ]);
    deal(venue, [a, b], X, 10);
    const exit = { kind: 'takeProfit', price: px(94.6) } as const;
    group(venue, b, 'none', waiting(exit, { isBuy: true, size: 1_000 }));
    venue.one(c, { isBuy: false, price: px(94.5), size: 1_000 });
    const first = jumpPrices(venue, 94.5, 100);
    expect([a, b, c].map((each) => venue.position(each))).toEqual([1_000, 0, -1_000]);
    expect(notices(first)).toEqual([]);
    const second = jumpPrices(venue, 94.5, 100);
    expect([a, c].map((each) => venue.position(each))).toEqual([0, 0]);
    // The bankruptcy price is 94.5 − 5 / 10 = 94.
    expect(notices(second)).toEqual([[c, 1_000, px(94)]]);
  });

  // The price falls to 90 and makes `a` insolvent, so `b` pays at 90 + 4 = 94 before its take-profit
  // fires.
  test('a price gap is settled before triggers fire', () => {
    const venue = openGap();
    funded(venue, [
      [a, 60],
      [b, 5_000],
      [c, 5_000],
    ]);
    deal(venue, [a, b], X, 10);
    const exit = { kind: 'takeProfit', price: px(94.6) } as const;
    group(venue, b, 'none', waiting(exit, { isBuy: true, size: 1_000 }));
    venue.one(c, { isBuy: false, price: px(90), size: 1_000 });
    const result = jumpPrices(venue, 90, 100);
    expect(notices(result)).toEqual([[b, 1_000, px(94)]]);
    expect([a, b, c].map((each) => venue.position(each))).toEqual([0, 0, 0]);
    expect([a, b, c].map((each) => worth(venue, each))).toEqual([0n, money(5_060), money(5_000)]);
  });
});
