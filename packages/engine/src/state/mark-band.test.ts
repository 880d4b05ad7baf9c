import { describe, expect, test } from 'vitest';
import type { MarginTier } from '../messages/command.ts';
import { PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { dump, restore } from '../dump/dump.ts';
import { type BandTerms, markBandE8, markBandMaxE8 } from './perp.ts';

const ID = PERP.instrumentId;
const FEE_E8 = PARAMETERS.liquidationFeeE8;

const row = (tier: number, maxLeverage: number, mmrE8: number): MarginTier => {
  return { tier, minSize: (tier - 1) * 1_000, maxSize: tier * 1_000, maxLeverage, mmrE8 };
};
const SOL: BandTerms = {
  takerFeeE8: 45_000,
  tiers: [row(1, 20, 2_500_000), row(2, 10, 5_000_000), row(3, 3, 16_700_000)],
};

const bandOf = ({ state }: Scenario): number | undefined => state.perps.get(ID)?.markBandE8;

describe('R-mark: the margin tiers determine the band', () => {
  test.each<[string, BandTerms, number]>([
    // The band is 0.00455 / 2.035 = 0.223587%.
    ['50× with mmr 1%', PERP, 223_587],
    // The band is 0.01955 / 2.08 = 0.939903%.
    ['20× with mmr 2.5%', SOL, 939_903],
    [
      'the least tier decides',
      { takerFeeE8: 45_000, tiers: [row(1, 20, 1_000_000), row(2, 10, 8_000_000)] },
      // The band is 0.1 − 0.08 − 0.005 − 0.00045 = 0.01455, divided by 2.185.
      665_903,
    ],
    ['without any distance', { takerFeeE8: 0, tiers: [row(1, 50, 1_499_999)] }, 0],
  ])('the widest mark band follows the margin tiers: %s', (_, terms, expected) => {
    expect(markBandMaxE8(terms, FEE_E8)).toBe(expected);
    expect(markBandE8(terms, FEE_E8)).toBe(expected);
    expect(markBandE8({ ...terms, markBandE8: 7 }, FEE_E8)).toBe(7);
  });

  test('a configured mark band is accepted if it does not exceed the maximum', () => {
    const listed = (bandE8: number) =>
      new Scenario().block(
        { type: 'genesis', parameters: PARAMETERS },
        { type: 'registerPerp', perp: { ...PERP, markBandE8: bandE8 } },
      ).outcomes[1]?.reject;
    expect(listed(223_587)).toBeUndefined();
    expect(listed(223_588)).toEqual({
      reason: 'markBandInvalid',
      gotE8: 223_588,
      maxE8: 223_587,
    });
  });

  test('the default mark band follows changes to the table and the fee, even after a restart', () => {
    const venue = Scenario.open();
    expect(bandOf(venue)).toBe(223_587);
    venue.block({ type: 'setPerp', instrumentId: ID, changes: { tiers: SOL.tiers } });
    expect(bandOf(venue)).toBe(939_903);
    venue.block({ type: 'setPerp', instrumentId: ID, changes: { takerFeeE8: 1_000_000 } });
    // The band is 0.01 / 2.08 = 0.480769%.
    expect(bandOf(venue)).toBe(480_769);
    expect(restore(dump(venue.state)).perps.get(ID)?.markBandE8).toBe(480_769);
  });

  test('a configured mark band is checked again when the band, the table or a fee changes', () => {
    const venue = Scenario.open();
    const set = (changes: object) =>
      venue.outcome({ type: 'setPerp', instrumentId: ID, changes }).reject?.reason;
    expect(set({ markBandE8: 223_588 })).toBe('markBandInvalid');
    expect(set({ markBandE8: 200_000 })).toBeUndefined();
    expect(set({ takerFeeE8: 100_000 })).toBe('markBandInvalid');
    expect(set({ tiers: [row(1, 50, 1_100_000)] })).toBe('markBandInvalid');
    expect(bandOf(venue)).toBe(200_000);
    expect(set({ tiers: [row(1, 50, 1_100_000)], markBandE8: 150_000 })).toBeUndefined();
    expect(bandOf(venue)).toBe(150_000);
  });
});
