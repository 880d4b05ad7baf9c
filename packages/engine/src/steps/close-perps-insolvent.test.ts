import { microUsdc } from '@oddlot/units';
import { expect, test } from 'vitest';
import { postToBalance } from '../ledger/post.ts';
import type { BlockResult } from '../messages/block.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { alice, bob, carol, PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';

/** The id of the market whose settlement price makes accounts insolvent. */
const ID = PERP.instrumentId;
const HOUR_MS = 3_600_000;
const SAMPLE_MS = 5_000;
const DELIST = { type: 'setPerp', instrumentId: ID, delisted: true, changes: {} } as const;

function run(venue: Scenario, ms: number, price: number): void {
  for (let at = 0; at < ms; at += SAMPLE_MS) venue.wait(SAMPLE_MS).oracle(price);
}

function of(result: BlockResult, type: string) {
  return result.events.filter((event) => event.type === type);
}

test('R-delist: an isolated loss beyond its margin is covered by the fund, not by its owner', () => {
  const venue = Scenario.open();
  const isolated = { instrumentId: ID, marginMode: 'isolated' } as const;
  const authority = () => venue.authority(bob);
  venue.block({ type: 'updateMarginMode', ...isolated, authority: authority() });
  venue.block({ type: 'updateLeverage', ...isolated, leverage: 50, authority: authority() });
  venue.one(alice, { price: 1_000_000, size: 1_000 });
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
  // The market is halted, so that liquidation is suspended while the price moves by 5%, more than
  // the margin of 2%.
  venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
  venue.block(DELIST);
  run(venue, HOUR_MS - SAMPLE_MS, 1_050_000);
  venue.wait(SAMPLE_MS - 1).block();
  expect(venue.position(bob)).toBe(-1_000);
  const fund = insuranceFund(venue.state);
  const before = { alice: venue.balance(alice), bob: venue.balance(bob) };
  const reserves = fund.perpBalance + venue.state.treasury;
  const result = venue.wait(1).block();
  expect(of(result, 'perpSettled')).toMatchObject([{ price: 1_049_931 }]);
  expect(venue.balance(bob)).toBe(before.bob);
  expect(venue.holding(bob)).toMatchObject({ size: 0, isolatedMargin: 0n });
  // All samples except the first are at 105. The loss is 49.931 USDC, of which bob's margin covers
  // 20.
  const gained = venue.balance(alice) - before.alice;
  const paid = reserves - (fund.perpBalance + venue.state.treasury);
  expect(gained).toBe(20_000_000n + paid);
});

/** Bob has 59.55 USDC and is short 1,000 lots against alice at 100; the price is 110. */
function ruined(fundMicroUsdc: number): Scenario {
  const venue = Scenario.open();
  const drained = venue.balance(bob) - 60_000_000n;
  postToBalance(venue.state, venue.account(bob), microUsdc(-drained));
  postToBalance(venue.state, venue.account(carol), microUsdc(drained));
  if (fundMicroUsdc > 0) venue.fund(PARAMETERS.insuranceFundAddress, fundMicroUsdc);
  venue.one(alice, { price: 1_000_000, size: 1_000 });
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
  // The market is halted, so that liquidation is suspended.
  venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
  venue.oracle(1_100_000);
  venue.block(DELIST);
  run(venue, HOUR_MS - SAMPLE_MS, 1_100_000);
  venue.wait(SAMPLE_MS - 1).block();
  expect(venue.balance(bob)).toBe(59_550_000n);
  expect(venue.position(bob)).toBe(-1_000);
  return venue;
}

// The loss is 100 USDC, of which bob can cover 59.55. His bankruptcy price is 110 − 40.45 / 10 =
// 105.955.
test('R-delist: a fund with sufficient money takes over an insolvent position', () => {
  const venue = ruined(10_000_000_000);
  const fund = insuranceFund(venue.state);
  const reserves = fund.perpBalance + venue.state.treasury;
  const before = venue.balance(alice);
  const result = venue.wait(1).block();
  expect(of(result, 'liquidationStep')).toMatchObject([
    { step: 'insurance', account: bob, price: 1_059_550, mark: 1_100_000, equity: -40_450_000n },
  ]);
  expect(venue.balance(bob)).toBe(0n);
  expect(venue.balance(alice)).toBe(before + 100_000_000n);
  // The fund paid bob's deficit, and its own position was closed with the others.
  expect(fund.perpBalance + venue.state.treasury).toBe(reserves - 40_450_000n);
  expect(venue.position(PARAMETERS.insuranceFundAddress)).toBe(0);
});

test('R-delist: if the fund has little money, the other side is deleveraged at the bankruptcy price', () => {
  const venue = ruined(0);
  const fund = insuranceFund(venue.state);
  const reserves = fund.perpBalance + venue.state.treasury;
  const before = venue.balance(alice);
  const result = venue.wait(1).block();
  expect(of(result, 'liquidationStep')).toMatchObject([{ step: 'adl', price: 1_059_550 }]);
  expect(of(result, 'deleveraged')).toMatchObject([
    { account: alice, size: 1_000, price: 1_059_550, realised: 59_550_000n },
  ]);
  expect(venue.balance(bob)).toBe(0n);
  expect(venue.balance(alice)).toBe(before + 59_550_000n);
  expect(fund.perpBalance + venue.state.treasury).toBe(reserves);
});
