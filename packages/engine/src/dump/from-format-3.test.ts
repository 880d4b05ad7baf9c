import { expect, test } from 'vitest';
import { checkInvariants } from '../invariants/check-invariants.ts';
import { asFormat3 } from '../testing/as-format-3.ts';
import { openMarket, operate, share } from '../testing/outcomes.ts';
import { alice, bob, Scenario } from '../testing/scenario.ts';
import { waiting } from '../testing/waiting.ts';
import { dump, restore, type StateDump } from './dump.ts';
import { fromFormat3 } from './from-format-3.ts';

function expectKept(before: StateDump): void {
  const state = restore(fromFormat3(asFormat3(before)));
  checkInvariants(state);
  expect(dump(state)).toEqual(before);
}

test('R-era: perps, orders and triggers of rules 2 come back as they were', () => {
  const scenario = Scenario.open();
  scenario.one(bob, { isBuy: false, price: 1_000_000, size: 20 });
  scenario.one(alice, { price: 1_000_000, size: 60 });
  scenario.place(alice, waiting({ price: 900_000 }), waiting({ price: 800_000 }));
  expectKept(dump(scenario.state));
});

test('R-era: an old venue has judged its marks last, and its fund has paid nothing yet', () => {
  const scenario = Scenario.open();
  scenario.one(bob, { isBuy: false, price: 1_000_000, size: 20 });
  scenario.one(alice, { price: 1_000_000, size: 20 });
  scenario.wait(1_000).oracle(1_010_000);
  // Halted, its mark follows the oracle, and nobody judges it: rules 2 did not know the difference.
  scenario.block({ type: 'setPerp', instrumentId: 1 as never, halted: true, changes: {} });
  scenario.wait(1_000).oracle(1_020_000);
  const before = dump(scenario.state);
  expect(before.perps[0]?.mark).toEqual([1_020_000, scenario.nowMs, 1_010_000]);
  const after = fromFormat3(asFormat3(before));
  expect(after.perps[0]?.mark).toEqual([1_020_000, scenario.nowMs, 1_020_000]);
  expect(after.fundCosts).toEqual([]);
  expect(after.parameters).toMatchObject({
    insuranceHourE8: 10_000_000,
    insuranceInstrumentHourE8: 5_000_000,
  });
});

test('R-era: outcome markets of rules 2 come back as they were', () => {
  const venue = openMarket();
  operate(venue, alice, 'split', 500);
  share(venue, alice, { price: 6_000, size: 1_000 });
  expectKept(dump(venue.state));
});
