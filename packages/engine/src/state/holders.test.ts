import { expect, test } from 'vitest';
import { dump, restore } from '../dump/dump.ts';
import { checkInvariants } from '../check-invariants.ts';
import { forkState } from '../simulate/fork-state.ts';
import { alice, bob, carol, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { holdersOf, setSize } from './holders.ts';
import type { State } from './state.ts';

const ID = PERP.instrumentId;

const names = (state: State): readonly (readonly [string, number])[] => {
  const perp = state.perps.get(ID);
  if (perp === undefined) throw new Error('the perp is listed');
  return holdersOf(state, perp).map(({ account, holding }) => [account.address, holding.size]);
};

function traded(): Scenario {
  const venue = Scenario.open({ accounts: [carol, alice, bob] });
  venue.one(carol, { isBuy: false, price: 1_000_000, size: 300 });
  venue.one(bob, { price: 1_000_000, size: 100, timeInForce: 'ioc' });
  venue.one(alice, { price: 1_000_000, size: 200, timeInForce: 'ioc' });
  return venue;
}

test('R-order-of-events: holders are sorted by address, not in order of creation or trading', () => {
  expect(names(traded().state)).toEqual([
    [alice, 200],
    [bob, 100],
    [carol, -300],
  ]);
});

test('an account without a position is not a holder until it opens another one', () => {
  const venue = traded();
  venue.one(alice, { isBuy: false, price: 1_000_000, size: 200 });
  venue.one(carol, { price: 1_000_000, size: 200, timeInForce: 'ioc' });
  expect(names(venue.state)).toEqual([
    [bob, 100],
    [carol, -100],
  ]);
  venue.one(alice, { isBuy: false, price: 1_000_000, size: 10 });
  venue.one(bob, { price: 1_000_000, size: 10, timeInForce: 'ioc' });
  expect(names(venue.state)[0]).toEqual([alice, -10]);
});

test('a restored venue and a fork have the same holders, and changes in the fork do not affect the venue', () => {
  const { state } = traded();
  expect(names(restore(dump(state)))).toEqual(names(state));
  const fork = forkState(state);
  expect(names(fork)).toEqual(names(state));
  const [first] = holdersOf(fork, ...fork.perps.values());
  if (first === undefined) throw new Error('the first holder exists');
  setSize(fork, first.holding, 0);
  expect(names(fork).length).toBe(2);
  expect(names(state).length).toBe(3);
  expect(state.perps.get(ID)?.openInterest).toBe(300);
});

test('an index that lacks one of the holders violates an invariant', () => {
  const { state } = traded();
  const holders = state.perps.get(ID)?.holders;
  holders?.delete([...holders.keys()][0] ?? -1);
  expect(() => checkInvariants(state)).toThrow('the holders of 1 are those with a position');
});
