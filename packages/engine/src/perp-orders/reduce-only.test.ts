import { describe, expect, test } from 'vitest';
import type { OrderUpdated } from '../messages/event.ts';
import { findOrder, openOrders } from '../read/read.ts';
import {
  alice,
  bob,
  carol,
  order,
  type OrderShape,
  Scenario,
} from '@oddlot/testing/engine/scenario';

const PRICE = 1_000_000;
const FAR = 1_100_000;

function aliceLong(size: number): Scenario {
  const scenario = Scenario.open();
  scenario.one(bob, { isBuy: false, price: PRICE, size });
  scenario.one(alice, { price: PRICE, size });
  return scenario;
}

const reduce = (price: number, size: number): OrderShape => ({
  isBuy: false,
  price,
  size,
  reduceOnly: true,
});

/** Returns the remaining sizes of alice's orders, oldest first. */
function left(scenario: Scenario): number[] {
  return openOrders(scenario.state, alice)
    .map(({ remaining }) => remaining)
    .reverse();
}

describe('R-reduce: a new reduce-only order is limited to the position', () => {
  test('a new reduce-only order is reduced to the position and reports it', () => {
    const scenario = aliceLong(30);
    const entry = scenario.one(alice, reduce(FAR, 50));
    expect(entry).toMatchObject({ state: 'open', clipped: { from: 50, to: 30 } });
    expect(findOrder(scenario.state, entry.orderId!)).toMatchObject({
      original: 30,
      remaining: 30,
    });
  });

  test('a reduce-only order gets the size left over by resting ones, and is rejected if nothing is left', () => {
    const scenario = aliceLong(30);
    expect(scenario.one(alice, reduce(FAR, 20)).clipped).toBeUndefined();
    expect(scenario.one(alice, reduce(FAR, 20)).clipped).toEqual({ from: 20, to: 10 });
    expect(scenario.one(alice, reduce(FAR, 20)).reject?.reason).toBe('reduceOnlyIncreases');
    // Orders that are not reduce-only do not count against the position.
    scenario.cancel(alice, 4);
    scenario.one(alice, { isBuy: false, price: FAR, size: 30 });
    expect(scenario.one(alice, reduce(FAR, 20)).clipped).toEqual({ from: 20, to: 10 });
  });

  test('a reduce-only order is rejected without a position and on the side that would increase it', () => {
    const scenario = aliceLong(30);
    const reject = { reason: 'reduceOnlyIncreases' };
    expect(scenario.one(carol, reduce(FAR, 20)).reject).toEqual(reject);
    const buy = { price: 900_000, size: 20, reduceOnly: true };
    expect(scenario.one(alice, buy).reject).toEqual(reject);
    // Bob is short, so he can buy but not sell.
    expect(scenario.one(bob, buy).state).toBe('open');
    expect(scenario.one(bob, reduce(FAR, 20)).reject).toEqual(reject);
  });

  test('a reduce-only order never reverses the position, whatever the size of the book', () => {
    const scenario = aliceLong(30);
    scenario.one(carol, { price: PRICE, size: 100 });
    const entry = scenario.one(alice, { ...reduce(PRICE, 100), timeInForce: 'ioc' });
    expect(entry).toMatchObject({ state: 'filled', filled: 30, clipped: { from: 100, to: 30 } });
    expect(scenario.position(alice)).toBe(0);
  });

  test('a partly filled reduce-only order’s remainder does not exceed the position', () => {
    const scenario = aliceLong(30);
    scenario.one(carol, { price: PRICE, size: 12 });
    const entry = scenario.one(alice, reduce(PRICE, 30));
    expect(entry).toMatchObject({ state: 'open', filled: 12 });
    expect(left(scenario)).toEqual([18]);
    expect(scenario.position(alice)).toBe(18);
  });

  test('a reduce-only order needs no margin', () => {
    const scenario = aliceLong(1_000);
    // At 5, 1,000 lots bought at 100 have lost 950 USDC, so alice has 49.55 of her 1,000 USDC left.
    scenario.oracle(50_000);
    const initial = scenario.one(alice, { price: 50_000, size: 20_000 });
    expect(initial.reject?.reason).toBe('marginInsufficient');
    expect(scenario.one(alice, reduce(50_000, 1_000)).state).toBe('open');
  });
});

describe('R-reduce: reduce-only orders shrink with the position', () => {
  test('the newest reduce-only order is reduced first, and cancelled at zero', () => {
    const scenario = aliceLong(30);
    scenario.one(alice, reduce(FAR, 10));
    scenario.one(alice, reduce(FAR, 15));
    scenario.one(carol, { price: PRICE, size: 40 });
    // After the sale, 30 − 18 = 12 lots remain for orders of 25, so the newest order loses 13.
    scenario.one(alice, { isBuy: false, price: PRICE, size: 18, timeInForce: 'ioc' });
    expect(left(scenario)).toEqual([10, 2]);
    // Now 12 − 10 = 2 lots remain for orders of 12, so the newest is cancelled and the other loses
    // 8.
    const authority = scenario.authority(alice);
    const orders = [order({ isBuy: false, price: PRICE, size: 10, timeInForce: 'ioc' })];
    const { events } = scenario.block({ type: 'placeOrders', authority, orders });
    expect(left(scenario)).toEqual([2]);
    const cuts = events
      .filter((event): event is OrderUpdated => event.type === 'orderUpdated')
      .filter((event) => event.order.reduceOnly)
      .map(({ order: { orderId, remaining, original }, status, cancelCause }) => ({
        orderId,
        remaining,
        original,
        status,
        cancelCause,
      }));
    expect(cuts).toEqual([
      { orderId: 4, remaining: 2, original: 2, status: 'cancelled', cancelCause: 'reduceOnly' },
      { orderId: 3, remaining: 2, original: 2, status: 'open', cancelCause: undefined },
    ]);
  });

  test('a growing position does not restore reduced orders', () => {
    const scenario = aliceLong(30);
    scenario.one(alice, reduce(FAR, 30));
    scenario.one(carol, { price: PRICE, size: 20 });
    scenario.one(alice, { isBuy: false, price: PRICE, size: 20, timeInForce: 'ioc' });
    scenario.one(bob, { isBuy: false, price: PRICE, size: 40 });
    scenario.one(alice, { price: PRICE, size: 40 });
    expect(scenario.position(alice)).toBe(50);
    expect(left(scenario)).toEqual([10]);
  });

  test('reversing a position cancels all reduce-only orders of the old side', () => {
    const scenario = aliceLong(20);
    scenario.one(alice, reduce(FAR, 20));
    scenario.one(carol, { price: PRICE, size: 45 });
    scenario.one(alice, { isBuy: false, price: PRICE, size: 45, timeInForce: 'ioc' });
    expect(scenario.position(alice)).toBe(-25);
    expect(left(scenario)).toEqual([]);
  });

  test('a maker’s reduce-only orders are reduced while a taker fills its other orders', () => {
    const scenario = aliceLong(30);
    scenario.one(alice, { isBuy: false, price: 1_000_100, size: 20 });
    scenario.one(alice, reduce(1_000_200, 20));
    scenario.one(alice, reduce(1_000_300, 10));
    // The 20 lots at the first price leave her 10 long: the third order is cancelled, and the
    // second keeps 10.
    const entry = scenario.one(carol, { price: 1_000_300, size: 45 });
    expect(entry).toMatchObject({ state: 'open', filled: 30 });
    // The notional is 20 × 1,000,100 + 10 × 1,000,200.
    expect(entry.filledNotional).toBe(30_004_000);
    expect(scenario.position(alice)).toBe(0);
    expect(left(scenario)).toEqual([]);
  });

  test('a partly filled order keeps its filled size when it is reduced', () => {
    const scenario = aliceLong(30);
    const { orderId } = scenario.one(alice, reduce(PRICE, 30));
    scenario.one(carol, { price: PRICE, size: 10 });
    expect(findOrder(scenario.state, orderId!)).toMatchObject({ filled: 10, remaining: 20 });
    scenario.one(carol, { price: 999_900, size: 15 });
    scenario.one(alice, { isBuy: false, price: 999_900, size: 15, timeInForce: 'ioc' });
    const cut = { filled: 10, remaining: 5, original: 15, filledNotional: 10_000_000 };
    expect(findOrder(scenario.state, orderId!)).toMatchObject(cut);
  });
});

test('R-stp: cancelling a reduce-only order of the same account makes its size available again', () => {
  const scenario = aliceLong(30);
  scenario.one(alice, reduce(PRICE, 30));
  const entry = scenario.one(alice, { price: PRICE, size: 20 });
  expect(entry).toMatchObject({ state: 'open', filled: 0 });
  expect(scenario.position(alice)).toBe(30);
  expect(scenario.one(alice, reduce(FAR, 30))).toMatchObject({ state: 'open' });
});
