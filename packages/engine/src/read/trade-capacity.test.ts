import { instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { actor, alice, bob, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';
import { tradeCapacity } from './read.ts';

const PRICE = 1_000_000;
const id = PERP.instrumentId;
const settings = { instrumentId: id, marginMode: 'cross' } as const;

/** Checks that the displayed size is accepted at the mark but one lot more is not. */
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

describe('R-initial: the displayed capacity is the largest order that is accepted', () => {
  test('an account without positions can use 10 USDC at 20× and 0.045%', () => {
    const scenario = Scenario.open({ funds: 10_000_000 });
    // The condition n × (0.05 + 0.00045) ≤ 10 gives at most 198.2 lots.
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

  test('the displayed capacity is exact with a position', () =>
    expectTight((scenario) => long(scenario, 100)));
  test('the displayed capacity is exact with orders on both sides', () =>
    expectTight((scenario) => {
      scenario.one(alice, { price: 900_000, size: 30 });
      scenario.one(alice, { isBuy: false, price: 1_100_000, size: 45 });
    }));
  test('the displayed capacity is exact across a margin tier', () =>
    expectTight(() => {}, 60_000_000_000));
  test('reduce-only orders do not reduce the displayed capacity', () =>
    expectTight((scenario) => {
      long(scenario, 100);
      scenario.one(alice, { isBuy: false, price: 1_100_000, size: 60, reduceOnly: true });
    }));
  test('the displayed capacity is exact at the position limit', () => {
    expectTight(
      (scenario) => scenario.one(alice, { price: 900_000, size: 1_000_000 }),
      4_000_000_000_000,
    );
  });
});

describe('R-tiers, R-initial: the displayed margin uses the tier’s leverage', () => {
  test.each([
    // At 50×, which applies up to 100,000 lots, 2,000 USDC covers 98,000 lots.
    { funds: 2_000_000_000, tierLeverage: 50 },
    // Above 100,000 lots, 20× applies.
    { funds: 20_000_000_000, tierLeverage: 20 },
  ])('with $funds the displayed margin is that of $tierLeverage×', ({ funds, tierLeverage }) => {
    const scenario = Scenario.open({ accounts: [] });
    scenario.fund(alice, funds);
    act(scenario, alice, { type: 'updateLeverage', ...settings, leverage: 50 });
    const capacity = tradeCapacity(scenario.state, alice, id)!;
    expect(capacity.leverage).toBe(50);
    const margin = (BigInt(capacity.maxBuy) * BigInt(PRICE)) / BigInt(tierLeverage);
    expect(capacity).toMatchObject({ availableToBuy: margin, availableToSell: margin });
    // The margin falls short of the balance less fees by at most one lot.
    expect(margin).toBeGreaterThan((BigInt(funds) * 97n) / 100n);
    expect(margin).toBeLessThanOrEqual(BigInt(funds));
  });

  test('the displayed capacity of an isolated order is exact across a margin tier', () => {
    expectTight((scenario) => {
      const isolated = { instrumentId: id, marginMode: 'isolated' } as const;
      act(scenario, alice, { type: 'updateMarginMode', ...isolated });
      act(scenario, alice, { type: 'updateLeverage', ...isolated, leverage: 50 });
    }, 8_000_000_000);
  });
});

test('R-sizes: the capacity is zero if the affordable size is below the minimum value', () => {
  const scenario = Scenario.open({ funds: 400_000 });
  const none = { maxBuy: 0, maxSell: 0, availableToBuy: 0n, availableToSell: 0n };
  expect(tradeCapacity(scenario.state, alice, id)).toMatchObject(none);
});

test('R-halt: the capacity is zero while trading is halted', () => {
  const scenario = Scenario.open();
  scenario.block({ type: 'setPerp', instrumentId: id, halted: true, changes: {} });
  expect(tradeCapacity(scenario.state, alice, id)).toMatchObject({ maxBuy: 0, maxSell: 0 });
});

test('R-initial: for a mark between ticks, the capacity is the one at the next price that could trade', () => {
  const scenario = Scenario.open({ funds: 10_000_000, oracle: 1_000_050 });
  for (const isBuy of [true, false]) {
    const { maxBuy, maxSell } = tradeCapacity(scenario.state, alice, id)!;
    const price = isBuy ? 1_000_100 : 1_000_000;
    const ioc = { isBuy, price, timeInForce: 'ioc' } as const;
    const size = isBuy ? maxBuy : maxSell;
    expect(scenario.one(alice, { ...ioc, size }).reject).toBeUndefined();
    expect(scenario.one(alice, { ...ioc, size: size + 1 }).reject?.reason).toBe(
      'marginInsufficient',
    );
  }
});

test('a position below initial margin can still be reversed up to its size', () => {
  const scenario = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000 });
  scenario.fund(alice, 10_000_000);
  long(scenario, 100);
  scenario.oracle(920_000);
  expect(tradeCapacity(scenario.state, alice, id)).toMatchObject({ maxBuy: 0, maxSell: 200 });
});

test('the capacity is zero before the first price, and for unknown accounts and instruments', () => {
  const scenario = Scenario.open();
  const second = { ...PERP, instrumentId: instrumentId(2), name: 'NEW-USDC' };
  scenario.block({ type: 'registerPerp', perp: second });
  const none = { maxBuy: 0, maxSell: 0, availableToBuy: 0n, availableToSell: 0n };
  expect(tradeCapacity(scenario.state, alice, instrumentId(2))).toMatchObject(none);
  expect(tradeCapacity(scenario.state, actor(0x99), id)).toMatchObject(none);
  expect(tradeCapacity(scenario.state, alice, instrumentId(3))).toBeUndefined();
});
