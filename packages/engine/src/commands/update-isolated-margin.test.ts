import { instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { Reject } from '../messages/reject.ts';
import { holdingKey } from '../state/account.ts';
import { alice, bob, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const ID = PERP.instrumentId;

function move(
  venue: Scenario,
  amountMicroUsdc: number,
  { id = ID, isBuy = true } = {},
): Reject | undefined {
  const change = { instrumentId: id, isBuy, amountMicroUsdc };
  return act(venue, alice, { type: 'updateIsolatedMargin', ...change }).outcomes[0]?.reject;
}

/** Opens a 100-lot long for alice with 5 USDC of margin; 994.955 USDC remain in her balance. */
function opened(leverage = 20): Scenario {
  const venue = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000 });
  venue.fund(alice, 1_000_000_000);
  const isolated = { instrumentId: ID, marginMode: 'isolated' } as const;
  act(venue, alice, { type: 'updateMarginMode', ...isolated });
  act(venue, alice, { type: 'updateLeverage', ...isolated, leverage });
  venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
  expect(venue.one(alice, { price: PRICE, size: 100 }).state).toBe('filled');
  return venue;
}

describe('a change of isolated margin requires a position and enough money', () => {
  test('a margin change is checked for its instrument, its position and its money, in that order', () => {
    const venue = opened();
    expect(move(venue, 1, { id: instrumentId(9) })).toEqual({
      reason: 'instrumentUnknown',
      instrumentId: 9,
    });
    const second = instrumentId(2);
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: second, name: 'B-USDC' } });
    venue.oracle(PRICE, second);
    const missing = { reason: 'isolatedPositionMissing', instrumentId: second };
    expect(move(venue, 1, { id: second })).toEqual(missing);
    // A cross position does not count as isolated.
    venue.one(bob, { instrumentId: second, isBuy: false, price: PRICE, size: 100 });
    venue.one(alice, { instrumentId: second, price: PRICE, size: 100 });
    expect(move(venue, 1, { id: second })).toEqual(missing);
    // Of 994.955 less a fee of 0.045, the cross position's margin takes 5.
    expect(move(venue, 989_910_001)).toEqual({
      reason: 'balanceInsufficient',
      required: 989_910_001n,
      available: 989_910_000n,
    });
    expect(move(venue, 989_910_000)).toBeUndefined();
  });

  test('R-hedge: the side of a margin change selects the leg, which must be open', () => {
    const venue = Scenario.open();
    act(venue, alice, { type: 'updatePositionMode', mode: 'hedge' });
    act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
    venue.one(bob, { price: PRICE, size: 100 });
    venue.one(alice, { isBuy: false, price: PRICE, size: 100 });
    expect(move(venue, 1_000_000)?.reason).toBe('isolatedPositionMissing');
    expect(move(venue, 1_000_000, { isBuy: false })).toBeUndefined();
    const short = venue.account(alice).holdings.get(holdingKey(ID, 1));
    expect(short).toMatchObject({ size: -100, isolatedMargin: 6_000_000n });
  });

  test('the side of a margin change is ignored in one-way mode', () => {
    const venue = opened();
    expect(move(venue, 1_000_000, { isBuy: false })).toBeUndefined();
    expect(venue.holding(alice).isolatedMargin).toBe(6_000_000n);
  });
});

describe('R-isolated: the removable margin is min(margin, equity − max(initial margin, 10% of notional))', () => {
  function expectRemovable(venue: Scenario, removable: number): void {
    expect(move(venue, -removable - 1)).toEqual({
      reason: 'marginNotFree',
      required: BigInt(removable + 1),
      available: BigInt(removable),
    });
    const { isolatedMargin } = venue.holding(alice);
    const before = venue.balance(alice);
    if (removable === 0) return;
    expect(move(venue, -removable)).toBeUndefined();
    expect(venue.holding(alice).isolatedMargin).toBe(isolatedMargin - BigInt(removable));
    expect(venue.balance(alice)).toBe(before + BigInt(removable));
  }

  test('at 20×, 10% of notional limits the removable margin to 0 of 5, and to 15 of 25', () => {
    const venue = opened();
    expectRemovable(venue, 0);
    expect(move(venue, 20_000_000)).toBeUndefined();
    expectRemovable(venue, 15_000_000);
  });

  test('at 5×, initial margin limits the removable margin to 5 of 25', () => {
    const venue = opened(5);
    expect(move(venue, 5_000_000)).toBeUndefined();
    expectRemovable(venue, 5_000_000);
  });

  test('if equity is 25 and 10% of notional is 12, all 5 of the margin can be removed', () => {
    const venue = opened();
    venue.oracle(1_200_000);
    expectRemovable(venue, 5_000_000);
    expect(venue.holding(alice)).toMatchObject({ size: 100, isolatedMargin: 0n });
  });

  test('if equity is 12 and 10% of notional is 10.7, the removable margin is 1.3', () => {
    const venue = opened();
    venue.oracle(1_070_000);
    expectRemovable(venue, 1_300_000);
  });
});

// The position was opened with 100 USDC, of which 90 are removed. At 91.5, the remaining 10 leave
// an equity of 1.5 against a requirement of 1.3725; at 91.2, 1.2 against 1.368.
test('R-liquidation: a position is checked again soon after margin is removed, before marks have moved far', () => {
  const venue = opened(1);
  venue.wait(1_000).oracle(PRICE);
  act(venue, alice, { type: 'updateLeverage', instrumentId: ID, leverage: 20 });
  expect(move(venue, -90_000_000)).toBeUndefined();
  venue.wait(1_000).oracle(915_000);
  expect(venue.state.liquidations.size).toBe(0);
  const again = opened(1);
  again.wait(1_000).oracle(PRICE);
  act(again, alice, { type: 'updateLeverage', instrumentId: ID, leverage: 20 });
  expect(move(again, -90_000_000)).toBeUndefined();
  const { events } = again.wait(1_000).oracle(912_000);
  expect(events.some((event) => event.type === 'liquidationStep')).toBe(true);
});
