import { timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import { checkInvariants } from '../invariants/invariants.ts';
import { asFormat1 } from '../testing/format-1.ts';
import { MARKET_ID, openMarket, operate, setPhase } from '../testing/outcomes.ts';
import { alice, PERP, START_MS } from '../testing/scenario.ts';
import { dump, restore } from './dump.ts';
import { type Format1Dump, fromFormat1 } from './from-format-1.ts';

/** A venue as release 0.1.0 would have written it. */
function format1(markBandE8?: number): Format1Dump {
  const venue = openMarket();
  operate(venue, alice, 'split', 500);
  setPhase(venue, 'closed');
  const observedMs = timeMs(START_MS);
  const price = { symbol: 'BTC', source: 'spot', priceE8: 5, observedMs } as const;
  venue.block({ type: 'pushPrice', prices: [price] });
  const plain = asFormat1(dump(venue.state));
  if (markBandE8 === undefined) return plain;
  const perps = plain.perps.map((perp) => ({
    ...perp,
    definition: { ...perp.definition, markBandE8 },
  }));
  return { ...plain, perps };
}

test('R-era: what release 0.1.0 wrote of markets becomes what this one writes', () => {
  const state = restore(fromFormat1(format1()));
  checkInvariants(state);
  expect(dump(state)).toEqual(fromFormat1(format1()));
  expect(state.perps.get(PERP.instrumentId)).toMatchObject({ closing: undefined, delisted: false });
  expect(state.outcomes.prices.get('BTC/spot')?.lastMs).toBe(START_MS);
  expect([...(state.outcomes.markets.get(MARKET_ID)?.holders.keys() ?? [])]).toHaveLength(1);
});

test('R-mark: the migration lowers a band that is too wide, and leaves others', () => {
  const bandOf = (markBandE8?: number) =>
    restore(fromFormat1(format1(markBandE8))).perps.get(PERP.instrumentId);
  expect(bandOf(1_000_000)?.markBandE8).toBe(223_587);
  expect(bandOf(1_000_000)?.definition.markBandE8).toBeUndefined();
  expect(bandOf(100_000)?.markBandE8).toBe(100_000);
  expect(bandOf()?.markBandE8).toBe(223_587);
});
