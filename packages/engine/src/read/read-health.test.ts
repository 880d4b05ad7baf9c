import { instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { alice, bob, PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { oracleAges, venueMoney } from './read-health.ts';

const SECOND = instrumentId(2);

describe('R-oracle-stale: the age of a price determines whether it is stale', () => {
  test('an oracle price’s age is measured from its observation, and a perp without one is stale', () => {
    const venue = Scenario.open({ accounts: [alice, bob] });
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: SECOND, name: 'B-USDC' } });
    venue.oracle(1_000_000);
    const { oracleStaleMs } = PARAMETERS;
    const at = (ms: number) => oracleAges(venue.state, venue.state.timeMs + ms);
    expect(at(0)).toEqual([
      { name: PERP.name, isTrading: true, isAwaited: true, ageMs: 0, isStale: false },
      { name: 'B-USDC', isTrading: true, isAwaited: true, ageMs: undefined, isStale: true },
    ]);
    expect(at(oracleStaleMs)[0]).toMatchObject({ ageMs: oracleStaleMs, isStale: false });
    expect(at(oracleStaleMs + 1)[0]).toMatchObject({ ageMs: oracleStaleMs + 1, isStale: true });
  });

  test('a halted perp does not require a price', () => {
    const venue = Scenario.open({ accounts: [alice, bob] });
    venue.block({
      type: 'setPerp',
      instrumentId: PERP.instrumentId,
      halted: true,
      changes: {},
    });
    expect(oracleAges(venue.state, venue.state.timeMs)[0]).toMatchObject({
      isTrading: false,
      isAwaited: false,
    });
  });

  test('R-delist: a perp in its closing hour does not trade but requires a price', () => {
    const venue = Scenario.open({ accounts: [alice, bob] });
    venue.oracle(1_000_000);
    venue.block({
      type: 'setPerp',
      instrumentId: PERP.instrumentId,
      delisted: true,
      changes: {},
    });
    expect(oracleAges(venue.state, venue.state.timeMs)[0]).toMatchObject({
      isTrading: false,
      isAwaited: true,
    });
  });
});

describe('the venue’s money is reported', () => {
  test('the venue’s money consists of the fees in the treasury and the insurance fund', () => {
    const venue = Scenario.open({ accounts: [alice, bob] });
    const before = venueMoney(venue.state);
    venue.fund(PARAMETERS.insuranceFundAddress, 5_000_000);
    const shape = { price: 1_000_000, size: 1_000 };
    venue.one(bob, { ...shape, isBuy: false });
    venue.one(alice, { ...shape, isBuy: true, timeInForce: 'ioc' });
    const after = venueMoney(venue.state);
    expect(after.treasury).toBe(venue.state.treasury);
    expect(after.treasury).toBeGreaterThan(before.treasury);
    expect(after.insuranceFund - before.insuranceFund).toBeGreaterThanOrEqual(5_000_000n);
  });
});
