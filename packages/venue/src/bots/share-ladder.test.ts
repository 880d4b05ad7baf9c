import { describe, expect, test } from 'vitest';
import type { BotMarket } from './fair-values.ts';
import { shareLadder, shareOrder, shareStep } from './ladder.ts';

const market = (grid: object = {}) =>
  ({
    unit: 10_000,
    definition: { szDecimals: 2, priceTick: 100, minOrderSize: 500, maxOrderSize: 10_000, ...grid },
  }) as unknown as BotMarket;

test.each([
  ['a hundredth', 100, 100],
  ['a finer tick', 10, 100],
  ['a tick that does not divide it', 40, 120],
  ['a coarser tick', 500, 500],
])(
  'the step between share rungs is near one hundredth, in whole ticks: %s',
  (_, priceTick, step) => {
    expect(shareStep(market({ priceTick }))).toBe(step);
  },
);

const shape = { levels: 2, makers: 2 };
const pricesOf = (anchor: number, maker: number, isBuy: boolean) =>
  shareLadder(market(), anchor, { ...shape, maker })
    .filter((rung) => rung.isBuy === isBuy)
    .map(({ price }) => price);

test('makers share the rungs of an outcome market and leave the middle one empty', () => {
  expect([pricesOf(50, 0, true), pricesOf(50, 1, true)]).toEqual([
    [4_900, 4_700],
    [4_800, 4_600],
  ]);
  expect([pricesOf(50, 0, false), pricesOf(50, 1, false)]).toEqual([
    [5_100, 5_300],
    [5_200, 5_400],
  ]);
});

test("R-reserve: rung prices stay between 0 and 1, and sizes within the market's limits", () => {
  expect(pricesOf(2, 0, true)).toEqual([100]);
  expect(pricesOf(98, 0, false)).toEqual([9_900]);
  const sizes = (grid: object) =>
    shareLadder(market(grid), 50, { levels: 9, maker: 0, makers: 1 }).map(({ size }) => size);
  expect(sizes({ minOrderSize: 9_000 }).every((size) => size >= 9_000)).toBe(true);
  expect(Math.max(...sizes({ maxOrderSize: 7_000 }))).toBe(7_000);
});

describe('R-one-book: each rung of the book has a single order', () => {
  const rung = (isBuy: boolean) => ({ isBuy, price: 3_000, size: 600 });
  test.each([
    ['a bid buys YES', true, { yes: 900, no: 599 }, { reduceOnly: false, price: 3_000 }],
    ['a bid sells held NO', true, { yes: 0, no: 600 }, { reduceOnly: true, price: 7_000 }],
    ['an ask buys NO', false, { yes: 599, no: 900 }, { reduceOnly: false, price: 7_000 }],
    ['an ask sells held YES', false, { yes: 600, no: 0 }, { reduceOnly: true, price: 3_000 }],
  ])('%s', (_, isBuy, free, expected) => {
    expect(shareOrder(rung(isBuy), { ...free }, 10_000)).toEqual({ isBuy, size: 600, ...expected });
  });

  test('shares sold by one rung are not available to the next', () => {
    const free = { yes: 1_000, no: 0 };
    expect(shareOrder(rung(false), free, 10_000).reduceOnly).toBe(true);
    expect(shareOrder(rung(false), free, 10_000).reduceOnly).toBe(false);
  });
});
