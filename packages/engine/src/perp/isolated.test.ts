import { describe, expect, test } from 'vitest';
import { checkInvariants } from '../check-invariants.ts';
import { tradeOffBook } from '../liquidation/trade-off-book.ts';
import { TIMER } from '../messages/event.ts';
import { openOrders } from '../read/read.ts';
import {
  alice,
  bob,
  carol,
  type OrderShape,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';

/** At this price, one lot is worth 1 USDC; it is the mark unless a test sets another one. */
const PRICE = 1_000_000;
const ID = PERP.instrumentId;

/**
 * Returns a venue where alice trades with isolated margin at 20× and has these funds, and bob and
 * carol have ample funds.
 */
function venueWith(funds = 1_000_000_000): Scenario {
  const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
  venue.fund(alice, funds);
  act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
  return venue;
}

/** Opens a 100-lot long at 100 for alice with a margin of 5 USDC and a fee of 0.045. */
function aliceLong(funds = 1_000_000_000): Scenario {
  const venue = venueWith(funds);
  venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
  expect(venue.one(alice, { price: PRICE, size: 100 }).state).toBe('filled');
  expect(venue.holding(alice).isolatedMargin).toBe(5_000_000n);
  expect(venue.balance(alice)).toBe(BigInt(funds) - 5_045_000n);
  return venue;
}

describe('R-isolated: an opening order reserves its margin, loss and fee', () => {
  // An order for 100 lots reserves a margin of 5 USDC, the immediate loss, and 0.045% of the value
  // at the limit.
  test.each([
    { isBuy: true, price: 1_000_000, reserve: 5_045_000n, why: 'at the mark' },
    { isBuy: true, price: 1_010_000, reserve: 6_045_450n, why: 'a buy above it loses 1' },
    { isBuy: true, price: 990_000, reserve: 5_044_550n, why: 'a buy below it loses nothing' },
    { isBuy: false, price: 990_000, reserve: 6_044_550n, why: 'a sale below it loses 1' },
    { isBuy: false, price: 1_010_000, reserve: 5_045_450n, why: 'a sale above it loses nothing' },
  ])('an opening order reserves $reserve: $why', ({ isBuy, price, reserve }) => {
    const venue = venueWith();
    const { orderId } = venue.one(alice, { isBuy, price, size: 100 });
    expect(venue.balance(alice)).toBe(1_000_000_000n - reserve);
    expect(venue.holding(alice).reserved).toBe(reserve);
    venue.cancel(alice, orderId!);
    expect(venue.balance(alice)).toBe(1_000_000_000n);
    expect(venue.holding(alice).reserved).toBe(0n);
    const border = venueWith(Number(reserve) - 1);
    expect(border.one(alice, { isBuy, price, size: 100 }).reject).toEqual({
      reason: 'marginInsufficient',
      required: reserve,
      available: reserve - 1n,
    });
    expect(venueWith(Number(reserve)).one(alice, { isBuy, price, size: 100 }).state).toBe('open');
  });

  test('only orders that increase the worst-case exposure have a reserve', () => {
    const venue = aliceLong();
    venue.one(alice, { isBuy: false, price: 1_010_000, size: 100, reduceOnly: true });
    expect(venue.holding(alice).reserved).toBe(0n);
    venue.one(alice, { isBuy: false, price: 1_010_000, size: 200 });
    expect(venue.holding(alice).reserved).toBe(0n);
    // The exposure of 100 − 220 = −120 is 20 more than 100, which needs a margin of 1 plus 0.045%
    // of 20.2.
    venue.one(alice, { isBuy: false, price: 1_010_000, size: 20 });
    expect(venue.holding(alice).reserved).toBe(1_009_090n);
  });

  test('the tier of the exposure limits the leverage used for the reserve', () => {
    const venue = venueWith(100_000_000_000);
    const isolated = { instrumentId: ID, marginMode: 'isolated' } as const;
    act(venue, alice, { type: 'updateLeverage', ...isolated, leverage: 50 });
    // At the 20× of tier 2, 100,010 lots need 5,000.5, and the fee is 0.045% of 100,010 = 45.0045.
    venue.one(alice, { price: PRICE, size: 100_010 });
    expect(venue.holding(alice).reserved).toBe(5_045_504_500n);
  });

  test('the fills of an order that reaches another tier are checked as one', () => {
    // At the 20× of tier 2, 150,000 lots need exactly 7,500, and the fee is 0.045% of 150,000 =
    // 67.5.
    const venue = venueWith(7_567_500_000);
    const isolated = { instrumentId: ID, marginMode: 'isolated' } as const;
    act(venue, alice, { type: 'updateLeverage', ...isolated, leverage: 50 });
    venue.one(bob, { isBuy: false, price: PRICE, size: 90_001 });
    venue.one(carol, { isBuy: false, price: PRICE, size: 59_999 });
    const entry = venue.one(alice, { price: PRICE, size: 150_000 });
    expect(entry).toMatchObject({ state: 'filled', filled: 150_000 });
    expect(venue.holding(alice).isolatedMargin).toBe(7_500_000_000n);
    expect(venue.balance(alice)).toBe(0n);
  });

  test('an order’s reserve covers all its fills, although each fill rounds up', () => {
    // At 101 and 7×, three fills of 33 lots need 14.2842857… in total and 4.7614285… each.
    const venue = venueWith(14_284_286 + 44_996);
    const isolated = { instrumentId: ID, marginMode: 'isolated' } as const;
    act(venue, alice, { type: 'updateLeverage', ...isolated, leverage: 7 });
    venue.oracle(1_010_000);
    for (let i = 0; i < 3; i++) venue.one(bob, { isBuy: false, price: 1_010_000, size: 33 });
    venue.one(alice, { price: 1_010_000, size: 99 });
    expect(venue.position(alice)).toBe(99);
  });

  test('a maker’s reserve covers its partial fills in another tier', () => {
    const venue = venueWith(7_567_500_000);
    const isolated = { instrumentId: ID, marginMode: 'isolated' } as const;
    act(venue, alice, { type: 'updateLeverage', ...isolated, leverage: 50 });
    venue.one(alice, { price: PRICE, size: 150_000 });
    for (const size of [90_001, 33_333, 26_666]) {
      venue.one(bob, { isBuy: false, price: PRICE, size, timeInForce: 'ioc' });
    }
    expect(venue.position(alice)).toBe(150_000);
    expect(venue.holding(alice)).toMatchObject({ isolatedMargin: 7_500_000_000n, reserved: 0n });
  });

  test('free margin is the cross account’s value less its initial margin, but at most the balance', () => {
    const venue = aliceLong(10_000_000);
    // Of the remaining 4.955, 98 lots need 4.9 + 0.0441 = 4.9441, and 99 lots need 4.99455.
    expect(venue.one(alice, { price: PRICE, size: 99 }).reject?.reason).toBe('marginInsufficient');
    expect(venue.one(alice, { price: PRICE, size: 98 }).state).toBe('open');
  });
});

describe('R-isolated: a fill moves its margin from the reserve', () => {
  test('a partly filled maker moves its share of the reserve, and the remainder stays reserved', () => {
    const venue = venueWith();
    const { orderId } = venue.one(alice, { price: 990_000, size: 100 });
    venue.one(bob, { isBuy: false, price: 990_000, size: 40, timeInForce: 'ioc' });
    // The margin is 40 / 20 = 2. A fill below the mark has no immediate loss, and the fee is 0.015%
    // of 39.6.
    expect(venue.holding(alice)).toMatchObject({
      size: 40,
      isolatedMargin: 2_000_000n,
      reserved: 3_038_610n,
    });
    expect(venue.balance(alice)).toBe(994_955_450n);
    venue.cancel(alice, orderId!);
    expect(venue.balance(alice)).toBe(997_994_060n);
    expect(venue.holding(alice).reserved).toBe(0n);
  });

  test('a fill worse than the mark adds its loss to the margin, and a fill better than the limit releases the unused reserve', () => {
    for (const price of [1_010_000, 1_020_000]) {
      const venue = venueWith();
      venue.one(bob, { isBuy: false, price: 1_010_000, size: 100 });
      venue.one(alice, { price, size: 100 });
      // The margin is 5 plus the loss of 1, so equity is 5 again. The fee is 0.045% of 101.
      expect(venue.holding(alice)).toMatchObject({ isolatedMargin: 6_000_000n, reserved: 0n });
      expect(venue.balance(alice)).toBe(993_954_550n);
    }
  });

  // The mark rises to 110 after 5.045 has been reserved, so 5.5 plus a maker fee of 0.015 is
  // needed.
  test.each([
    { funds: 5_515_000, state: 'filled' },
    { funds: 5_514_999, state: 'marginCanceled' },
  ])(
    'a missing reserve is taken from the cross account, or the fill fails: $funds',
    ({ funds, state }) => {
      const venue = venueWith(funds);
      venue.one(alice, { price: PRICE, size: 100 });
      venue.oracle(1_100_000);
      venue.one(bob, { isBuy: false, price: PRICE, size: 100, timeInForce: 'ioc' });
      expect(openOrders(venue.state, alice)).toEqual([]);
      const isFilled = state === 'filled';
      expect(venue.position(alice)).toBe(isFilled ? 100 : 0);
      expect(venue.holding(alice).isolatedMargin).toBe(isFilled ? 5_500_000n : 0n);
      expect(venue.balance(alice)).toBe(isFilled ? 0n : 5_514_999n);
    },
  );

  test('an order that reserves the last micro-USDC can fill in part and rest', () => {
    const venue = venueWith(5_045_000);
    venue.one(bob, { isBuy: false, price: PRICE, size: 40 });
    const entry = venue.one(alice, { price: PRICE, size: 100 });
    expect(entry).toMatchObject({ state: 'open', filled: 40 });
    // The fill uses 2 for margin and 0.018 for the fee.
    expect(venue.holding(alice)).toMatchObject({
      isolatedMargin: 2_000_000n,
      reserved: 3_027_000n,
    });
    expect(venue.one(bob, { isBuy: false, price: PRICE, size: 60 }).state).toBe('filled');
    // The fill uses another 3. A maker pays 0.009 instead of 0.027, and the difference is released.
    expect(venue.holding(alice)).toMatchObject({ isolatedMargin: 5_000_000n, reserved: 0n });
    expect(venue.balance(alice)).toBe(18_000n);
  });
});

describe('R-isolated: a close pays from the position’s margin', () => {
  const sell = (shape: Partial<OrderShape> & { price: number; size: number }) =>
    ({ isBuy: false, timeInForce: 'ioc', ...shape }) as const;

  test('a close pays out the released margin and realised PnL less the fee', () => {
    const venue = aliceLong();
    venue.one(carol, { price: 1_020_000, size: 50 });
    venue.one(alice, sell({ price: 1_020_000, size: 50 }));
    // The payout is 2.5 + 1 − 0.045% of 51.
    expect(venue.balance(alice)).toBe(994_955_000n + 3_477_050n);
    expect(venue.holding(alice)).toMatchObject({ size: 50, isolatedMargin: 2_500_000n });
  });

  test('the last lot releases the whole margin, including the remainders of earlier divisions', () => {
    const venue = aliceLong();
    venue.one(carol, { price: PRICE, size: 100 });
    venue.one(alice, sell({ price: PRICE, size: 33 }));
    // The closed lots release 5 × 33 / 100 = 1.65.
    expect(venue.holding(alice).isolatedMargin).toBe(3_350_000n);
    venue.one(alice, sell({ price: PRICE, size: 20 }));
    // The closed lots release 3.35 × 20 / 67 = 1.
    expect(venue.holding(alice).isolatedMargin).toBe(2_350_000n);
    venue.one(alice, sell({ price: PRICE, size: 47 }));
    expect(venue.holding(alice)).toMatchObject({ size: 0, isolatedMargin: 0n, cost: 0n });
    // The fees are 0.045 for opening, and 0.01485 + 0.009 + 0.02115 for closing.
    expect(venue.balance(alice)).toBe(999_910_000n);
  });

  test('a shortfall reduces the remaining margin, never the balance', () => {
    const venue = aliceLong();
    venue.oracle(970_000);
    venue.one(carol, { price: 945_000, size: 50 });
    const before = venue.balance(alice);
    // The close releases 2.5, loses 2.75 and costs a fee of 0.0212625. The shortfall, rounded
    // together with the fee, is therefore 0.271263.
    expect(venue.one(alice, sell({ price: 945_000, size: 50 })).state).toBe('filled');
    expect(venue.balance(alice)).toBe(before);
    expect(venue.holding(alice)).toMatchObject({ size: 50, isolatedMargin: 2_228_737n });
  });

  test('a shortfall outside the book reduces the remaining margin without a margin check', () => {
    const venue = aliceLong();
    const before = venue.balance(alice);
    const execution = { state: venue.state, events: [], commandIndex: TIMER };
    const side = (trader: typeof alice) => ({
      account: venue.account(trader),
      holding: venue.holding(trader),
    });
    // At 94, the close releases 2.5 and loses 3, so the remaining 2.5 lose 0.5.
    expect(tradeOffBook(execution, side(alice), -50, 940_000).realised).toBe(-3_000_000n);
    expect(tradeOffBook(execution, side(bob), 50, 940_000).realised).toBe(3_000_000n);
    expect(venue.balance(alice)).toBe(before);
    expect(venue.holding(alice)).toMatchObject({ size: 50, isolatedMargin: 2_000_000n });
    checkInvariants(venue.state);
  });

  test('a close below the bankruptcy price, including the fee, is rejected', () => {
    // The condition 5 + (p − 100) − 0.045% of p ≥ 0 requires p ≥ 95.0427…, and the tick is 0.01.
    for (const [price, state] of [
      [950_500, 'filled'],
      [950_400, 'cancelled'],
    ] as const) {
      const venue = aliceLong();
      venue.oracle(980_000);
      venue.one(carol, { price, size: 100 });
      expect(venue.one(alice, sell({ price, size: 100 })).state).toBe(state);
    }
  });

  test('reversing a position pays out the old one and opens the new one with its own margin', () => {
    const venue = aliceLong();
    venue.oracle(1_020_000);
    venue.one(carol, { price: 1_020_000, size: 150 });
    venue.one(alice, sell({ price: 1_020_000, size: 150 }));
    // The close pays out 5 + 2, the opening part needs a margin of 50 × 1.02 / 20 = 2.55, and the
    // fee is 0.045% of 153.
    expect(venue.holding(alice)).toMatchObject({ size: -50, isolatedMargin: 2_550_000n });
    expect(venue.balance(alice)).toBe(994_955_000n + 7_000_000n - 2_550_000n - 68_850n);
  });

  test('isolated losses do not affect cross positions, and cross losses do not affect isolated ones', () => {
    const venue = aliceLong(10_000_000);
    const before = venue.balance(alice);
    // At 96.5 equity is 1.5 and risk 1.4475; at 96 the position is liquidated.
    venue.wait(1_000).oracle(965_000);
    expect(venue.position(alice)).toBe(100);
    venue.one(carol, { price: 955_000, size: 100 });
    venue.wait(1_000).oracle(960_000);
    expect(venue.position(alice)).toBe(0);
    // After the sale at 95.5, 5 − 4.5 = 0.5 is left, and the fee is min(0.4775, 0.5).
    expect(venue.balance(alice)).toBe(before + 22_500n);
  });
});
