import { instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import type { CommandResult } from '../messages/block.ts';
import type { PerpListing } from '../messages/command.ts';
import { PERP, Scenario } from '@oddlot/testing/engine/scenario';

const { asset: _asset, instrumentId: _id, ...BARE } = PERP;
const NEW: PerpListing = { ...BARE, name: 'NEW-USDC' };

/** Lists a perp, and checks that admission and execution agree. */
function register(venue: Scenario, perp: PerpListing): CommandResult {
  const admitted = checkCommand(venue.state, { type: 'registerPerp', perp }, venue.nowMs);
  const outcome = venue.outcome({ type: 'registerPerp', perp });
  expect(admitted.reject).toEqual(outcome.reject);
  return outcome;
}

describe('a perp is listed only with valid parameters', () => {
  test('a perp is listed under the id given in the command', () => {
    const venue = Scenario.open();
    const outcome = register(venue, { ...NEW, instrumentId: instrumentId(7) });
    expect(outcome).toEqual({ created: { instrumentId: 7 } });
    expect(venue.state.perpIds).toEqual([1, 7]);
  });

  test('a listing without an id gets the next id and an asset without further data', () => {
    const venue = Scenario.open();
    register(venue, { ...NEW, instrumentId: instrumentId(7) });
    expect(register(venue, { ...NEW, name: 'B-USDC' })).toEqual({ created: { instrumentId: 8 } });
    expect(venue.state.perps.get(8)?.definition).toMatchObject({
      instrumentId: 8,
      name: 'B-USDC',
      asset: { assetId: 108, weiDecimals: 6, maxSupply: '0' },
    });
  });

  test('a listing is rejected if its id or name is in use', () => {
    const venue = Scenario.open();
    const { instrumentId } = PERP;
    // Both the id and the name are invalid; the id is checked first.
    expect(register(venue, PERP)).toEqual({ reject: { reason: 'instrumentIdUsed', instrumentId } });
    expect(register(venue, { ...NEW, name: PERP.name })).toEqual({
      reject: { reason: 'nameUsed', name: PERP.name },
    });
  });

  test.each([
    ['instrumentId', { instrumentId: -1 as never }],
    ['instrumentId', { instrumentId: instrumentId(100_000) }],
    ['name', { name: '' }],
    ['name', { name: '1234' }],
    ['szDecimals', { szDecimals: -5 }],
    ['szDecimals', { szDecimals: 7 }],
    ['priceTick', { priceTick: 0 }],
    ['priceTick', { priceTick: 0.5 }],
    ['bookTicks', { bookTicks: [] }],
    ['bookTicks', { bookTicks: [100, 100] }],
    ['bookTicks', { bookTicks: [1, 2, 3, 4, 5, 6, 7, 8, 9] }],
    ['maxLimitOrderSize', { maxLimitOrderSize: 0 }],
    ['maxMarketOrderSize', { maxMarketOrderSize: -1 }],
    ['impactNotionalMicroUsdc', { impactNotionalMicroUsdc: 0 }],
    ['takerFeeE8', { takerFeeE8: 100_000_000 }],
    ['makerFeeE8', { makerFeeE8: -1 }],
    ['premiumCapE8', { premiumCapE8: 100_000_000 }],
    ['premiumCapE8', { premiumCapE8: -1 }],
    ['markBandE8', { markBandE8: 0 }],
  ])('a listing with an invalid %s is rejected: %j', (field, fault) => {
    const venue = Scenario.open();
    expect(register(venue, { ...NEW, ...fault }).reject).toMatchObject({
      reason: 'definitionInvalid',
      field,
    });
    expect(venue.state.perpIds).toEqual([1]);
  });

  const tier = PERP.tiers[0]!;
  test.each([
    ['no tiers', []],
    ['tier 1 is numbered 2', [{ ...tier, tier: 2 }]],
    ['tier 1 leaves a gap', [{ ...tier, minSize: 1 }]],
    ['mmr must rise', [tier, { ...tier, tier: 2, minSize: 100_000, maxSize: 200_000 }]],
    // A leverage of 50 needs a margin of 2%, and 1.5% + 0.5% + 0.045% is more.
    ['tier 1 would open positions at liquidation', [{ ...tier, mmrE8: 1_500_000 }]],
    ['a number is out of range', [{ ...tier, maxSize: 0.5 }]],
  ])('a listing with an invalid margin table is rejected: %s', (why, tiers) => {
    expect(register(Scenario.open(), { ...NEW, tiers })).toEqual({
      reject: { reason: 'marginTableInvalid', why },
    });
  });
});
