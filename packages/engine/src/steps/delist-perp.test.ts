import { microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { dump, restore } from '../dump/dump.ts';
import { postToBalance } from '../ledger/post.ts';
import type { BlockResult } from '../messages/block.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { perpView } from '../read/read.ts';
import {
  alice,
  bob,
  carol,
  order,
  PARAMETERS,
  PERP,
  Scenario,
  START_MS,
} from '../testing/scenario.ts';

const ID = PERP.instrumentId;
const DELIST = { type: 'setPerp', instrumentId: ID, delisted: true, changes: {} } as const;

/** A price every 5 s for a while. */
function run(venue: Scenario, ms: number, price: number): void {
  for (let at = 0; at < ms; at += 5_000) venue.wait(5_000).oracle(price);
}

function of(result: BlockResult, type: string) {
  return result.events.filter((event) => event.type === type);
}

describe('a delisting', () => {
  test('cancels orders, settles every position at the hour’s average and is final', () => {
    const venue = Scenario.open();
    venue.one(alice, { price: 1_000_000, size: 1_000 });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
    const resting = venue.one(carol, { price: 900_000, size: 100 });
    run(venue, 1_200_000, 1_000_000);
    run(venue, 600_000, 1_030_000);
    const before = { alice: venue.balance(alice), bob: venue.balance(bob) };
    const result = venue.block(DELIST);
    // 240 samples of 100 USDC and 120 of 103 make 101.
    expect(of(result, 'orderUpdated')).toMatchObject([
      { status: 'cancelled', cancelCause: 'delisted', order: { orderId: resting.orderId } },
    ]);
    expect(of(result, 'positionSettled')).toMatchObject([
      {
        account: alice,
        size: 1_000,
        price: 1_010_000,
        cost: 1_000_000_000n,
        realised: 10_000_000n,
      },
      { account: bob, size: -1_000, price: 1_010_000, realised: -10_000_000n },
    ]);
    expect(of(result, 'perpSettled')).toMatchObject([{ instrumentId: ID, price: 1_010_000 }]);
    expect(venue.balance(alice)).toBe(before.alice + 10_000_000n);
    expect(venue.balance(bob)).toBe(before.bob - 10_000_000n);
    expect(perpView(venue.state, ID)).toMatchObject({
      halted: true,
      delisted: true,
      mark: 1_010_000,
      openInterest: 0,
    });
    expectFinal(venue);
  });

  test('pays isolated margin back with what the position made', () => {
    const venue = Scenario.open();
    const isolated = { instrumentId: ID, marginMode: 'isolated' } as const;
    venue.block({ type: 'updateMarginMode', ...isolated, authority: venue.authority(alice) });
    venue.one(alice, { price: 1_000_000, size: 1_000 });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
    run(venue, 5_000, 1_010_000);
    const margin = venue.holding(alice).isolatedMargin;
    expect(margin).toBe(50_000_000n);
    const before = venue.balance(alice);
    const result = venue.block(DELIST);
    expect(of(result, 'positionSettled')[0]).toMatchObject({
      account: alice,
      marginMode: 'isolated',
    });
    expect(venue.holding(alice).isolatedMargin).toBe(0n);
    expect(venue.balance(alice)).toBe(before + margin + 10_000_000n);
  });

  test('closes both legs of a hedge', () => {
    const venue = Scenario.open();
    const mode = { type: 'updatePositionMode', mode: 'hedge' } as const;
    venue.outcome({ ...mode, authority: venue.authority(alice) });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 800 });
    venue.one(alice, { price: 1_000_000, size: 800 });
    venue.one(bob, { price: 1_000_000, size: 400 });
    venue.one(alice, { isBuy: false, price: 1_000_000, size: 400 });
    run(venue, 5_000, 1_020_000);
    const before = venue.balance(alice);
    expect(of(venue.block(DELIST), 'positionSettled')).toMatchObject([
      { account: alice, size: 800, realised: 16_000_000n },
      { account: alice, size: -400, realised: -8_000_000n },
      { account: bob, size: -400, realised: -8_000_000n },
    ]);
    expect(venue.balance(alice)).toBe(before + 8_000_000n);
  });

  test('without a price in the last hour takes the last one there was', () => {
    const venue = Scenario.open();
    venue.one(alice, { price: 1_000_000, size: 1_000 });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
    venue.wait(2 * 3_600_000);
    expect(of(venue.block(DELIST), 'perpSettled')).toMatchObject([{ price: 1_000_000 }]);
  });

  test('of a perp that never had a price leaves nothing to settle', () => {
    const venue = Scenario.open();
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: 2 as never, name: 'B' } });
    const result = venue.block({ ...DELIST, instrumentId: 2 as never });
    expect(of(result, 'perpSettled')).toEqual([]);
    expect(venue.state.perps.get(2)).toMatchObject({ delisted: true, mark: 0 });
  });

  test('pays the funding that had fallen due before it', () => {
    const venue = Scenario.open();
    venue.one(alice, { price: 1_000_000, size: 1_000 });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
    venue.one(carol, { price: 900_000, size: 100 });
    run(venue, 3_595_000, 1_000_000);
    venue.wait(START_MS + 3_601_000 - venue.nowMs);
    const result = venue.block(DELIST);
    expect(of(result, 'fundingPaid')).toMatchObject([
      { account: alice, amount: -12_500n },
      { account: bob, amount: 12_500n },
    ]);
    expect(of(result, 'positionSettled')).toHaveLength(2);
  });
});

/** Nothing trades, changes or moves the mark any more; a restored venue agrees. */
function expectFinal(venue: Scenario): void {
  const refused = { reject: { reason: 'instrumentDelisted', instrumentId: ID } };
  expect(venue.outcome({ ...DELIST })).toEqual(refused);
  expect(venue.outcome({ type: 'setPerp', instrumentId: ID, halted: false, changes: {} })).toEqual(
    refused,
  );
  expect(venue.one(alice, { price: 1_000_000, size: 100 }).reject?.reason).toBe(
    'instrumentDelisted',
  );
  const pushed = venue.wait(60_000).oracle(2_000_000);
  expect(pushed.outcomes).toEqual([{ skipped: [{ index: 0, why: 'instrumentDelisted' }] }]);
  expect(pushed.events).toEqual([]);
  const copy = restore(JSON.parse(JSON.stringify(dump(venue.state))));
  expect(dump(copy)).toEqual(dump(venue.state));
}

test('what an isolated position lost beyond its margin falls to the fund, not to its owner', () => {
  const venue = Scenario.open();
  const isolated = { instrumentId: ID, marginMode: 'isolated' } as const;
  const authority = () => venue.authority(bob);
  venue.block({ type: 'updateMarginMode', ...isolated, authority: authority() });
  venue.block({ type: 'updateLeverage', ...isolated, leverage: 50, authority: authority() });
  venue.one(alice, { price: 1_000_000, size: 1_000 });
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
  // Halted, so that liquidation waits while the price runs away by 5%, more than the 2% of margin.
  venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
  run(venue, 3_600_000, 1_050_000);
  expect(venue.position(bob)).toBe(-1_000);
  const fund = insuranceFund(venue.state);
  const before = { alice: venue.balance(alice), bob: venue.balance(bob) };
  const reserves = fund.perpBalance + venue.state.treasury;
  const result = venue.block(DELIST);
  expect(of(result, 'perpSettled')).toMatchObject([{ price: 1_050_000 }]);
  expect(venue.balance(bob)).toBe(before.bob);
  expect(venue.holding(bob)).toMatchObject({ size: 0, isolatedMargin: 0n });
  // 50 USDC were lost, of which bob's margin covers 20.
  const gained = venue.balance(alice) - before.alice;
  const paid = reserves - (fund.perpBalance + venue.state.treasury);
  expect(gained).toBe(20_000_000n + paid);
});

test('waiting orders go too, and so do their groups', () => {
  const venue = Scenario.open();
  venue.one(alice, { price: 1_000_000, size: 1_000 });
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
  const exit = { isBuy: false, reduceOnly: true, size: 1_000 } as const;
  const above = { kind: 'takeProfit', price: 1_100_000, isMarket: true } as const;
  const below = { kind: 'stopLoss', price: 900_000, isMarket: true } as const;
  venue.block({
    type: 'placeOrders',
    authority: venue.authority(alice),
    grouping: 'position',
    orders: [
      order({ ...exit, price: 1_100_000, trigger: above }),
      order({ ...exit, price: 900_000, trigger: below }),
    ],
  });
  venue.block({
    type: 'placeOrders',
    authority: venue.authority(carol),
    grouping: 'normal',
    orders: [
      order({ price: 950_000, size: 100 }),
      order({ ...exit, size: 100, price: 900_000, trigger: below }),
    ],
  });
  expect(venue.state.triggers.size).toBe(3);
  const cancelled = of(venue.block(DELIST), 'orderUpdated');
  expect(cancelled).toHaveLength(4);
  for (const event of cancelled) {
    expect(event).toMatchObject({ status: 'cancelled', cancelCause: 'delisted' });
  }
  expect(venue.state.triggers.size).toBe(0);
});

/** Bob has 59.55 USDC, is short 1,000 lots of alice's at 100, and the price has gone to 110. */
function ruined(fundMicroUsdc: number): Scenario {
  const venue = Scenario.open();
  const drained = venue.balance(bob) - 60_000_000n;
  postToBalance(venue.state, venue.account(bob), microUsdc(-drained));
  postToBalance(venue.state, venue.account(carol), microUsdc(drained));
  if (fundMicroUsdc > 0) venue.fund(PARAMETERS.insuranceFundAddress, fundMicroUsdc);
  venue.one(alice, { price: 1_000_000, size: 1_000 });
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
  // Halted, so that liquidation waits.
  venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
  run(venue, 3_600_000, 1_100_000);
  expect(venue.balance(bob)).toBe(59_550_000n);
  expect(venue.position(bob)).toBe(-1_000);
  return venue;
}

// 100 USDC are lost, of which bob has 59.55. His bankruptcy price is 110 − 40.45 / 10 = 105.955.
test('R-delist: one whom the price ruins is taken over by a fund that is rich enough', () => {
  const venue = ruined(10_000_000_000);
  const fund = insuranceFund(venue.state);
  const reserves = fund.perpBalance + venue.state.treasury;
  const before = venue.balance(alice);
  const result = venue.block(DELIST);
  expect(of(result, 'liquidationStep')).toMatchObject([
    { step: 'insurance', account: bob, price: 1_059_550, mark: 1_100_000, equity: -40_450_000n },
  ]);
  expect(venue.balance(bob)).toBe(0n);
  expect(venue.balance(alice)).toBe(before + 100_000_000n);
  // What bob did not have came out of the fund, whose own position closed with the others.
  expect(fund.perpBalance + venue.state.treasury).toBe(reserves - 40_450_000n);
  expect(venue.position(PARAMETERS.insuranceFundAddress)).toBe(0);
});

test('R-delist: with a poor fund the other side is deleveraged at the bankruptcy price', () => {
  const venue = ruined(0);
  const fund = insuranceFund(venue.state);
  const reserves = fund.perpBalance + venue.state.treasury;
  const before = venue.balance(alice);
  const result = venue.block(DELIST);
  expect(of(result, 'liquidationStep')).toMatchObject([{ step: 'adl', price: 1_059_550 }]);
  expect(of(result, 'deleveraged')).toMatchObject([
    { account: alice, size: 1_000, price: 1_059_550, realised: 59_550_000n },
  ]);
  expect(venue.balance(bob)).toBe(0n);
  expect(venue.balance(alice)).toBe(before + 59_550_000n);
  expect(fund.perpBalance + venue.state.treasury).toBe(reserves);
});
