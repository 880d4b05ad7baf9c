import { expect, test } from 'vitest';
import { checkInvariants } from '../invariants/invariants.ts';
import { bob, PARAMETERS, Scenario } from '../testing/scenario.ts';
import { dump, restore, type StateDump } from './dump.ts';
import { addFundFields, type FundFormat1 } from './fund-from-format-1.ts';

const FUND = PARAMETERS.insuranceFundAddress;

test('R-era: a fund of the first release unwinds what it has from 0.1% on', () => {
  const venue = Scenario.open();
  venue.fund(FUND, 1_000_000_000);
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 100 });
  venue.one(FUND, { price: 1_000_000, size: 100, timeInForce: 'ioc' });
  venue.wait(10_000).oracle(1_000_000);
  const { fundUnwindBands, ...rest } = JSON.parse(JSON.stringify(dump(venue.state))) as StateDump;
  expect(fundUnwindBands).toEqual([[1, 200_000]]);
  const { insuranceUnwindStepE8: _, ...parameters } = PARAMETERS;
  const old: FundFormat1<StateDump> = { ...rest, parameters };
  const state = restore(addFundFields(old));
  checkInvariants(state);
  expect(dump(state)).toEqual({ ...dump(venue.state), fundUnwindBands: [] });
});
