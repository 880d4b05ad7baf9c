import { instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { MarginMode } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { accountView } from '../read/read.ts';
import { holdingKey } from '../state/account.ts';
import { alice, bob, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act, group, waiting } from '@oddlot/testing/engine/waiting';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const ID = PERP.instrumentId;

function set(
  venue: Scenario,
  leverage: number,
  marginMode?: MarginMode,
  id = ID,
): Reject | undefined {
  const mode = marginMode === undefined ? {} : { marginMode };
  return act(venue, alice, { type: 'updateLeverage', instrumentId: id, leverage, ...mode })
    .outcomes[0]?.reject;
}

function venueWith(funds: number): Scenario {
  const venue = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000 });
  venue.fund(alice, funds);
  return venue;
}

function long(venue: Scenario, size: number): void {
  venue.one(bob, { isBuy: false, price: PRICE, size });
  expect(venue.one(alice, { price: PRICE, size }).state).toBe('filled');
}

function isolate(venue: Scenario): void {
  act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
}

const hedge = { type: 'updatePositionMode', mode: 'hedge' } as const;

describe('R-leverage: leverage changes are rejected with the first check they fail', () => {
  test('an unlisted instrument is rejected before the leverage is checked', () => {
    const venue = venueWith(1_000_000_000);
    expect(set(venue, 0, undefined, instrumentId(9))).toEqual({
      reason: 'instrumentUnknown',
      instrumentId: 9,
    });
  });

  test.each([
    { leverage: 0, mode: 'cross', isHedged: false },
    { leverage: 0, mode: 'isolated', isHedged: true },
    { leverage: -5, mode: 'cross', isHedged: false },
    { leverage: -5, mode: 'isolated', isHedged: false },
    { leverage: -5, mode: 'cross', isHedged: true },
  ] as const)(
    'leverage $leverage is rejected in $mode mode (hedge: $isHedged)',
    ({ leverage, mode, isHedged }) => {
      const venue = venueWith(1_000_000_000);
      if (isHedged) act(venue, alice, hedge);
      venue.one(alice, { price: 900_000, size: 100 });
      expect(set(venue, leverage, mode)).toEqual({ reason: 'leverageInvalid', leverage });
    },
  );

  test('a leverage change is checked for open orders, TP/SL, triggers, the tier and the margin, in that order', () => {
    const venue = venueWith(10_000_000);
    long(venue, 100);
    const stop = waiting({ price: 900_000 });
    const exit = { kind: 'stopLoss', price: 900_000, isMarket: true } as const;
    group(venue, alice, 'none', stop);
    const child = order({
      isBuy: false,
      reduceOnly: true,
      price: 900_000,
      size: 100,
      trigger: exit,
    });
    group(venue, alice, 'position', child);
    const resting = venue.one(alice, { isBuy: false, price: 1_100_000, size: 100 });
    const reasons: (string | undefined)[] = [];
    const note = () => reasons.push(set(venue, 51)?.reason);
    note();
    venue.cancel(alice, resting.orderId!);
    note();
    const [first, second] = [...venue.state.triggers.all()].sort((a, b) => a.orderId - b.orderId);
    venue.cancel(alice, second!.orderId);
    note();
    venue.cancel(alice, first!.orderId);
    note();
    expect(reasons).toEqual([
      'leverageOpenOrders',
      'leverageTpslOrders',
      'leverageTriggerOrders',
      'leverageTooHigh',
    ]);
    // A position of 100 USDC at 10× needs 10 of margin, and alice has 9.955.
    expect(set(venue, 10)).toEqual({
      reason: 'marginInsufficient',
      required: 10_000_000n,
      available: 9_955_000n,
    });
    // The margin is 100 / 11 = 9.0909091, rounded up.
    expect(set(venue, 11)).toBeUndefined();
    expect(accountView(venue.state, alice)?.initialMargin).toBe(9_090_910n);
  });

  test('leverage is limited by the position’s tier: 50× in the first, 20× in the second', () => {
    const venue = venueWith(100_000_000_000);
    expect(set(venue, 51)).toEqual({ reason: 'leverageTooHigh', instrumentId: ID, max: 50 });
    expect(set(venue, 50)).toBeUndefined();
    long(venue, 100_010);
    expect(set(venue, 21)).toEqual({ reason: 'leverageTooHigh', instrumentId: ID, max: 20 });
    expect(set(venue, 20)).toBeUndefined();
  });

  test('orders and positions of the other margin mode or another instrument do not limit leverage', () => {
    const venue = venueWith(10_000_000);
    long(venue, 100);
    venue.one(alice, { isBuy: false, price: 1_100_000, size: 50 });
    expect(set(venue, 1, 'isolated')).toBeUndefined();
    expect(venue.account(alice).settings.get(ID)).toEqual({
      isIsolated: false,
      crossLeverage: 20,
      isolatedLeverage: [1, 1],
    });
    expect(venue.holding(alice)).toMatchObject({ isIsolated: false, leverage: 20 });
  });

  test('higher leverage is accepted even if margin is insufficient', () => {
    const venue = venueWith(10_000_000);
    long(venue, 100);
    // At 92, the position has an equity of 1.955 against a requirement of 4.6 at 20× and 2.3 at
    // 40×.
    venue.oracle(920_000);
    expect(set(venue, 19)?.reason).toBe('marginInsufficient');
    expect(set(venue, 40)).toBeUndefined();
    expect(accountView(venue.state, alice)?.initialMargin).toBe(2_300_000n);
  });
});

describe('R-isolated: a leverage change moves the missing margin into an isolated position', () => {
  test('lower leverage takes the missing margin from the cross balance, and higher leverage releases no margin', () => {
    const venue = venueWith(1_000_000_000);
    isolate(venue);
    long(venue, 100);
    // The position used 5 in margin and 0.045 in fees.
    expect(venue.balance(alice)).toBe(994_955_000n);
    expect(set(venue, 10)).toBeUndefined();
    expect(venue.holding(alice)).toMatchObject({ isolatedMargin: 10_000_000n, leverage: 10 });
    expect(venue.balance(alice)).toBe(989_955_000n);
    expect(set(venue, 50)).toBeUndefined();
    expect(venue.holding(alice)).toMatchObject({ isolatedMargin: 10_000_000n, leverage: 50 });
    expect(venue.balance(alice)).toBe(989_955_000n);
    // Back at 20×, the margin is 10, more than the required 5.
    expect(set(venue, 20)).toBeUndefined();
    expect(venue.holding(alice).isolatedMargin).toBe(10_000_000n);
  });

  test('the missing margin of a position includes its profit or loss', () => {
    const venue = venueWith(1_000_000_000);
    isolate(venue);
    long(venue, 100);
    // At 102, 10× needs 10.2. The position has 5 + 2, so 3.2 more is needed.
    venue.oracle(1_020_000);
    expect(set(venue, 10)).toBeUndefined();
    expect(venue.holding(alice).isolatedMargin).toBe(8_200_000n);
    expect(venue.balance(alice)).toBe(991_755_000n);
  });

  test('lower leverage is rejected if free cross margin is insufficient', () => {
    const venue = venueWith(9_000_000);
    isolate(venue);
    long(venue, 100);
    expect(set(venue, 10)).toEqual({
      reason: 'marginInsufficient',
      required: 5_000_000n,
      available: 3_955_000n,
    });
    expect(venue.holding(alice)).toMatchObject({ isolatedMargin: 5_000_000n, leverage: 20 });
    // The margin of 100 / 12 rounds up to 8.333334, so 3.333334 more is needed.
    expect(set(venue, 12)).toBeUndefined();
    expect(venue.balance(alice)).toBe(621_666n);
  });

  test('R-hedge: the sign of the leverage selects the side, and each leg has its own leverage', () => {
    const venue = venueWith(1_000_000_000);
    act(venue, alice, hedge);
    isolate(venue);
    long(venue, 100);
    venue.one(bob, { price: PRICE, size: 60 });
    venue.one(alice, { isBuy: false, price: PRICE, size: 60 });
    const leg = (n: 0 | 1) => venue.account(alice).holdings.get(holdingKey(ID, n))!;
    expect([leg(0).isolatedMargin, leg(1).isolatedMargin]).toEqual([5_000_000n, 3_000_000n]);
    expect(set(venue, -10)).toBeUndefined();
    expect([leg(0).leverage, leg(1).leverage]).toEqual([20, 10]);
    expect([leg(0).isolatedMargin, leg(1).isolatedMargin]).toEqual([5_000_000n, 6_000_000n]);
    expect(set(venue, 5)).toBeUndefined();
    expect([leg(0).leverage, leg(1).leverage]).toEqual([5, 10]);
    expect([leg(0).isolatedMargin, leg(1).isolatedMargin]).toEqual([20_000_000n, 6_000_000n]);
  });
});

describe('R-leverage: one command can change both the leverage and the margin mode', () => {
  const change = (venue: Scenario, leverage: number, marginMode: MarginMode) =>
    act(venue, alice, {
      type: 'updateLeverage',
      instrumentId: ID,
      leverage,
      marginMode,
      switchesMode: true,
    }).outcomes[0]?.reject;
  const settings = (venue: Scenario) => venue.account(alice).settings.get(ID);

  test('the leverage and the margin mode change together', () => {
    const venue = venueWith(1_000_000_000);
    expect(change(venue, 7, 'isolated')).toBeUndefined();
    expect(settings(venue)).toMatchObject({ isIsolated: true, isolatedLeverage: [7, 7] });
    expect(change(venue, 3, 'cross')).toBeUndefined();
    expect(settings(venue)).toMatchObject({ isIsolated: false, crossLeverage: 3 });
  });

  test('with an open order, setting the same leverage and mode succeeds and another leverage is rejected', () => {
    const venue = venueWith(1_000_000_000);
    venue.one(alice, { price: PRICE / 2, size: 20 });
    expect(change(venue, 20, 'cross')).toBeUndefined();
    expect(change(venue, 19, 'cross')?.reason).toBe('leverageOpenOrders');
  });

  test('a position or an order prevents a margin mode switch, including its leverage change', () => {
    const venue = venueWith(1_000_000_000);
    venue.one(alice, { price: PRICE / 2, size: 20 });
    expect(change(venue, 7, 'isolated')?.reason).toBe('marginModeOpenOrders');
    long(venue, 20);
    expect(change(venue, 7, 'isolated')?.reason).toBe('marginModeOpenPositions');
    expect(settings(venue)?.isIsolated ?? false).toBe(false);
  });
});
