import type { Address } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { TradeExecuted } from '../messages/event.ts';
import {
  alice,
  bob,
  carol,
  order,
  type OrderShape,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';

/**
 * At this price, 10 lots are worth 10,001,000 micro-USDC. The fee is 4,500.45 for takers, at
 * 0.045%, and 1,500.15 for makers, at 0.015%. The exact sums of one, two and three fills are
 * 4,500.45, 9,000.90 and 13,501.35 for a taker, and 1,500.15, 3,000.30 and 4,500.45 for a maker.
 */
const PRICE = 1_000_100;
const sell = (size: number): OrderShape => ({ isBuy: false, price: PRICE, size });

function fees(scenario: Scenario, signer: Address, shape: OrderShape): [bigint, bigint][] {
  const orders = [order(shape)];
  const authority = scenario.authority(signer);
  return scenario
    .block({ type: 'placeOrders', authority, orders })
    .events.filter((event): event is TradeExecuted => event.type === 'tradeExecuted')
    .map(({ taker, maker }) => [taker.fee, maker.fee]);
}

describe('R-rounding: the exchange fees for several fills round up once per order', () => {
  test('a taker that fills against three makers pays the same rounded fee as for one fill', () => {
    const scenario = Scenario.open();
    for (const maker of [bob, carol, bob]) scenario.one(maker, sell(10));
    // The taker's running total after each of the three fills is 4,501, 9,001 and 13,502.
    expect(fees(scenario, alice, { price: PRICE, size: 30 })).toEqual([
      [4_501n, 1_501n],
      [4_500n, 1_501n],
      [4_501n, 1_501n],
    ]);
    expect(scenario.state.treasury).toBe(13_502n + 3n * 1_501n);
    expect(scenario.balance(alice)).toBe(1_000_000_000n - 13_502n);
    expect(scenario.holding(alice).feesPaid).toBe(13_502n);
  });

  test('a maker that is filled three times pays the same rounded fee as for one fill', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(30));
    const buy = { price: PRICE, size: 10 };
    // The maker's running total after each of the three fills is 1,501, 3,001 and 4,501; each taker
    // is a separate order.
    expect(fees(scenario, alice, buy)).toEqual([[4_501n, 1_501n]]);
    expect(fees(scenario, carol, buy)).toEqual([[4_501n, 1_500n]]);
    expect(fees(scenario, alice, buy)).toEqual([[4_501n, 1_500n]]);
  });

  test('an order that takes liquidity and rests afterwards rounds the fee for each role separately', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(10));
    expect(fees(scenario, alice, { price: PRICE, size: 30 })).toEqual([[4_501n, 1_501n]]);
    expect(fees(scenario, carol, sell(10))).toEqual([[4_501n, 1_501n]]);
    expect(fees(scenario, carol, sell(10))).toEqual([[4_501n, 1_500n]]);
    expect(scenario.holding(alice).feesPaid).toBe(4_501n + 1_501n + 1_500n);
  });
});

describe('R-fee-tiers: a fill pays the lower of two rates', () => {
  const tier = (makerFeeE8: number, takerFeeE8: number) => ({
    feeTiers: [{ level: 0, minVolumeMicroUsdc: 0, makerFeeE8, takerFeeE8 }],
  });
  test.each([
    // The rates of 0.02% and 0.01% apply to 10,001,000.
    ['the tier is lower', tier(10_000, 20_000), {}, 2_001n, 1_001n],
    ['the instrument is lower', {}, { takerFeeE8: 20_000, makerFeeE8: 10_000 }, 2_001n, 1_001n],
    ['each role by itself', tier(0, 45_000), { takerFeeE8: 30_000 }, 3_001n, 0n],
  ])(
    'a fill pays the lower rate of tier and instrument: %s',
    (_, parameters, rates, takerFee, makerFee) => {
      const scenario = Scenario.open({ parameters, perp: { ...PERP, ...rates } });
      scenario.one(bob, sell(10));
      expect(fees(scenario, alice, { price: PRICE, size: 10 })).toEqual([[takerFee, makerFee]]);
    },
  );
});
