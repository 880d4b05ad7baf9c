import { addUsdc, microUsdc } from '@oddlot/units';
import { expect, test } from 'vitest';
import { holdingKey } from './state/account.ts';
import { alice, bob, Scenario } from '@oddlot/testing/engine/scenario';
import { checkInvariants } from './check-invariants.ts';

function traded(): Scenario {
  const scenario = Scenario.open();
  scenario.one(bob, { price: 1_000_000, size: 100, isBuy: false });
  scenario.one(alice, { price: 1_000_000, size: 100 });
  return scenario;
}

test("R-determinism: checking an account's cached margin does not change it", () => {
  const scenario = traded();
  const account = scenario.account(alice);
  account.margin.epoch = -1;
  const before = { ...account.margin };
  checkInvariants(scenario.state);
  expect(account.margin).toEqual(before);
});

test.each(['initial', 'unrealised', 'maintenance', 'notional'] as const)(
  'R-initial: a cached %s that was not updated is found by every check',
  (part) => {
    const scenario = traded();
    const account = scenario.account(alice);
    const holding = account.holdings.get(holdingKey(1, 0))!;
    account.margin[part] = addUsdc(account.margin[part], microUsdc(1));
    for (const _ of [1, 2]) expect(() => checkInvariants(scenario.state)).toThrow('margin sums');
    account.margin[part] = addUsdc(account.margin[part], microUsdc(-1));
    holding[part] = addUsdc(holding[part], microUsdc(1));
    for (const _ of [1, 2]) expect(() => checkInvariants(scenario.state)).toThrow('the margin');
  },
);
