import { microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { dump, restore } from '../dump/dump.ts';
import { feeTierView } from '../read/read.ts';
import { actor, alice, bob, carol, Scenario, START_MS } from '@oddlot/testing/engine/scenario';
import { accountTier, dayOf } from './fees.ts';
import { postToBalance } from './post.ts';

const DAY = 86_400_000;
const LADDER = [
  { level: 0, minVolumeMicroUsdc: 0, makerFeeE8: 15_000, takerFeeE8: 45_000 },
  { level: 1, minVolumeMicroUsdc: 1_000_000_000, makerFeeE8: 10_000, takerFeeE8: 40_000 },
  { level: 2, minVolumeMicroUsdc: 2_000_000_000, makerFeeE8: 0, takerFeeE8: 30_000 },
];

function open(): Scenario {
  return Scenario.open({ parameters: { feeTiers: LADDER } });
}

/** Lets alice buy from bob at 100 USDC, a price at which one lot is worth 1 USDC. */
function trade(venue: Scenario, lots: number): void {
  venue.oracle(1_000_000);
  venue.one(bob, { isBuy: false, price: 1_000_000, size: lots });
  venue.one(alice, { price: 1_000_000, size: lots });
}

function level(venue: Scenario): number {
  return accountTier(venue.state, venue.account(alice)).level;
}

function to(venue: Scenario, day: number, ms = 0): void {
  venue.wait(START_MS + day * DAY + ms - venue.nowMs);
  venue.oracle(1_000_000);
}

describe('the 14-day volume determines the fee tier of an account', () => {
  test('the fee tier depends on complete days and changes at 00:00 UTC', () => {
    const venue = open();
    trade(venue, 1_000);
    expect(level(venue)).toBe(0);
    to(venue, 0, DAY - 1);
    expect(level(venue)).toBe(0);
    to(venue, 1);
    expect(level(venue)).toBe(1);
    expect(accountTier(venue.state, venue.account(bob)).level).toBe(1);
  });

  test('the volumes of several days are summed', () => {
    const venue = open();
    trade(venue, 990);
    to(venue, 1);
    expect(level(venue)).toBe(0);
    trade(venue, 10);
    to(venue, 2);
    expect(level(venue)).toBe(1);
  });

  test('a day’s volume counts for the next 14 days', () => {
    const venue = open();
    trade(venue, 1_000);
    to(venue, 14, DAY - 1);
    expect(level(venue)).toBe(1);
    to(venue, 15);
    expect(level(venue)).toBe(0);
  });

  test('fifteen days of volume are stored', () => {
    const venue = open();
    for (let day = 0; day < 20; day++) {
      to(venue, day);
      trade(venue, 100);
    }
    const { days } = venue.account(alice).volume;
    expect(days).toHaveLength(15);
    expect(days[0]).toEqual({ day: dayOf(START_MS) + 5, notional: 100_000_000n });
    // These are days 5 to 18; the 14 days do not include the current one.
    expect(feeTierView(venue.state, alice)).toMatchObject({
      tier: { level: 1 },
      volume14d: 1_400_000_000n,
      next: { level: 2 },
    });
  });

  test('the fee tier applies to fills of makers and takers', () => {
    const venue = open();
    trade(venue, 1_000);
    to(venue, 1);
    const { treasury } = venue.state;
    const before = { alice: venue.balance(alice), bob: venue.balance(bob) };
    trade(venue, 100);
    // The fees on 100 USDC are 0.04% and 0.01%.
    expect(before.alice - venue.balance(alice)).toBe(40_000n);
    expect(before.bob - venue.balance(bob)).toBe(10_000n);
    expect(venue.state.treasury - treasury).toBe(45_000n);
  });

  test('the daily volumes are preserved by a dump', () => {
    const venue = open();
    trade(venue, 1_000);
    const copy = restore(JSON.parse(JSON.stringify(dump(venue.state))));
    expect(copy.accounts.map(({ volume }) => volume.days)).toEqual(
      venue.state.accounts.map(({ volume }) => volume.days),
    );
  });
});

describe('a fee schedule change applies to later fills', () => {
  test('a new fee schedule applies from the next fill, based on the stored volume', () => {
    const venue = open();
    trade(venue, 1_000);
    to(venue, 1);
    expect(level(venue)).toBe(1);
    const tiers = [
      { ...LADDER[0]!, takerFeeE8: 20_000 },
      { ...LADDER[1]!, minVolumeMicroUsdc: 1_000_000_001 },
    ];
    const result = venue.block({ type: 'setFeeTiers', tiers });
    expect(result.outcomes).toEqual([{}]);
    expect(result.events).toMatchObject([{ type: 'feeTiersChanged' }]);
    expect(level(venue)).toBe(0);
    const before = venue.balance(alice);
    trade(venue, 100);
    expect(before - venue.balance(alice)).toBe(20_000n);
  });

  test.each([
    ['no tiers', []],
    ['level 0 with volume 0 comes first', [LADDER[1]!]],
    ['levels must rise', [LADDER[0]!, { ...LADDER[1]!, level: 0 }]],
    ['volumes must rise', [LADDER[0]!, { ...LADDER[1]!, minVolumeMicroUsdc: 0 }]],
    ['a rate is not below 1', [{ ...LADDER[0]!, takerFeeE8: 100_000_000 }]],
    ['a number is out of range', [{ ...LADDER[0]!, makerFeeE8: -1 }]],
  ])('an invalid fee schedule is rejected: %s', (why, tiers) => {
    const venue = open();
    const { parameters } = venue.state;
    expect(venue.outcome({ type: 'setFeeTiers', tiers })).toEqual({
      reject: { reason: 'feeTiersInvalid', why },
    });
    expect(venue.state.parameters).toBe(parameters);
  });
});

test('an unknown account has the lowest tier', () => {
  expect(feeTierView(open().state, actor(0xdead))).toEqual({
    tier: LADDER[0],
    volume14d: 0n,
    next: LADDER[1],
  });
});

test('a liquidation adds volume to neither side', () => {
  const venue = open();
  // Alice has 50 USDC at 20×, and carol bids at the liquidation price.
  const funds = venue.account(alice).perpBalance;
  trade(venue, 1_000);
  const { days } = venue.account(carol).volume;
  postToBalance(venue.state, venue.account(alice), microUsdc(50_000_000n - funds));
  postToBalance(venue.state, venue.account(carol), microUsdc(funds - 50_000_000n));
  venue.one(carol, { price: 960_000, size: 2_000 });
  const result = venue.wait(1_000).oracle(960_000);
  const trades = result.events.filter(({ type }) => type === 'tradeExecuted');
  expect(trades).toMatchObject([{ taker: { account: alice }, maker: { account: carol } }]);
  expect(days).toEqual([]);
  expect(venue.account(alice).volume.days).toMatchObject([{ notional: 1_000_000_000n }]);
});
