import { expect, test } from 'vitest';
import { checkInvariants } from '../check-invariants.ts';
import { asRules3 } from '@oddlot/testing/engine/as-rules-3';
import { openMarket, operate, share } from '@oddlot/testing/engine/outcomes';
import { alice, bob, Scenario } from '@oddlot/testing/engine/scenario';
import { waiting } from '@oddlot/testing/engine/waiting';
import { dump, restore, type StateDump } from './dump.ts';
import { fromRules3 } from './from-rules-3.ts';

function expectUnchanged(before: StateDump): void {
  const state = restore(fromRules3(asRules3(before)));
  checkInvariants(state);
  expect(dump(state)).toEqual(before);
}

test('R-era: the migration keeps perps, orders and triggers from rules 3', () => {
  const scenario = Scenario.open();
  scenario.one(bob, { isBuy: false, price: 1_000_000, size: 20 });
  scenario.one(alice, { price: 1_000_000, size: 60 });
  scenario.place(alice, waiting({ price: 900_000 }), waiting({ price: 800_000 }));
  expectUnchanged(dump(scenario.state));
});

test('R-era: the migration keeps outcome markets from rules 3', () => {
  const venue = openMarket();
  operate(venue, alice, 'split', 500);
  share(venue, alice, { price: 6_000, size: 1_000 });
  expectUnchanged(dump(venue.state));
});

test.each([
  ['90000000000', '30000000000'],
  ['-90000000000', '-30000000000'],
  ['12345678901', '12345678901'],
])('R-funding: premiums of %s that rules 3 sampled 300 times count as %s', (sum, expected) => {
  const before = asRules3(dump(Scenario.open().state));
  const perps = before.perps.map((perp) => ({ ...perp, funding: [sum, 300] as const }));
  const [perp] = fromRules3({ ...before, perps }).perps;
  expect(perp?.funding).toEqual([expected, 300]);
});
