import { describe, expect, test } from 'vitest';
import type { EngineEvent, LiquidationStep } from '../messages/event.ts';
import { accountView } from '../read/read.ts';
import { alice, bob, carol, PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';

/** One lot is 0.01 and a price unit is 0.0001, so 1,000,000 is a price of 100. */
const at = (usdc: number): number => Math.round(usdc * 10_000);
const steps = (events: readonly EngineEvent[]): LiquidationStep[] =>
  events.filter((event) => event.type === 'liquidationStep');

/**
 * Opens a 100-coin long at 100 for alice with 500 USDC at 20×; bob is short, and carol can place
 * maker orders.
 */
function opened(): Scenario {
  const scenario = Scenario.open({ accounts: [], oracle: at(100) });
  scenario.fund(alice, 510_000_000);
  scenario.fund(bob, 100_000_000_000);
  scenario.fund(carol, 100_000_000_000);
  scenario.one(bob, { isBuy: false, price: at(100), size: 10_000 });
  const { state } = scenario.one(alice, { price: at(100), size: 10_000, timeInForce: 'ioc' });
  expect(state).toBe('filled');
  return scenario;
}

const value = (scenario: Scenario, trader: typeof alice): bigint =>
  accountView(scenario.state, trader)?.total.accountValue ?? 0n;

describe('R-liquidation: a liquidation continues step by step until the account is safe', () => {
  // The notional is 10,000 and the taker fee 4.5, so the balance is 505.5. At a mark of 100,
  // maintenance margin is 1%, or 100, and the liquidation fee is 0.5%, or 50.
  test('an account with a ratio above 1 is not liquidated', () => {
    const scenario = opened();
    // At 97, equity is 505.5 − 300 = 205.5 and risk is 9,700 × 1.5% = 145.5.
    scenario.wait(1_000);
    const result = scenario.oracle(at(97));
    expect(steps(result.events)).toEqual([]);
  });

  test('an account with a ratio of at most 1 is closed in the book, and the fee goes to the fund', () => {
    const scenario = opened();
    scenario.one(carol, { price: at(96), size: 20_000 });
    scenario.wait(1_000);
    // The mark follows the oracle within its 1% band; at 96.2 equity is 125.5 and risk 144.3.
    const result = scenario.oracle(at(96.2));
    const mark = accountView(scenario.state, bob)?.positions[0]?.mark ?? 0;
    const [step] = steps(result.events);
    expect(step).toMatchObject({ step: 'market', account: alice, marginMode: 'cross', mark });
    expect(accountView(scenario.state, alice)?.positions).toEqual([]);
    // Selling 100 coins at 96 yields 9,600 with a fee of 48, so the balance is 505.5 − 400 − 48 =
    // 57.5.
    expect(value(scenario, alice)).toBe(57_500_000n);
    expect(value(scenario, PARAMETERS.insuranceFundAddress)).toBeGreaterThanOrEqual(48_000_000n);
  });

  test('if the book is empty and equity is low, positions on the other side are deleveraged', () => {
    const scenario = opened();
    scenario.wait(1_000);
    const result = scenario.oracle(at(95));
    // Equity of 505.5 − 500 = 5.5 is below two thirds of the maintenance margin of 95, and the fund
    // has almost no money.
    expect(steps(result.events).map(({ step }) => step)).toEqual(['market', 'adl']);
    const adl = result.events.find((event) => event.type === 'deleveraged');
    // The bankruptcy price is 95 − 5.5 / 100 = 94.945.
    expect(adl).toMatchObject({ account: bob, size: 10_000, price: at(94.945) });
    expect(accountView(scenario.state, alice)?.positions).toEqual([]);
    expect(accountView(scenario.state, bob)?.positions).toEqual([]);
    expect(value(scenario, alice)).toBe(0n);
  });

  test('the fund takes over a position if it has enough money', () => {
    const scenario = opened();
    scenario.fund(PARAMETERS.insuranceFundAddress, 50_000_000_000);
    scenario.wait(1_000);
    const result = scenario.oracle(at(95));
    expect(steps(result.events).map(({ step }) => step)).toEqual(['market', 'insurance']);
    const fund = accountView(scenario.state, PARAMETERS.insuranceFundAddress);
    expect(fund?.positions).toMatchObject([{ instrumentId: PERP.instrumentId, size: 10_000 }]);
  });

  test('for a position above 100,000 USDC, 20% is closed first and the rest 30 s later', () => {
    const scenario = Scenario.open({ accounts: [], oracle: at(100) });
    scenario.fund(alice, 10_200_000_000);
    scenario.fund(bob, 1_000_000_000_000);
    scenario.fund(carol, 1_000_000_000_000);
    scenario.one(bob, { isBuy: false, price: at(100), size: 200_000 });
    scenario.one(alice, { price: at(100), size: 200_000, timeInForce: 'ioc' });
    scenario.one(carol, { price: at(96), size: 400_000 });
    const size = (): number => accountView(scenario.state, alice)?.positions[0]?.size ?? 0;
    expect(size()).toBe(200_000);
    // In tier 2, the maintenance margin is 2.5% less 1,000 × 1.5% × mark. At 96.5 the ratio is
    // below 1.
    scenario.wait(1_000).oracle(at(96.5));
    expect(size()).toBe(160_000);
    for (let i = 0; i < 29; i++) scenario.wait(1_000).oracle(at(96.5));
    expect(size()).toBe(160_000);
    scenario.wait(1_000).oracle(at(96.5));
    expect(size()).toBe(0);
  });
});
