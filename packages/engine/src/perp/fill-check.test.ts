import { type Address, instrumentId as toInstrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { BlockResult } from '../messages/block.ts';
import type { OrderUpdated } from '../messages/event.ts';
import { accountView, openOrders } from '../read/read.ts';
import {
  alice,
  bob,
  carol,
  order,
  type OrderShape,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';

/** At this price, one lot is worth 1 USDC; it is the mark unless a test sets another one. */
const PRICE = 1_000_000;

/** Returns a venue in which bob and carol have ample funds and alice has 10 USDC. */
function venue(): Scenario {
  const scenario = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
  scenario.fund(alice, 10_000_000);
  return scenario;
}

/** Opens a 100-lot long at 100 for alice, who then has 9.955 USDC: 10 less the fee of 0.045. */
function aliceLong(): Scenario {
  const scenario = venue();
  scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
  expect(scenario.one(alice, { price: PRICE, size: 100 }).state).toBe('filled');
  return scenario;
}

function send(scenario: Scenario, signer: Address, shape: OrderShape): BlockResult {
  const orders = [order(shape)];
  return scenario.block({ type: 'placeOrders', authority: scenario.authority(signer), orders });
}

function causes(result: BlockResult): Record<number, string | undefined> {
  const updates = result.events.filter(
    (event): event is OrderUpdated => event.type === 'orderUpdated',
  );
  return Object.fromEntries(updates.map((event) => [event.order.orderId, event.cancelCause]));
}

describe('R-fill-check: fills far from the mark must be covered by margin', () => {
  // At 1.79 × mark, 100 lots need 5 USDC and a fee of 0.08, so the order is accepted. A fill would
  // lose 79.
  test('a taker that buys far above the mark is stopped before the fill', () => {
    const scenario = venue();
    scenario.one(bob, { isBuy: false, price: 1_790_000, size: 100 });
    const result = send(scenario, alice, { price: 1_790_000, size: 100 });
    expect(result.outcomes[0]!.entries![0]).toMatchObject({ state: 'cancelled', filled: 0 });
    expect(causes(result)).toEqual({ 2: 'marginCanceled' });
    expect(openOrders(scenario.state, bob)).toHaveLength(1);
    expect(scenario.balance(alice)).toBe(10_000_000n);
  });

  test('a maker far above the mark is cancelled, and the taker continues with the next order', () => {
    const scenario = venue();
    scenario.one(alice, { price: 1_790_000, size: 100 });
    scenario.one(carol, { price: 990_000, size: 100 });
    const result = send(scenario, bob, { isBuy: false, price: 990_000, size: 100 });
    expect(causes(result)[1]).toBe('marginCanceled');
    const [entry] = result.outcomes[0]!.entries!;
    expect(entry).toMatchObject({ state: 'filled', filledNotional: 99_000_000 });
    expect(scenario.position(alice)).toBe(0);
    expect(scenario.position(carol)).toBe(100);
  });

  test('a taker that sells far below the mark is stopped before the fill', () => {
    const scenario = venue();
    scenario.one(bob, { price: 300_000, size: 100 });
    const result = send(scenario, alice, { isBuy: false, price: 300_000, size: 100 });
    expect(causes(result)).toEqual({ 2: 'marginCanceled' });
  });

  // Filling 100 lots above the mark by x requires 10 − x − fee ≥ 5. At 104.95, 10 − 4.95 −
  // 0.0472275 is 5.0027725; at 104.96, 10 − 4.96 − 0.047232 is 4.992768.
  test.each([
    [1_049_500, 'filled'],
    [1_049_600, 'cancelled'],
  ])(
    'an opening fill at %i requires an account value of at least initial margin',
    (price, state) => {
      const scenario = venue();
      scenario.one(bob, { isBuy: false, price, size: 100 });
      expect(scenario.one(alice, { price, size: 100 }).state).toBe(state);
    },
  );

  test('an account value equal to initial margin, to the micro-USDC, is sufficient', () => {
    const scenario = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000 });
    // A fill of 100 lots needs a margin of 5 USDC and a fee of 0.045; at the mark, it leaves
    // exactly 5.
    scenario.fund(alice, 5_045_000);
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    expect(scenario.one(alice, { price: PRICE, size: 100 }).state).toBe('filled');
  });

  test('the filled part of a maker no longer counts as resting', () => {
    const scenario = venue();
    // An exposure of 190 lots needs 9.5 of 10 USDC, as an order before the fill and as a position
    // after it.
    scenario.one(alice, { price: PRICE, size: 190 });
    expect(scenario.one(bob, { isBuy: false, price: PRICE, size: 190 }).state).toBe('filled');
    expect(scenario.position(alice)).toBe(190);
  });

  test('a taker keeps its fills up to the first one that is not covered', () => {
    const scenario = venue();
    scenario.one(bob, { isBuy: false, price: PRICE, size: 10 });
    scenario.one(bob, { isBuy: false, price: 1_200_000, size: 90 });
    const result = send(scenario, alice, { price: 1_200_000, size: 100 });
    expect(result.outcomes[0]!.entries![0]).toMatchObject({ state: 'cancelled', filled: 10 });
    expect(causes(result)[3]).toBe('marginCanceled');
    expect(scenario.position(alice)).toBe(10);
  });

  test('a fill check includes the account’s resting orders on the same side', () => {
    const scenario = venue();
    // The 150 resting lots need 7.5 USDC. With 40 more at the mark, 9.5 is needed of 10 less fees.
    scenario.one(alice, { price: 900_000, size: 150 });
    scenario.one(bob, { isBuy: false, price: 1_010_000, size: 40 });
    // The loss of 0.4 and the fee of 0.01818 leave 9.58182, which covers the required 9.5.
    expect(scenario.one(alice, { price: 1_010_000, size: 40 }).state).toBe('filled');
    const second = venue();
    second.one(alice, { price: 900_000, size: 150 });
    second.one(bob, { isBuy: false, price: 1_012_500, size: 40 });
    // At 101.25, 10 − 0.5 − 0.018225 = 9.481775 does not cover the required 9.5.
    expect(second.one(alice, { price: 1_012_500, size: 40 }).state).toBe('cancelled');
  });
});

describe('R-initial: the remainder of a taker rests only if margin covers it', () => {
  // The 150 lots need 7.5. Filling 60 at 105 loses 3 and costs 0.02835, so 6.97165 covers the 60
  // but not all 150. Filling 40 at 105 loses 2 and costs 0.0189, so 7.9811 covers all of them.
  test.each([
    { offered: 60, state: 'cancelled' },
    { offered: 40, state: 'open' },
  ])(
    'the remainder of a taker after $offered lots above the mark is $state',
    ({ offered, state }) => {
      const scenario = venue();
      scenario.one(bob, { isBuy: false, price: 1_050_000, size: offered });
      const result = send(scenario, alice, { price: 1_050_000, size: 150 });
      const [entry] = result.outcomes[0]!.entries!;
      expect(entry).toMatchObject({ state, filled: offered });
      expect(causes(result)[2]).toBe(state === 'open' ? undefined : 'marginCanceled');
      const view = accountView(scenario.state, alice)!;
      expect(view.cross.accountValue >= view.initialMargin).toBe(true);
    },
  );

  test('an order that uses the last micro-USDC can fill in part at the mark and rest', () => {
    const scenario = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000 });
    // An order for 101 lots needs a margin of 5.05 and a fee of 0.04545.
    scenario.fund(alice, 5_095_450);
    scenario.one(bob, { isBuy: false, price: PRICE, size: 11 });
    expect(scenario.one(alice, { price: PRICE, size: 101 })).toMatchObject({
      state: 'open',
      filled: 11,
    });
  });

  test('the remainder of an order that reverses a position can rest without margin if it leaves the worst case unchanged', () => {
    const scenario = aliceLong();
    scenario.oracle(930_000);
    scenario.one(carol, { price: 930_000, size: 30 });
    // Alice is long 100 lots with an account value of 2.955 and a requirement of 4.65. She sells
    // 200, of which 30 reduce the position at the mark.
    const entry = scenario.one(alice, { isBuy: false, price: 930_000, size: 200 });
    expect(entry).toMatchObject({ filled: 30, state: 'cancelled' });
    // With 70 long and 170 to sell, the worst case would be 100 again, above the remaining 70.
    const within = scenario.one(alice, { isBuy: false, price: 930_000, size: 140 });
    expect(within.state).toBe('open');
  });
});

describe('R-fill-check: a reducing fill passes if it does not worsen the account', () => {
  // At a mark of 92 alice is worth 9.955 − 8 = 1.955, below the initial margin of 4.6. Closing at p
  // leaves 9.955 + p − 100 − 0.045% × p, or 0.0044595 at 90.09 and −0.005536 at 90.08.
  test.each([
    { size: 100, price: 900_900, state: 'filled' },
    { size: 100, price: 900_800, state: 'cancelled' },
    // For half the position, the ratio of 1.955 / 1.38 must not fall, which leads to the same
    // price.
    { size: 50, price: 900_900, state: 'filled' },
    { size: 50, price: 900_800, state: 'cancelled' },
    { size: 50, price: 930_000, state: 'filled' },
  ])(
    'a reducing fill passes down to the bankruptcy price: $size lots at $price',
    ({ size, price, state }) => {
      for (const reduceOnly of [true, false]) {
        const scenario = aliceLong();
        scenario.oracle(920_000);
        scenario.one(carol, { price, size });
        const sell = { isBuy: false, price, size, reduceOnly, timeInForce: 'ioc' } as const;
        expect(scenario.one(alice, sell).state).toBe(state);
      }
    },
  );

  // A maker pays 0.015%: at 90.06 it has 0.001491 left, and at 90.05 it would be 0.0085075 short.
  test('a reducing maker fills at prices down to the bankruptcy price and is cancelled below it', () => {
    for (const [price, cause] of [
      [900_600, undefined],
      [900_500, 'marginCanceled'],
    ] as const) {
      const scenario = aliceLong();
      scenario.oracle(920_000);
      scenario.one(alice, { isBuy: false, price, size: 100, reduceOnly: true });
      const result = send(scenario, carol, { price, size: 100, timeInForce: 'ioc' });
      expect(causes(result)[3]).toBe(cause);
      expect(scenario.position(alice)).toBe(cause === undefined ? 0 : 100);
    }
  });

  test('a fill that reverses the position is not a reducing fill', () => {
    const scenario = aliceLong();
    scenario.oracle(920_000);
    scenario.one(carol, { price: 920_000, size: 120 });
    const sell = { isBuy: false, price: 920_000, timeInForce: 'ioc' } as const;
    // Selling 120 lots leaves alice 20 short with 1.905, above the initial margin of 0.92.
    expect(scenario.one(alice, { ...sell, size: 120 }).state).toBe('filled');
    const other = aliceLong();
    other.oracle(920_000);
    other.one(carol, { price: 920_000, size: 160 });
    // Selling 160 lots leaves her 60 short with 1.89, below the initial margin of 2.76.
    expect(other.one(alice, { ...sell, size: 160 })).toMatchObject({
      state: 'cancelled',
      filled: 0,
    });
  });

  test('an opening maker of an account below its initial margin is cancelled at any price', () => {
    const scenario = aliceLong();
    scenario.one(alice, { price: 900_000, size: 20 });
    scenario.oracle(920_000);
    const result = send(scenario, carol, { isBuy: false, price: 900_000, size: 20 });
    expect(causes(result)).toEqual({ 3: 'marginCanceled', 4: undefined });
    expect(openOrders(scenario.state, carol)).toHaveLength(1);
  });

  test('fills that deepen the loss are rejected while equity is negative', () => {
    // At 86 the second position has lost 12.6 of her 9.9145, which leaves −2.6855, less the fee.
    const scenario = underWater(860_000, { price: PRICE, size: 100 });
    const sell = { isBuy: false, price: PRICE, size: 100, reduceOnly: true } as const;
    expect(scenario.one(alice, { ...sell, timeInForce: 'ioc' })).toMatchObject({
      state: 'cancelled',
      filled: 0,
    });
  });

  // At 88.4 the second position has lost 10.44, so alice is worth −0.5255. Selling 50 lots at 101
  // gains 0.5 and costs 0.022725. Her ratio rises from −0.195 to −0.025, but her equity stays
  // negative.
  test('a reducing fill that leaves equity negative is rejected, even if the ratio rises', () => {
    const scenario = underWater(884_000, { price: 1_010_000, size: 50 });
    const sell = { isBuy: false, price: 1_010_000, size: 50, timeInForce: 'ioc' } as const;
    expect(scenario.one(alice, sell)).toMatchObject({ state: 'cancelled', filled: 0 });
  });

  // Selling 53 lots at 102 gains 1.06 and costs 0.024327, so −0.5255 becomes 0.510173.
  test('a reducing fill that raises equity above zero passes', () => {
    const scenario = underWater(884_000, { price: 1_020_000, size: 53 });
    const sell = { isBuy: false, price: 1_020_000, size: 53, timeInForce: 'ioc' } as const;
    expect(scenario.one(alice, sell).state).toBe('filled');
  });
});

/**
 * Opens longs for alice, 100 lots of the first perp and 90 of a second, leaving 9.9145 USDC. The
 * second perp falls and is halted, and the oracle of the first is stale, so liquidation is
 * suspended in both while reducing orders are still accepted.
 */
function underWater(second: number, bid: { price: number; size: number }): Scenario {
  const scenario = aliceLong();
  const instrumentId = toInstrumentId(2);
  scenario.block({ type: 'registerPerp', perp: { ...PERP, instrumentId, name: 'B-USDC' } });
  scenario.oracle(PRICE, instrumentId);
  scenario.one(bob, { instrumentId, isBuy: false, price: PRICE, size: 90 });
  expect(scenario.one(alice, { instrumentId, price: PRICE, size: 90 }).state).toBe('filled');
  // Carol buys back what she sold, because positions cannot be opened in a stale market.
  scenario.one(carol, { isBuy: false, price: PRICE, size: 100 });
  scenario.one(bob, { price: PRICE, size: 100 });
  scenario.one(carol, bid);
  scenario.wait(30_001);
  scenario.block(
    { type: 'setPerp', instrumentId, halted: true, changes: {} },
    {
      type: 'pushOracle',
      prices: [{ instrumentId, oracle: second }],
      observedMs: timeMs(scenario.nowMs),
    },
  );
  expect(scenario.position(alice)).toBe(100);
  const equity = accountView(scenario.state, alice)!.cross.accountValue;
  expect(equity).toBe(9_914_500n - 90n * BigInt(PRICE - second));
  return scenario;
}
