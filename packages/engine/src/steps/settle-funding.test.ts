import { timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { dump, restore } from '../dump/dump.ts';
import { tradeOffBook } from '../liquidation/trade-off-book.ts';
import type { BlockResult } from '../messages/block.ts';
import { type FundingPaid, TIMER } from '../messages/event.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { perpView } from '../read/read.ts';
import { holdingOf } from '../state/account.ts';
import {
  alice,
  bob,
  carol,
  PERP,
  Scenario,
  type ScenarioOptions,
  START_MS,
  WIDE_PERP,
} from '@oddlot/testing/engine/scenario';

const HOUR = 3_600_000;
const ID = PERP.instrumentId;

function paid(result: BlockResult): FundingPaid[] {
  return result.events.filter((event) => event.type === 'fundingPaid');
}

/** Opens a long for alice and a short for bob of this many lots; the book is empty afterwards. */
function positions(lots: number, options: ScenarioOptions = {}): Scenario {
  const venue = Scenario.open(options);
  const price = options.oracle ?? 1_000_000;
  venue.one(alice, { price, size: lots });
  venue.one(bob, { isBuy: false, price, size: lots });
  return venue;
}

/**
 * Returns positions in a market whose mark can be 1% from the oracle, and carol's order beyond the
 * mark on one side: her bid above a mark of 101, or her ask below a mark of 99. Bob has the other
 * side of the book.
 */
function steep(isAbove: boolean): { venue: Scenario; orderId: number } {
  const venue = positions(1_000, { perp: WIDE_PERP });
  const [near, far] = isAbove ? [1_020_000, 1_030_000] : [980_000, 970_000];
  venue.one(bob, { isBuy: !isAbove, price: far, size: 100 });
  const { orderId = 0 } = venue.one(carol, { isBuy: isAbove, price: near, size: 7_000 });
  return { venue, orderId };
}

/** Pushes a price every 5 s until a time after the start; returns the last block. */
function runTo(venue: Scenario, endMs: number, price = 1_000_000, external?: number): BlockResult {
  let result: BlockResult | undefined;
  while (venue.nowMs < START_MS + endMs) {
    venue.wait(Math.min(5_000, START_MS + endMs - venue.nowMs));
    const prices = [
      { instrumentId: ID, oracle: price, ...(external === undefined ? {} : { external }) },
    ];
    result = venue.block({ type: 'pushOracle', prices, observedMs: timeMs(venue.nowMs) });
  }
  if (result === undefined) throw new Error('time passes');
  return result;
}

describe('R-funding: each hour is paid once at its rate', () => {
  test('samples of a thin book are 0, so longs pay only the interest at the end of the hour', () => {
    const venue = positions(1_000);
    venue.one(carol, { price: 990_000, size: 100 });
    const before = { alice: venue.balance(alice), bob: venue.balance(bob) };
    runTo(venue, HOUR - 5_000);
    expect(venue.state.perps.get(ID)?.funding.samples).toBe(719);
    const result = runTo(venue, HOUR);
    // The interest is 1,000 USDC × 0.0000125.
    expect(paid(result)).toMatchObject([
      { account: alice, amount: -12_500n, size: 1_000, rateE10: 125_000, dueMs: START_MS + HOUR },
      { account: bob, amount: 12_500n, size: -1_000, rateE10: 125_000 },
    ]);
    expect(venue.balance(alice)).toBe(before.alice - 12_500n);
    expect(venue.balance(bob)).toBe(before.bob + 12_500n);
    const { allTime, sinceChange, sinceOpen } = venue.holding(alice).funding;
    expect([allTime, sinceOpen, sinceChange]).toEqual([-12_500n, -12_500n, -12_500n]);
    // The market's result is reported for all holders.
    expect(result.events.filter(({ type }) => type === 'fundingClosed')).toEqual([
      {
        type: 'fundingClosed',
        commandIndex: TIMER,
        instrumentId: ID,
        rateE10: 125_000,
        premiumE10: 0,
        dueMs: START_MS + HOUR,
      },
    ]);
    // The sample on the hour is the first one of the next hour.
    expect(venue.state.perps.get(ID)?.funding).toMatchObject({ samples: 1, sum: 0n });
  });

  test('premium samples for half an hour count for half', () => {
    const { orderId, venue } = steep(true);
    runTo(venue, HOUR / 2, 1_000_000, 1_010_000);
    // There are 360 samples of 0.01 each at the mark, from 5 s to 1,800 s.
    expect(venue.state.perps.get(ID)?.funding).toMatchObject({
      samples: 360,
      sum: 36_000_000_000n,
    });
    venue.cancel(carol, orderId);
    const result = runTo(venue, HOUR);
    // With P = 0.005, F8h is 0.0045, and an eighth of it is 0.0005625, or 0.5625 for 1,000 USDC.
    expect(paid(result)).toMatchObject([
      { account: alice, amount: -562_500n, rateE10: 5_625_000 },
      { account: bob, amount: 562_500n },
    ]);
  });

  test('an ask below the oracle makes shorts pay funding', () => {
    const { venue } = steep(false);
    const result = runTo(venue, HOUR, 1_000_000, 990_000);
    // With 719 of 720 samples of −0.01, P is −0.0099861111, F8h is −0.0094861111, and an eighth of
    // it is −0.0011857639.
    expect(paid(result)).toMatchObject([
      { account: alice, amount: 1_185_763n, rateE10: -11_857_639 },
      { account: bob, amount: -1_185_764n },
    ]);
  });

  test('funding amounts round against positions, and the fund receives the remainder', () => {
    const venue = Scenario.open({ oracle: 1_000_001, parameters: { minOrderValueMicroUsdc: 0 } });
    venue.one(alice, { price: 1_000_000, size: 2 });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1 });
    venue.one(carol, { isBuy: false, price: 1_000_000, size: 1 });
    venue.one(carol, { price: 990_000, size: 1 });
    const fund = insuranceFund(venue.state);
    const before = fund.perpBalance;
    const result = runTo(venue, HOUR, 1_000_001);
    expect(paid(result).map(({ amount }) => amount)).toEqual([-26n, 12n, 12n]);
    expect(fund.perpBalance - before).toBe(2n);
  });

  test('an isolated position pays funding from its margin, which can fall below zero', () => {
    // The interest moves the rate to its cap of 4%, twice the margin at 50×.
    const parameters = { fundingInterestE10: 4_000_000_000, fundingDamperE10: 4_000_000_000 };
    const venue = Scenario.open({ parameters });
    const isolated = { instrumentId: ID, marginMode: 'isolated' } as const;
    const authority = () => venue.authority(alice);
    venue.block({ type: 'updateMarginMode', ...isolated, authority: authority() });
    venue.block({ type: 'updateLeverage', ...isolated, leverage: 50, authority: authority() });
    venue.one(alice, { price: 1_000_000, size: 1_000 });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
    venue.one(carol, { price: 900_000, size: 100 });
    expect(venue.holding(alice).isolatedMargin).toBe(20_000_000n);
    const balance = venue.balance(alice);
    const result = runTo(venue, HOUR);
    expect(paid(result)[0]).toMatchObject({ account: alice, amount: -40_000_000n });
    expect(venue.balance(alice)).toBe(balance);
    // The liquidation in the same block starts with the position 20 USDC below zero.
    expect(result.events.find(({ type }) => type === 'liquidationStep')).toMatchObject({
      account: alice,
      equity: -20_000_000n,
      marginMode: 'isolated',
    });
  });

  test('both legs of a hedge pay and receive funding separately', () => {
    const venue = Scenario.open();
    const mode = { type: 'updatePositionMode', mode: 'hedge' } as const;
    venue.outcome({ ...mode, authority: venue.authority(alice) });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 800 });
    venue.one(alice, { price: 1_000_000, size: 800 });
    venue.one(bob, { price: 1_000_000, size: 400 });
    venue.one(alice, { isBuy: false, price: 1_000_000, size: 400 });
    venue.one(carol, { price: 990_000, size: 100 });
    expect(paid(runTo(venue, HOUR)).map(({ size, amount }) => [size, amount])).toEqual([
      [800, -10_000n],
      [-400, 5_000n],
      [-400, 5_000n],
    ]);
  });
});

describe('R-funding-gaps: missing samples and blocks count as zero', () => {
  test('a block that passes several sample times takes one sample', () => {
    const venue = positions(1_000);
    venue.one(carol, { price: 1_010_000, size: 6_000 });
    venue.wait(29_000).oracle(1_000_000);
    expect(venue.state.perps.get(ID)?.funding.samples).toBe(1);
    venue.wait(900).block();
    expect(venue.state.perps.get(ID)?.funding.samples).toBe(1);
    venue.wait(100).block();
    expect(venue.state.perps.get(ID)?.funding.samples).toBe(2);
    venue.block();
    expect(venue.state.perps.get(ID)?.funding.samples).toBe(2);
  });

  test('an hour without samples pays no funding, even later', () => {
    const venue = positions(1_000);
    const first = runTo(venue, HOUR);
    expect(paid(first)).toEqual([]);
    venue.one(carol, { price: 990_000, size: 100 });
    venue.wait(5_000).oracle(1_000_000);
    // The log has no entry for three hours, so the oracle at the end of the first hour is unknown.
    venue.wait(3 * HOUR);
    expect(paid(venue.oracle(1_000_000))).toEqual([]);
    expect(paid(runTo(venue, 5 * HOUR - 1))).toEqual([]);
  });

  test('the first block after the hour pays funding once, at the oracle price in force on the hour', () => {
    const venue = positions(1_000);
    venue.one(carol, { price: 990_000, size: 100 });
    runTo(venue, HOUR - 2_000);
    // After three hours without a block, the first hour's funding is due; the other hours have no
    // samples.
    venue.wait(3 * HOUR);
    const result = venue.oracle(1_200_000);
    expect(paid(result)).toMatchObject([
      { account: alice, amount: -12_500n, dueMs: START_MS + HOUR },
      { account: bob, amount: 12_500n, dueMs: START_MS + HOUR },
    ]);
    expect(paid(venue.wait(1_000).block())).toEqual([]);
  });

  test('a block exactly on the hour pays funding at its own price', () => {
    const venue = positions(1_000);
    venue.one(carol, { price: 990_000, size: 100 });
    runTo(venue, HOUR - 5_000);
    venue.wait(5_000);
    expect(paid(venue.oracle(1_100_000))[0]).toMatchObject({ account: alice, amount: -13_750n });
  });

  test('a market that is halted or stale on the hour pays no funding', () => {
    const halted = positions(1_000);
    halted.one(carol, { price: 990_000, size: 100 });
    runTo(halted, HOUR - 5_000);
    const halt = { type: 'setPerp', instrumentId: ID, halted: true, changes: {} } as const;
    halted.block(halt);
    expect(paid(runTo(halted, HOUR))).toEqual([]);
    expect(paid(runTo(halted, HOUR + 5_000))).toEqual([]);

    const stale = positions(1_000);
    stale.one(carol, { price: 990_000, size: 100 });
    runTo(stale, HOUR - 30_001);
    stale.wait(30_001);
    expect(paid(stale.block())).toEqual([]);

    const fresh = positions(1_000);
    fresh.one(carol, { price: 990_000, size: 100 });
    runTo(fresh, HOUR - 30_000);
    fresh.wait(30_000);
    expect(paid(fresh.block())).toHaveLength(2);
  });

  test('a halt in the block after the hour does not affect that hour’s funding', () => {
    const venue = positions(1_000);
    venue.one(carol, { price: 990_000, size: 100 });
    runTo(venue, HOUR - 1_000);
    venue.wait(2_000);
    const halt = { type: 'setPerp', instrumentId: ID, halted: true, changes: {} } as const;
    expect(paid(venue.block(halt))).toHaveLength(2);
  });
});

test('a restored venue predicts the same funding', () => {
  const venue = positions(1_000);
  venue.one(carol, { price: 1_010_000, size: 6_000 });
  runTo(venue, HOUR / 4);
  const copy = new Scenario();
  Object.assign(copy.state, restore(JSON.parse(JSON.stringify(dump(venue.state)))));
  copy.wait(venue.nowMs - copy.nowMs);
  runTo(venue, HOUR);
  runTo(copy, HOUR);
  expect(dump(copy.state)).toEqual(dump(venue.state));
  expect(copy.holding(alice).funding.allTime).toBeLessThan(0n);
});

test('the predicted rate, the premium and the impact prices can be queried', () => {
  const { venue } = steep(true);
  // The mark has not moved yet, so the bid does not count.
  expect(perpView(venue.state, ID)).toMatchObject({
    fundingRateE10: 0,
    premiumE10: 0n,
    impactBid: 1_020_000,
    impactAsk: undefined,
    nextFundingMs: timeMs(START_MS + HOUR),
  });
  runTo(venue, 35_000, 1_000_000, 1_010_000);
  // The first seven of eight samples give P = 0.00875 and F8h = 0.00825, an eighth of which is
  // 0.00103125.
  expect(perpView(venue.state, ID)).toMatchObject({
    fundingRateE10: 10_312_500,
    premiumE10: 100_000_000n,
  });
});

describe('R-insurance-fund: the fund pays no funding and makes no one else pay more', () => {
  /**
   * Gives the fund and alice positions, with bob on the other side. The book has no orders near the
   * mark.
   */
  function held(lots: Readonly<Record<'fund' | 'alice' | 'bob', number>>): Scenario {
    const venue = Scenario.open();
    venue.one(carol, { price: 900_000, size: 100 });
    const { state } = venue;
    const execution = { state, events: [], commandIndex: TIMER };
    const perp = state.perps.get(ID)!;
    for (const [account, size] of [
      [insuranceFund(state), lots.fund],
      [venue.account(alice), lots.alice],
      [venue.account(bob), lots.bob],
    ] as const) {
      const holding = holdingOf(account, perp, 0, 20);
      if (size !== 0) tradeOffBook(execution, { account, holding }, size, 1_000_000);
    }
    return venue;
  }

  test.each([
    // A third of the long lots belong to alice, so bob receives what she pays.
    [{ fund: 1_000, alice: 500, bob: -1_500 }, [-6_250n, 6_250n, 0n], 0n],
    [{ fund: 1_500, alice: 0, bob: -1_500 }, [0n, 0n], 0n],
    [{ fund: -1_000, alice: 1_500, bob: -500 }, [-18_750n, 6_250n, 12_500n], 12_500n],
    // The exact payment is 12.5 per lot, of which 8.3125 is charged. Alice pays 13 instead of 12.5,
    // bob receives 12, and the fund receives the remainder.
    [{ fund: 2, alice: 1, bob: -3 }, [-13n, 12n, 0n], 1n],
  ])('the fund pays no funding: with %o the accounts receive %o', (lots, amounts, gain) => {
    const venue = held(lots);
    const before = insuranceFund(venue.state).perpBalance;
    const events: FundingPaid[] = [];
    while (venue.nowMs < START_MS + HOUR) events.push(...paid(venue.wait(5_000).oracle(1_000_000)));
    expect(events.map(({ amount }) => amount)).toEqual(amounts);
    expect(insuranceFund(venue.state).perpBalance).toBe(before + gain);
  });

  test('a premium of 1% with the fund among the longs pays the rulebook’s amounts', () => {
    const venue = held({ fund: 1_000, alice: 500, bob: -1_500 });
    const perp = venue.state.perps.get(ID)!;
    venue.wait(HOUR - 5_000).oracle(1_000_000);
    Object.assign(perp.funding, { samples: 720, sum: 72_000_000_000n });
    const result = venue.wait(5_000).oracle(1_000_000);
    expect(paid(result)).toMatchObject([
      { account: alice, amount: -593_750n, rateE10: 11_875_000 },
      { account: bob, amount: 593_750n },
      { amount: 0n, size: 1_000 },
    ]);
  });
});

test('R-order-of-events: accounts pay funding in order of address', () => {
  const venue = Scenario.open({ accounts: [carol, bob, alice] });
  venue.one(carol, { isBuy: false, price: 1_000_000, size: 300 });
  venue.one(bob, { price: 1_000_000, size: 200, timeInForce: 'ioc' });
  venue.one(alice, { price: 1_000_000, size: 100, timeInForce: 'ioc' });
  venue.one(carol, { price: 900_000, size: 100 });
  const events: FundingPaid[] = [];
  while (venue.nowMs < START_MS + HOUR) events.push(...paid(venue.wait(5_000).oracle(1_000_000)));
  expect(events.map(({ account }) => account)).toEqual([alice, bob, carol]);
});
