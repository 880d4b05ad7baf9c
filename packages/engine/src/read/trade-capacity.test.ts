import { instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { actor, alice, bob, PERP, Scenario } from '../testing/scenario.ts';
import { tradeCapacity } from './read.ts';

const PRICE = 1_000_000;
const id = PERP.instrumentId;

/** The size shown is admitted at the mark, and one lot more is not. */
function expectTight(arrange: (scenario: Scenario) => void, funds = 10_000_000): void {
  for (const isBuy of [true, false]) {
    for (const more of [0, 1]) {
      const scenario = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000 });
      scenario.fund(alice, funds);
      arrange(scenario);
      const capacity = tradeCapacity(scenario.state, alice, id)!;
      const size = (isBuy ? capacity.maxBuy : capacity.maxSell) + more;
      expect(size).toBeGreaterThan(more);
      const entry = scenario.one(alice, { isBuy, price: PRICE, size, timeInForce: 'ioc' });
      expect({ isBuy, more, isAdmitted: entry.reject === undefined }).toEqual({
        isBuy,
        more,
        isAdmitted: more === 0,
      });
    }
  }
}

function long(scenario: Scenario, size: number): void {
  scenario.one(bob, { isBuy: false, price: PRICE, size });
  expect(scenario.one(alice, { price: PRICE, size }).state).toBe('filled');
}

describe('R-initial: the largest size shown is the largest admitted', () => {
  test('with nothing else: 10 USDC at 20× and 0.045%', () => {
    const scenario = Scenario.open({ funds: 10_000_000 });
    // n × (0.05 + 0.00045) ≤ 10: 198.2.
    expect(tradeCapacity(scenario.state, alice, id)).toEqual({
      isIsolated: false,
      isHedged: false,
      leverage: 20,
      leverageShort: 20,
      maxBuy: 198,
      maxSell: 198,
      availableToBuy: 9_900_000n,
      availableToSell: 9_900_000n,
    });
    expectTight(() => {});
  });

  test('with a position', () => expectTight((scenario) => long(scenario, 100)));
  test('with orders on both sides', () =>
    expectTight((scenario) => {
      scenario.one(alice, { price: 900_000, size: 30 });
      scenario.one(alice, { isBuy: false, price: 1_100_000, size: 45 });
    }));
  test('across a tier', () => expectTight(() => {}, 60_000_000_000));
  test('with reduce-only orders, which count for nothing', () =>
    expectTight((scenario) => {
      long(scenario, 100);
      scenario.one(alice, { isBuy: false, price: 1_100_000, size: 60, reduceOnly: true });
    }));
  test('at the limit of the tiers', () => {
    expectTight(
      (scenario) => scenario.one(alice, { price: 900_000, size: 1_000_000 }),
      4_000_000_000_000,
    );
  });
});

test('a position under water may still be turned as far as it was', () => {
  const scenario = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000 });
  scenario.fund(alice, 10_000_000);
  long(scenario, 100);
  scenario.oracle(920_000);
  expect(tradeCapacity(scenario.state, alice, id)).toMatchObject({ maxBuy: 0, maxSell: 200 });
});

test('nothing before the first price, for strangers, and for instruments that are not listed', () => {
  const scenario = Scenario.open();
  const second = { ...PERP, instrumentId: instrumentId(2), name: 'NEW-USDC' };
  scenario.block({ type: 'registerPerp', perp: second });
  const none = { maxBuy: 0, maxSell: 0, availableToBuy: 0n, availableToSell: 0n };
  expect(tradeCapacity(scenario.state, alice, instrumentId(2))).toMatchObject(none);
  expect(tradeCapacity(scenario.state, actor(0x99), id)).toMatchObject(none);
  expect(tradeCapacity(scenario.state, alice, instrumentId(3))).toBeUndefined();
});
