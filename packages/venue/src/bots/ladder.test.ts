import { openOrders } from '@oddlot/engine';
import { describe, expect, test } from 'vitest';
import { ALICE, BTC, TestVenue } from '@oddlot/testing/venue/ws/test-venue';
import { difference, gridStep, ladder } from './ladder.ts';

describe("a maker's grid step follows the price", () => {
  test.each([
    [970_000, 1, 194],
    [100_000, 500, 500],
    [18_000_000, 10, 3600],
  ])('for a price of %i with tick %i the grid step is %i', (price, tick, step) => {
    expect(gridStep(price, tick)).toBe(step);
  });
});

const shape = { step: 500, levels: 3, makers: 2 };

test('makers share the rungs of a perp and leave the middle one empty', () => {
  const first = ladder(BTC, 200, { ...shape, maker: 0 });
  const second = ladder(BTC, 200, { ...shape, maker: 1 });
  const prices = (isBuy: boolean) =>
    [...first, ...second]
      .filter((rung) => rung.isBuy === isBuy)
      .map(({ price }) => price)
      .toSorted((a, b) => a - b);
  expect(prices(true)).toEqual([97_000, 97_500, 98_000, 98_500, 99_000, 99_500]);
  expect(prices(false)).toEqual([100_500, 101_000, 101_500, 102_000, 102_500, 103_000]);
  for (const { size } of first) expect(size).toBeGreaterThan(0);
});

test('rungs with a negative price are omitted, and sizes stay within the maximum order size', () => {
  const rungs = ladder(BTC, 1, { ...shape, maker: 0 });
  expect(rungs.every(({ price }) => price > 0)).toBe(true);
  expect(rungs.every(({ size }) => size <= BTC.maxLimitOrderSize)).toBe(true);
});

test('a maker replaces only orders that are not on a requested rung or are more than half filled', () => {
  const venue = TestVenue.open();
  const rung = (price: number) => ({ isBuy: true, price, size: 1000 });
  venue.order(ALICE, { buy: true, price: 99, size: 1 });
  venue.order(ALICE, { buy: true, price: 98, size: 1 });
  venue.order(ALICE, { buy: true, price: 97, size: 0.4 });
  const live = openOrders(venue.state, ALICE);
  const { stale, missing } = difference([rung(99_000), rung(97_000), rung(99_500)], live);
  expect(stale.map(({ price }) => price).toSorted()).toEqual([97_000, 98_000]);
  expect(missing.map(({ price }) => price).toSorted()).toEqual([97_000, 99_500]);
  expect(
    difference(
      [rung(99_000)],
      live.filter(({ price }) => price === 99_000),
    ),
  ).toEqual({
    stale: [],
    missing: [],
  });
});
