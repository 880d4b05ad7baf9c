import { microUsdc, negUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { alice, bob, Scenario } from '@oddlot/testing/engine/scenario';
import { accountTier } from './fees.ts';
import { postFee, postToBalance } from './post.ts';

/** Returns a venue with 1,000 USDC of open interest, so that the fund's target is 10. */
function open(): Scenario {
  const venue = Scenario.open();
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
  venue.one(alice, { price: 1_000_000, size: 1_000 });
  venue.block();
  return venue;
}

/** Moves money from alice to the fund until the fund has this amount. */
function setFund(venue: Scenario, amount: bigint): void {
  const fund = insuranceFund(venue.state);
  const missing = microUsdc(amount - fund.perpBalance);
  postToBalance(venue.state, fund, missing);
  postToBalance(venue.state, venue.account(alice), negUsdc(missing));
}

function split(venue: Scenario, fee: bigint): readonly [fund: bigint, treasury: bigint] {
  const fund = insuranceFund(venue.state);
  const before = { fund: fund.perpBalance, treasury: venue.state.treasury };
  postFee(venue.state, microUsdc(fee));
  return [fund.perpBalance - before.fund, venue.state.treasury - before.treasury];
}

describe('an exchange fee is divided between the fund and the treasury', () => {
  test('a fee goes to the treasury, except for a share, rounded down, while the fund is below its target', () => {
    const venue = open();
    expect(venue.state.insuranceTarget).toBe(10_000_000n);
    setFund(venue, 0n);
    expect(split(venue, 100n)).toEqual([10n, 90n]);
    expect(split(venue, 109n)).toEqual([10n, 99n]);
    expect(split(venue, 9n)).toEqual([0n, 9n]);
    expect(split(venue, 0n)).toEqual([0n, 0n]);
  });

  test('fees fill the fund up to its target but not beyond', () => {
    const venue = open();
    setFund(venue, 9_999_998n);
    expect(split(venue, 100n)).toEqual([2n, 98n]);
    expect(split(venue, 100n)).toEqual([0n, 100n]);
    setFund(venue, 20_000_000n);
    expect(split(venue, 100n)).toEqual([0n, 100n]);
  });

  test('all fees go to the fund while it is below zero', () => {
    const venue = open();
    setFund(venue, -50n);
    expect(split(venue, 49n)).toEqual([49n, 0n]);
    expect(split(venue, 100n)).toEqual([100n, 0n]);
    expect(split(venue, 100n)).toEqual([10n, 90n]);
  });
});

test('the fund itself pays no fees', () => {
  const venue = open();
  const tier = accountTier(venue.state, insuranceFund(venue.state));
  expect(tier).toMatchObject({ makerFeeE8: 0, takerFeeE8: 0 });
});
