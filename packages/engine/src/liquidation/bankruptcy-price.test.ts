import { instrumentId, microUsdc } from '@oddlot/units';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshMargin } from '../perp/margin.ts';
import { alice, bob, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { bankruptcyPrice } from './bankruptcy-price.ts';
import { healthOf, positionsOf } from './scope.ts';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const PERPS = [1, 2, 3].map((id) => ({
  ...PERP,
  instrumentId: instrumentId(id),
  name: `TEST${id}-USDC`,
}));

/**
 * Gives alice positions of these signed sizes, opened at 100, and halts the perps to prevent
 * liquidations.
 */
function holding(...sizes: readonly number[]): Scenario {
  const venue = Scenario.open({ accounts: [alice, bob], funds: 1_000_000_000_000 });
  for (const perp of PERPS.slice(1)) venue.block({ type: 'registerPerp', perp });
  for (const [at, size] of sizes.entries()) {
    if (size === 0) continue;
    const { instrumentId: id } = PERPS[at]!;
    venue.oracle(PRICE, id);
    const order = { instrumentId: id, price: PRICE, size: Math.abs(size) };
    venue.one(bob, { ...order, isBuy: size < 0 });
    expect(venue.one(alice, { ...order, isBuy: size > 0 }).state).toBe('filled');
    venue.block({ type: 'setPerp', instrumentId: id, halted: true, changes: {} });
  }
  return venue;
}

describe('R-bankruptcy-price: the bankruptcy price uses up the equity of a position', () => {
  // For one position, the price is mark ∓ equity / size, rounded in favour of the account.
  test.each([
    { size: 300, equity: 1_000_000, price: 996_667, why: 'long: 100 − 1 / 3 = 99.66666…, up' },
    { size: -300, equity: 1_000_000, price: 1_003_333, why: 'short: 100.33333…, down' },
    { size: 300, equity: 0, price: PRICE, why: 'nothing left: the mark' },
    { size: 300, equity: 400_000_000, price: 1, why: 'never below 1' },
    { size: 300, equity: -1_000_000, judged: 1_100_000, price: 1_003_334, why: 'long below: up' },
    { size: -300, equity: -1_000_000, judged: 900_000, price: 996_666, why: 'short below: down' },
    { size: 300, equity: -1_000_000, judged: 1_002_000, price: 1_002_000, why: 'not past a loss' },
    { size: -300, equity: -1_000_000, judged: 999_999, price: 999_999, why: 'nor a short' },
    { size: 300, equity: -1_000_000, judged: 990_000, price: PRICE, why: 'it gained: the mark' },
  ])(
    'the bankruptcy price of one position uses up its equity: $why',
    ({ equity, judged = PRICE, price, size }) => {
      const venue = holding(size);
      const account = venue.account(alice);
      freshMargin(venue.state, account);
      const position = venue.holding(alice);
      position.perp.lastValidMark = judged;
      const scope = { account, holding: undefined };
      const health = { ...healthOf(venue.state, scope), equity: microUsdc(equity) };
      expect(bankruptcyPrice(venue.state, scope, position, health)).toBe(price);
    },
  );

  // Maintenance margins of 1 and 3 divide an equity of 2 into 0.5 and 1.5 for 100 and 300 lots, or
  // 0.5% each.
  test('equity is divided among positions by maintenance margin', () => {
    const venue = holding(100, -300);
    const scope = { account: venue.account(alice), holding: undefined };
    const health = { ...healthOf(venue.state, scope), equity: microUsdc(2_000_000) };
    expect(health.maintenance).toBe(4_000_000n);
    const prices = positionsOf(scope).map((each) =>
      bankruptcyPrice(venue.state, scope, each, health),
    );
    // The larger position, which is short, comes first.
    expect(prices).toEqual([1_005_000, 995_000]);
  });

  test('closing all positions at their bankruptcy prices, in any order, leaves only rounding', () => {
    const size = fc.oneof(
      { weight: 1, arbitrary: fc.constant(0) },
      { weight: 4, arbitrary: fc.integer({ min: 10, max: 150_000 }) },
      { weight: 4, arbitrary: fc.integer({ min: -150_000, max: -10 }) },
    );
    fc.assert(
      fc.property(
        fc.tuple(size, size, size).filter((sizes) => sizes.some((each) => each !== 0)),
        fc.array(fc.integer({ min: 700_000, max: 1_400_000 }), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 0, max: 1_000 }),
        fc.boolean(),
        (sizes, marks, equityPermille, isReversed) => {
          const venue = holding(...sizes);
          for (const [at, mark] of marks.entries()) {
            if (sizes[at] !== 0) venue.oracle(mark, PERPS[at]!.instrumentId);
          }
          const scope = { account: venue.account(alice), holding: undefined };
          const before = healthOf(venue.state, scope);
          const positions = positionsOf(scope);
          if (isReversed) positions.reverse();
          // Closing at p changes the equity by (p − mark) × size.
          let equity = (before.maintenance * BigInt(equityPermille)) / 1_000n;
          let { maintenance } = before;
          let lots = 0n;
          for (const each of positions) {
            const health = { ...before, equity: microUsdc(equity), maintenance };
            const price = bankruptcyPrice(venue.state, scope, each, health);
            expect(price).toBeGreaterThan(1);
            const share = equity * each.maintenance;
            equity += BigInt(price - each.perp.mark) * BigInt(each.size);
            maintenance = microUsdc(maintenance - each.maintenance);
            lots += BigInt(Math.abs(each.size));
            // Each position uses only its share, so the remaining equity stays proportional.
            expect(equity * before.maintenance >= 0n || share < 0n).toBe(true);
          }
          expect(equity).toBeGreaterThanOrEqual(0n);
          expect(equity).toBeLessThanOrEqual(lots);
        },
      ),
      { numRuns: 60 },
    );
  });
});
