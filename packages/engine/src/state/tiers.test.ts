import { describe, expect, test } from 'vitest';
import type { MarginTier } from '../messages/command.ts';
import { PERP } from '@oddlot/testing/engine/scenario';
import { maintenanceMargin, tierOf, tierTable, tierTableFault } from './perp.ts';

const table = tierTable(PERP.tiers);
/** At this mark, one lot is worth 1 USDC. */
const MARK = 1_000_000;

describe('R-tiers: maintenance margin rises with the tiers', () => {
  // The maintenance margin is 1% in tier 1. In tier 2, from 100,000 lots, it is 2.5% less 100,000 ×
  // 1.5% = 1,500 lots. In tier 3, from 1,000,000 lots, it is 10% less 1,500 + 1,000,000 × 7.5% =
  // 76,500 lots.
  test.each([
    [0, 0n],
    [1, 10_000n],
    [100_000, 1_000_000_000n],
    [100_001, 1_000_025_000n],
    [1_000_000, 23_500_000_000n],
    [1_000_001, 23_500_100_000n],
    [10_000_000, 923_500_000_000n],
  ])('the maintenance margin of %i lots follows the tiers', (size, expected) => {
    expect(maintenanceMargin(table, size, MARK)).toBe(expected);
  });

  test('maintenance margin is continuous at a tier boundary', () => {
    for (const [at, upper] of table.tiers.slice(1).entries()) {
      const border = table.tiers[at]!.maxSize;
      const above = BigInt(border) * BigInt(upper.mmrE8) - upper.deductionLotsE8;
      expect(above * BigInt(MARK)).toBe(maintenanceMargin(table, border, MARK) * 100_000_000n);
    }
  });

  test('maintenance margin rounds up', () => {
    // The margin is 1% of 1,000,001: 10,000.01.
    expect(maintenanceMargin(table, 1, 1_000_001)).toBe(10_001n);
  });

  test('R-exact: maintenance margin is exact beyond 2^53', () => {
    const wide = tierTable([{ ...PERP.tiers[0]!, maxSize: 1_000_000_000_000 }]);
    // The result is 10^12 lots × (9 × 10^9 − 1) × 1%.
    const expected = 89_999_999_990_000_000_000n;
    expect(maintenanceMargin(wide, 1_000_000_000_000, 8_999_999_999)).toBe(expected);
  });
});

test.each([
  [1, 1],
  [100_000, 1],
  [100_001, 2],
  [1_000_000, 2],
  [1_000_001, 3],
  [10_000_001, 3],
])('R-tiers: a size on a border belongs to the lower tier: %i lots in tier %i', (size, tier) => {
  expect(tierOf(table, size).tier).toBe(tier);
});

describe('R-tiers: invalid margin tables are rejected', () => {
  const [first, second] = PERP.tiers as [MarginTier, MarginTier];
  const fault = (...tiers: MarginTier[]) => tierTableFault(tiers, 500_000, 45_000);

  test('the margin tables used in the tests are valid', () => {
    expect(tierTableFault(PERP.tiers, 500_000, 45_000)).toBeUndefined();
  });

  test.each<[string, MarginTier[], RegExp]>([
    ['has no tiers', [], /no tiers/],
    ['is numbered from 2', [second], /numbered 2/],
    ['starts above zero', [{ ...first, minSize: 1 }], /gap/],
    ['has a gap', [first, { ...second, minSize: 100_001 }], /gap/],
    ['overlaps', [first, { ...second, minSize: 99_999 }], /gap/],
    ['has an empty tier', [{ ...first, maxSize: 0 }], /empty/],
    ['has a leverage of 0', [{ ...first, maxLeverage: 0 }], /no leverage/],
    ['asks for nothing', [{ ...first, mmrE8: 0 }], /mmr must rise/],
    ['has a rate that stays', [first, { ...second, mmrE8: first.mmrE8 }], /mmr must rise/],
    ['has a leverage that stays', [first, { ...second, maxLeverage: 50 }], /must fall/],
  ])('a margin table is invalid if it %s', (_, tiers, expected) => {
    expect(fault(...tiers)).toMatch(expected);
  });

  test('a margin table is invalid unless 1/maxLeverage exceeds the sum of mmr and both fees', () => {
    // A leverage of 50 gives a margin of 2%. The sum 1.455% + 0.5% + 0.045% = 2% is too much; a
    // hundred-millionth less is not.
    expect(fault({ ...first, mmrE8: 1_455_000 })).toMatch(/at liquidation/);
    expect(fault({ ...first, mmrE8: 1_454_999 })).toBeUndefined();
    // This is the rulebook's example: 100× with a rate of 0.5% and a fee of 0.5%.
    expect(fault({ ...first, maxLeverage: 100, mmrE8: 500_000 })).toMatch(/at liquidation/);
  });
});
