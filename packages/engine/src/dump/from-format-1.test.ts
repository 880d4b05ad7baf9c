import { expect, test } from 'vitest';
import { checkInvariants } from '../invariants/invariants.ts';
import { openMarket, purse, share } from '../testing/outcomes.ts';
import { asFormat1 } from '../testing/format-1.ts';
import { alice, bob, order, Scenario } from '../testing/scenario.ts';
import { group, story, waiting } from '../testing/waiting.ts';
import { dump, restore } from './dump.ts';
import { fromFormat1 } from './from-format-1.ts';

const PRICE = 1_000_000;

test('R-era: orders and triggers of the first release come back as they were', () => {
  const scenario = Scenario.open();
  scenario.one(bob, { isBuy: false, price: PRICE, size: 20 });
  scenario.one(alice, { price: PRICE, size: 60 });
  scenario.place(alice, waiting({ price: 900_000 }), waiting({ price: 800_000 }));
  const before = dump(scenario.state);
  const { orders } = before;
  const expected = { ...before, orders: orders.map((row) => [...row.slice(0, 16), 0]) };
  const state = restore(fromFormat1(asFormat1(before)));
  checkInvariants(state);
  expect(dump(state)).toEqual(expected);
});

test('R-grouping: children that slept behind a parent filled in part are live for that part', () => {
  const scenario = Scenario.open();
  const takeProfit = waiting({ kind: 'takeProfit', price: 1_100_000, isMarket: false });
  group(scenario, alice, 'normal', order({ price: PRICE, size: 100 }), takeProfit);
  group(scenario, alice, 'normal', order({ price: 990_000, size: 100 }), takeProfit);
  expect(story(scenario.block())).toEqual([]);
  scenario.one(bob, { isBuy: false, price: PRICE, size: 40 });
  const lived = dump(scenario.state);
  const old = asFormat1(lived);
  const asleep = old.waiting.triggers.map((row) => {
    const columns = [...row];
    columns[13] = true;
    columns[14] = null;
    return columns as never;
  });
  const migrated = fromFormat1({ ...old, waiting: { ...old.waiting, triggers: asleep } });
  expect(migrated.waiting.triggers.map((row) => [row[0], row[13], row[14]])).toEqual([
    [2, false, 40],
    [4, true, null],
  ]);
  expect(migrated).toEqual(lived);
  checkInvariants(restore(migrated));
});

test('R-reserve: what a buy that is done left reserved is free', () => {
  const venue = openMarket();
  share(venue, alice, { price: 6_000, size: 1_000 });
  const { accounts, ...rest } = asFormat1(dump(venue.state));
  const stuck = accounts.map((account) => ({
    ...account,
    outcomeReserved: String(BigInt(account.outcomeReserved) + 1n),
    outcomeBalance: String(BigInt(account.outcomeBalance) - 1n),
  }));
  venue.block();
  const state = restore(fromFormat1({ ...rest, accounts: stuck }));
  checkInvariants(state);
  expect(dump(state).accounts).toEqual(dump(venue.state).accounts);
  expect(purse(venue, alice)).toBe('993.832 + 6.168 reserved');
});
