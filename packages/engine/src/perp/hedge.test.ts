import { describe, expect, test } from 'vitest';
import { accountView, tradeCapacity } from '../read/read.ts';
import { holdingKey } from '../state/account.ts';
import { alice, bob, type OrderShape, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const ID = PERP.instrumentId;

function venueWith(funds = 1_000_000_000, parameters = {}): Scenario {
  const venue = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000_000, parameters });
  venue.fund(alice, funds);
  act(venue, alice, { type: 'updatePositionMode', mode: 'hedge' });
  return venue;
}

/** Trades at the mark with bob as alice's counterparty. */
function trade(venue: Scenario, isBuy: boolean, size: number, reduceOnly = false): void {
  venue.one(bob, { isBuy: !isBuy, price: PRICE, size });
  const order: OrderShape = { isBuy, reduceOnly, price: PRICE, size, timeInForce: 'ioc' };
  expect(venue.one(alice, order).state).toBe('filled');
}

const sizes = (venue: Scenario): number[] =>
  ([0, 1] as const).map((leg) => venue.account(alice).holdings.get(holdingKey(ID, leg))?.size ?? 0);
const initial = (venue: Scenario): bigint => accountView(venue.state, alice)!.initialMargin;

describe('R-hedge: side and reduce-only select an order’s leg', () => {
  test('side and reduce-only determine the leg of an order', () => {
    const venue = venueWith();
    trade(venue, true, 100);
    expect(sizes(venue)).toEqual([100, 0]);
    trade(venue, false, 60);
    expect(sizes(venue)).toEqual([100, -60]);
    trade(venue, false, 30, true);
    expect(sizes(venue)).toEqual([70, -60]);
    trade(venue, true, 20, true);
    expect(sizes(venue)).toEqual([70, -40]);
    // There are two positions, sorted by leg.
    const shown = accountView(venue.state, alice)!.positions.map(({ size }) => size);
    expect(shown).toEqual([70, -40]);
  });

  test('a closing order never opens the other leg and is rejected without a position in its leg', () => {
    const venue = venueWith();
    trade(venue, true, 100);
    const buy = { isBuy: true, reduceOnly: true, price: PRICE, size: 50 };
    expect(venue.one(alice, buy).reject?.reason).toBe('reduceOnlyIncreases');
    venue.one(bob, { price: PRICE, size: 300 });
    const sell = { isBuy: false, reduceOnly: true, price: PRICE, size: 300 };
    expect(venue.one(alice, sell)).toMatchObject({ filled: 100, clipped: { from: 300, to: 100 } });
    expect(sizes(venue)).toEqual([0, 0]);
  });

  test('R-reduce: resting closing orders count only against their own leg', () => {
    const venue = venueWith();
    trade(venue, true, 100);
    trade(venue, false, 100);
    const closeLong = { isBuy: false, reduceOnly: true, price: 1_100_000, size: 100 };
    expect(venue.one(alice, { ...closeLong, size: 60 }).state).toBe('open');
    expect(venue.one(alice, closeLong)).toMatchObject({ clipped: { from: 100, to: 40 } });
    expect(venue.one(alice, closeLong).reject?.reason).toBe('reduceOnlyIncreases');
    const closeShort = { isBuy: true, reduceOnly: true, price: 900_000, size: 100 };
    expect(venue.one(alice, closeShort).state).toBe('open');
    const [long, short] = ([0, 1] as const).map((leg) =>
      venue.account(alice).holdings.get(holdingKey(ID, leg)),
    );
    expect(long).toMatchObject({ reduceSell: 100, reduceBuy: 0, restingSell: 0 });
    expect(short).toMatchObject({ reduceSell: 0, reduceBuy: 100, restingBuy: 0 });
  });
});

describe('R-initial: margin in hedge mode covers both legs', () => {
  test('initial margin adds up both legs and their opening orders, excluding closing orders', () => {
    const venue = venueWith();
    trade(venue, true, 100);
    trade(venue, false, 60);
    expect(initial(venue)).toBe(8_000_000n);
    venue.one(alice, { price: 900_000, size: 40 });
    expect(initial(venue)).toBe(10_000_000n);
    venue.one(alice, { isBuy: false, price: 1_100_000, size: 20 });
    expect(initial(venue)).toBe(11_000_000n);
    venue.one(alice, { isBuy: false, reduceOnly: true, price: 1_100_000, size: 100 });
    venue.one(alice, { reduceOnly: true, price: 900_000, size: 60 });
    expect(initial(venue)).toBe(11_000_000n);
  });

  test('admission counts both of an account’s legs', () => {
    const venue = venueWith(6_045_000);
    trade(venue, true, 100);
    // The account has 6 USDC left. Selling 20 lots short needs 5 + 1 plus a fee of 0.009.
    expect(venue.one(alice, { isBuy: false, price: PRICE, size: 20 }).reject).toEqual({
      reason: 'marginInsufficient',
      required: 6_009_000n,
      available: 6_000_000n,
    });
    expect(tradeCapacity(venue.state, alice, ID)).toMatchObject({ maxBuy: 19, maxSell: 19 });
  });

  test('R-tiers: each leg has its own margin tier', () => {
    const venue = venueWith(100_000_000_000, { defaultLeverage: 50 });
    trade(venue, true, 100_000);
    trade(venue, false, 100_000);
    // Each leg is worth 100,000 USDC and in tier 1, with 2% initial margin, 1% maintenance margin
    // and a 0.5% fee. In tier 2, initial margin would be 5%.
    expect(accountView(venue.state, alice)).toMatchObject({
      initialMargin: 4_000_000_000n,
      maintenanceMargin: 2_000_000_000n,
      liquidationFee: 1_000_000_000n,
    });
    const most = { isBuy: true, price: 900_000, size: 9_900_010 };
    expect(venue.one(alice, most).reject?.reason).toBe('positionLimit');
  });
});

test('R-stp: an order for one leg cancels a crossing resting order for the other leg', () => {
  const venue = venueWith();
  const short = venue.one(alice, { isBuy: false, price: 1_010_000, size: 50 });
  venue.one(bob, { isBuy: false, price: 1_010_000, size: 50 });
  const result = act(venue, alice, {
    type: 'placeOrders',
    orders: [
      {
        instrumentId: ID,
        isBuy: true,
        reduceOnly: false,
        price: 1_010_000,
        size: 50,
        timeInForce: 'gtc',
      },
    ],
  });
  const ended = result.events.find(
    (event) => event.type === 'orderUpdated' && event.order.orderId === short.orderId,
  );
  expect(ended).toMatchObject({ status: 'cancelled', cancelCause: 'selfTrade' });
  expect(sizes(venue)).toEqual([50, 0]);
});

test('isolated legs have separate margins', () => {
  const venue = venueWith();
  act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
  trade(venue, true, 100);
  trade(venue, false, 100);
  const leg = (n: 0 | 1) => venue.account(alice).holdings.get(holdingKey(ID, n))!;
  expect([leg(0).isolatedMargin, leg(1).isolatedMargin]).toEqual([5_000_000n, 5_000_000n]);
  // At 96 the long leg is worth 1 with a risk of 1.44 and is liquidated, while the short leg has
  // gained.
  venue.fund(bob, 1);
  venue.one(bob, { price: 955_000, size: 100 });
  venue.wait(1_000).oracle(960_000);
  expect(sizes(venue)).toEqual([0, -100]);
  expect(leg(1).isolatedMargin).toBe(5_000_000n);
});
