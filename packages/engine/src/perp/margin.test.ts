import { describe, expect, test } from 'vitest';
import { accountView } from '../read/read.ts';
import { alice, bob, carol, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { worstCase } from './margin.ts';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const USDC = 1_000_000n;
const viewOf = (scenario: Scenario) => accountView(scenario.state, alice)!;

/**
 * Opens a long of this many lots for alice, bought at 100 from bob, with these funds in micro-USDC.
 */
function aliceLong(size: number, funds: number, parameters = {}): Scenario {
  const scenario = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000, parameters });
  scenario.fund(alice, funds);
  scenario.one(bob, { isBuy: false, price: PRICE, size });
  expect(scenario.one(alice, { price: PRICE, size }).state).toBe('filled');
  return scenario;
}

describe('R-initial: initial margin covers the worst-case exposure', () => {
  test.each([
    { size: 0, buys: 0, sells: 0, exposure: 0 },
    { size: 0, buys: 30, sells: 50, exposure: 50 },
    { size: 10, buys: 30, sells: 50, exposure: 40 },
    { size: 10, buys: 30, sells: 51, exposure: 41 },
    { size: 10, buys: 0, sells: 20, exposure: 10 },
    { size: -10, buys: 50, sells: 30, exposure: 40 },
    { size: -10, buys: 5, sells: 0, exposure: 10 },
  ])(
    'a position of $size with $buys to buy and $sells to sell has an exposure of $exposure',
    ({ size, buys, sells, exposure }) => {
      expect(worstCase(size, buys, sells)).toBe(exposure);
    },
  );

  test('the larger side of resting orders counts towards initial margin, excluding reduce-only orders', () => {
    const scenario = aliceLong(100, 1_000_000_000);
    // At 20×, 100 lots need a margin of 5 USDC.
    expect(viewOf(scenario).initialMargin).toBe(5n * USDC);
    scenario.one(alice, { price: 900_000, size: 60 });
    expect(viewOf(scenario).initialMargin).toBe(8n * USDC);
    // The exposure of 100 − 250 = −150 is smaller than 160, so no additional margin is needed.
    scenario.one(alice, { isBuy: false, price: 1_100_000, size: 250 });
    expect(viewOf(scenario).initialMargin).toBe(8n * USDC);
    scenario.one(alice, { isBuy: false, price: 1_100_000, size: 50 });
    expect(viewOf(scenario).initialMargin).toBe(10n * USDC);
    scenario.one(alice, { isBuy: false, price: 1_100_000, size: 100, reduceOnly: true });
    expect(viewOf(scenario).initialMargin).toBe(10n * USDC);
    scenario.cancel(alice, 4, 5);
    expect(viewOf(scenario).initialMargin).toBe(8n * USDC);
  });

  test('initial margin rounds up and is computed at the mark, not at the limit', () => {
    const scenario = Scenario.open({ oracle: 1_000_001 });
    scenario.one(alice, { price: 900_000, size: 13 });
    // The margin is 13 × 1,000,001 / 20 = 650,000.65, rounded up.
    expect(viewOf(scenario).initialMargin).toBe(650_001n);
  });

  test('the exposure’s tier limits the leverage of the whole exposure', () => {
    const parameters = { defaultLeverage: 50 };
    const scenario = Scenario.open({ funds: 100_000_000_000, parameters });
    scenario.one(alice, { price: PRICE, size: 100_000 });
    // At 50×, 100,000 USDC needs a margin of 2,000.
    expect(viewOf(scenario).initialMargin).toBe(2_000n * USDC);
    scenario.one(alice, { price: PRICE, size: 10 });
    // At the 20× of tier 2, 100,010 USDC needs 5,000.5.
    expect(viewOf(scenario).initialMargin).toBe(5_000_500_000n);
  });

  test('R-leverage: the default leverage is 20× unless the first tier allows less', () => {
    const scenario = Scenario.open({ parameters: { defaultLeverage: 75 } });
    scenario.one(alice, { price: PRICE, size: 100 });
    expect(scenario.holding(alice).leverage).toBe(50);
  });
});

describe('R-initial: admission requires margin and the maximum fee', () => {
  // An order for 100 lots needs a margin of 5 USDC, plus 0.045% of 100 USDC for the fee.
  test.each([
    [5_045_000, undefined],
    [5_044_999, 'marginInsufficient'],
  ])('admission checks that %i micro-USDC cover the margin of 100 lots', (funds, reason) => {
    const scenario = Scenario.open({ funds });
    const entry = scenario.one(alice, { price: PRICE, size: 100 });
    expect(entry.reject?.reason).toBe(reason);
    if (reason === undefined) return;
    const numbers = { required: 5_045_000n, available: 5_044_999n };
    expect(entry.reject).toEqual({ reason: 'marginInsufficient', ...numbers });
  });

  test('the maximum fee is computed at the limit price', () => {
    // At 1.8, 20 lots need a margin of 1 USDC at the mark, plus a fee of 0.045% of 36, or 0.0162.
    const order = { price: 1_800_000, size: 20 };
    expect(Scenario.open({ funds: 1_016_200 }).one(alice, order).state).toBe('open');
    expect(Scenario.open({ funds: 1_016_199 }).one(alice, order).state).toBe('rejected');
  });

  test('an order that does not increase the worst-case exposure is accepted whatever the account value', () => {
    const scenario = aliceLong(100, 10_000_000);
    // A value of 9.955 USDC less a loss of 8 at 92 is far below the initial margin of 4.6.
    scenario.oracle(920_000);
    const view = viewOf(scenario);
    expect(view.cross.accountValue < view.initialMargin).toBe(true);
    const sell = { isBuy: false, price: 930_000 } as const;
    expect(scenario.one(alice, { ...sell, size: 201 }).reject?.reason).toBe('marginInsufficient');
    expect(scenario.one(alice, { ...sell, size: 200 }).state).toBe('open');
    expect(scenario.one(alice, { ...sell, size: 11 }).reject?.reason).toBe('marginInsufficient');
    const buy = { price: 900_000, size: 12 };
    expect(scenario.one(alice, buy).reject?.reason).toBe('marginInsufficient');
  });
});

describe('R-tiers: the last tier limits positions', () => {
  test('the position limit is checked on worst-case exposure, before margin', () => {
    const scenario = Scenario.open({ funds: 4_000_000_000_000 });
    expect(scenario.one(alice, { price: PRICE, size: 9_999_990 }).state).toBe('open');
    const above = scenario.one(alice, { price: PRICE, size: 11 });
    expect(above.reject?.reason).toBe('positionLimit');
    expect(scenario.one(alice, { price: PRICE, size: 10 }).state).toBe('open');
    const sell = { isBuy: false, price: 1_100_000, size: 10_000_000 };
    expect(scenario.one(alice, sell).state).toBe('open');
    expect(scenario.one(alice, { ...sell, size: 10 }).reject?.reason).toBe('positionLimit');
  });
});

describe('R-ratio and R-withdrawable: an account shows its margin values', () => {
  // Alice has 1,000 USDC less a fee of 0.045 and is long 100 lots at 100.
  test('an account shows maintenance margin, liquidation fee and notional', () => {
    const view = viewOf(aliceLong(100, 1_000_000_000));
    const sums = { accountValue: 999_955_000n, notional: 100n * USDC, marginUsed: 5n * USDC };
    expect(view).toMatchObject({
      perpBalance: 999_955_000n,
      total: sums,
      cross: sums,
      maintenanceMargin: 1n * USDC,
      liquidationFee: 500_000n,
    });
  });

  test.each([
    ['10% of notional above initial margin', PRICE, 989_955_000n],
    ['profit carries positions but does not leave', 2_000_000, 999_955_000n],
    // At 50 the account is worth 949.955, from which 10% of 50 is subtracted.
    ['a loss does not leave either', 500_000, 944_955_000n],
  ])('the withdrawable amount is limited: %s', (_, oracle, expected) => {
    const scenario = aliceLong(100, 1_000_000_000);
    scenario.oracle(oracle);
    expect(viewOf(scenario).withdrawable).toBe(expected);
  });

  test('initial margin limits withdrawals if resting orders raise it above 10% of notional', () => {
    const scenario = aliceLong(100, 1_000_000_000);
    scenario.one(alice, { price: 900_000, size: 300 });
    // At 20×, 400 lots need a margin of 20 USDC.
    expect(viewOf(scenario).withdrawable).toBe(979_955_000n);
  });

  test('the withdrawable amount is never below 0', () => {
    const scenario = aliceLong(100, 10_000_000);
    scenario.oracle(920_000);
    expect(viewOf(scenario).withdrawable).toBe(0n);
    // The market is halted, so liquidation is suspended.
    scenario.block({ type: 'setPerp', instrumentId: PERP.instrumentId, halted: true, changes: {} });
    scenario.oracle(800_000);
    expect(viewOf(scenario).cross.accountValue).toBe(-10_045_000n);
    expect(viewOf(scenario).withdrawable).toBe(0n);
  });

  test('R-oracle-stale: twice the value of a position without a valid price cannot be withdrawn', () => {
    const scenario = aliceLong(100, 1_000_000_000);
    scenario.wait(30_001);
    scenario.block();
    // The withdrawable amount is 999.955 − 2 × 100 − 10% of 100.
    expect(viewOf(scenario).withdrawable).toBe(789_955_000n);
    expect(accountView(scenario.state, carol)!.withdrawable).toBe(1_000_000n * USDC);
    scenario.oracle(PRICE);
    expect(viewOf(scenario).withdrawable).toBe(989_955_000n);
  });

  test('the liquidation price is the mark at which the ratio is 1', () => {
    const scenario = aliceLong(100, 10_000_000);
    // The equation 9.955 + (x − 100) = x × (1% + 0.5%) gives x = 90.045 / 0.985 = 91.41624….
    expect(viewOf(scenario).positions[0]!.liquidationPrice).toBe(914_162);
  });
});
