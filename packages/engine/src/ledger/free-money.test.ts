import { addUsdc, microUsdc, negUsdc, timeMs, ZERO_USDC } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { healthOf, isLiquidatable } from '../liquidation/scope.ts';
import type { BlockResult } from '../messages/block.ts';
import type { ReservedBy } from '../messages/reject.ts';
import { accountValue } from '../perp/margin.ts';
import { alice, bob, carol, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, sign } from '@oddlot/testing/engine/waiting';
import { freeMoney, reservedInPerp } from './free-money.ts';
import { postToBalance } from './post.ts';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const ID = PERP.instrumentId;

type Part = readonly [ReservedBy['what'], number];
type Case = {
  readonly why: string;
  readonly venue: () => Scenario;
  readonly balance: number;
  readonly free: number;
  readonly reserved: readonly Part[];
};

function funded(funds = 1_000_000_000): Scenario {
  const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
  venue.fund(alice, funds);
  return venue;
}

/** Lets alice buy 100 lots at 100 from bob at 20×, for a fee of 0.045, then changes the mark. */
function long({ funds = 1_000_000_000, mark = PRICE } = {}): Scenario {
  const venue = funded(funds);
  venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
  expect(venue.one(alice, { price: PRICE, size: 100 }).state).toBe('filled');
  if (mark !== PRICE) venue.oracle(mark);
  return venue;
}

function isolated(): Scenario {
  const venue = funded();
  act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
  return venue;
}

function isolatedLong(): Scenario {
  const venue = isolated();
  venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
  expect(venue.one(alice, { price: PRICE, size: 100 }).state).toBe('filled');
  return venue;
}

function resting(venue: Scenario): Scenario {
  expect(venue.one(alice, { price: 900_000, size: 300 }).state).toBe('open');
  return venue;
}

function stale(venue: Scenario): Scenario {
  venue.wait(30_001).block();
  return venue;
}

function withBalance(venue: Scenario, balance: bigint): Scenario {
  const missing = microUsdc(balance - venue.balance(alice));
  postToBalance(venue.state, venue.account(alice), missing);
  postToBalance(venue.state, venue.account(carol), negUsdc(missing));
  return venue;
}

// At a mark of m, a long position of 100 lots is worth m USDC. Initial margin is m / 20, and 10% of
// notional is m / 10.
const CASES: readonly Case[] = [
  { why: 'no position', venue: funded, balance: 1_000_000_000, free: 1_000_000_000, reserved: [] },
  {
    why: 'a tenth of the notional, above the initial margin of 5',
    venue: long,
    balance: 999_955_000,
    free: 989_955_000,
    reserved: [['notionalShare', 10_000_000]],
  },
  {
    why: 'the initial margin of a position and 300 lots of orders, 400 / 20',
    venue: () => resting(long()),
    balance: 999_955_000,
    free: 979_955_000,
    reserved: [['initialMargin', 20_000_000]],
  },
  {
    why: 'the initial margin of orders alone, 300 / 20',
    venue: () => resting(funded()),
    balance: 1_000_000_000,
    free: 985_000_000,
    reserved: [['initialMargin', 15_000_000]],
  },
  {
    why: 'a profit of 5 carries a part of the tenth of 10.5',
    venue: () => long({ mark: 1_050_000 }),
    balance: 999_955_000,
    free: 994_455_000,
    reserved: [['notionalShare', 5_500_000]],
  },
  {
    why: 'a profit of 100 carries the tenth of 20, and stays',
    venue: () => long({ mark: 2_000_000 }),
    balance: 999_955_000,
    free: 999_955_000,
    reserved: [],
  },
  {
    why: 'a loss of 50 and a tenth of 5',
    venue: () => long({ mark: 500_000 }),
    balance: 999_955_000,
    free: 944_955_000,
    reserved: [
      ['unrealisedLoss', 50_000_000],
      ['notionalShare', 5_000_000],
    ],
  },
  {
    why: 'a loss of 1 and a tenth of 9.9',
    venue: () => long({ mark: 990_000 }),
    balance: 999_955_000,
    free: 989_055_000,
    reserved: [
      ['notionalShare', 9_900_000],
      ['unrealisedLoss', 1_000_000],
    ],
  },
  {
    why: 'a loss of 8, and what is left of the balance towards a tenth of 9.2',
    venue: () => long({ funds: 10_000_000, mark: 920_000 }),
    balance: 9_955_000,
    free: 0,
    reserved: [
      ['unrealisedLoss', 8_000_000],
      ['notionalShare', 1_955_000],
    ],
  },
  {
    why: 'a loss of 20 in a halted market takes all that is there, and no more is named',
    venue: () => {
      const venue = long({ funds: 10_000_000 });
      venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
      venue.oracle(800_000);
      return venue;
    },
    balance: 9_955_000,
    free: 0,
    reserved: [['unrealisedLoss', 9_955_000]],
  },
  {
    why: 'a stale oracle retains twice the position in addition to the tenth',
    venue: () => stale(long()),
    balance: 999_955_000,
    free: 789_955_000,
    reserved: [
      ['staleOracle', 200_000_000],
      ['notionalShare', 10_000_000],
    ],
  },
  {
    why: 'a stale oracle without a position keeps nothing',
    venue: () => stale(funded()),
    balance: 1_000_000_000,
    free: 1_000_000_000,
    reserved: [],
  },
  {
    why: 'the 5 of an isolated position have left the balance; a loss there keeps nothing here',
    venue: () => {
      const venue = isolatedLong();
      venue.oracle(970_000);
      return venue;
    },
    balance: 994_955_000,
    free: 994_955_000,
    reserved: [],
  },
  {
    why: 'an isolated position is not withdrawable, and its stale oracle no matter',
    venue: () => stale(isolatedLong()),
    balance: 994_955_000,
    free: 994_955_000,
    reserved: [],
  },
  {
    why: 'the reserve of an isolated order has left the balance: 300 / 20 and 0.045% of 270',
    venue: () => resting(isolated()),
    balance: 984_878_500,
    free: 984_878_500,
    reserved: [],
  },
  {
    why: 'a balance below zero that a profit of 100 carries: nothing is there',
    venue: () => withBalance(long({ mark: 2_000_000 }), -5_000_000n),
    balance: -5_000_000,
    free: 0,
    reserved: [],
  },
];

function send(venue: Scenario, amountMicroUsdc: number): BlockResult {
  const ends = { destination: bob, from: 'perp', to: 'perp' } as const;
  return act(venue, alice, { type: 'sendToken', token: 0, amountMicroUsdc, ...ends });
}

describe.each(CASES)('R-withdrawable: $why', ({ balance, free, reserved, venue: open }) => {
  const parts = reserved.map(([what, amount]) => ({ what, amount: BigInt(amount) }));

  test('the balance is the sum of free money and listed reserves', () => {
    const venue = open();
    const account = venue.account(alice);
    const named = reservedInPerp(venue.state, account);
    expect(account.perpBalance).toBe(BigInt(balance));
    expect(freeMoney(venue.state, account, 'perp')).toBe(BigInt(free));
    expect(named).toEqual(parts);
    const sum = named.reduce((total, { amount }) => addUsdc(total, amount), ZERO_USDC);
    expect(sum + BigInt(free)).toBe(BigInt(Math.max(balance, 0)));
  });

  test('all free money can be sent, but not a single micro-USDC more', () => {
    const venue = open();
    expect(send(venue, free + 1).outcomes[0]?.reject).toEqual({
      reason: 'balanceInsufficient',
      required: BigInt(free) + 1n,
      available: BigInt(free),
      reservedBy: parts,
    });
    if (free === 0) return;
    const { events, outcomes } = send(venue, free);
    expect(outcomes[0]).toEqual({ account: alice });
    expect(events.map(({ type }) => type)).toEqual(['tokenSent']);
    const account = venue.account(alice);
    expect(account.perpBalance).toBe(BigInt(balance - free));
    expect(accountValue(venue.state, account) >= account.margin.initial).toBe(true);
    expect(isLiquidatable(healthOf(venue.state, { account, holding: undefined }))).toBe(false);
    expect(freeMoney(venue.state, account, 'perp')).toBe(0n);
    // The sender was checked when the money left, and the next block does not close its position.
    expect(venue.block().events).toEqual([]);
  });
});

test('R-order-of-events: money held back only by a price gap in the same block is reported as such', () => {
  const venue = long();
  // The price moves from 100 to 150. 10% of the notional is 10 at 100 and 15 at 150, which the
  // profit of 50 covers.
  const prices = [{ instrumentId: ID, oracle: 1_500_000 }];
  const push = { type: 'pushOracle', prices, observedMs: timeMs(venue.nowMs + 1_000) } as const;
  const ends = { destination: bob, from: 'perp', to: 'perp' } as const;
  const all = { type: 'sendToken', token: 0, amountMicroUsdc: 999_955_000, ...ends } as const;
  const result = venue.wait(1_000).block(push, sign(venue, alice, all));
  expect(result.outcomes[1]?.reject).toEqual({
    reason: 'balanceInsufficient',
    required: 999_955_000n,
    available: 989_955_000n,
    reservedBy: [{ what: 'lastMark', amount: 10_000_000n }],
  });
  // The next block has processed the gap.
  expect(act(venue, alice, all).outcomes[0]?.reject).toBeUndefined();
  checkRestarts(venue);
});

test('R-transfer: all money in the outcome sub-account is free', () => {
  const venue = funded();
  const credit = { account: alice, subAccount: 'outcome', amountMicroUsdc: 7_000_000 } as const;
  venue.block({ type: 'creditFaucet', ...credit });
  expect(freeMoney(venue.state, venue.account(alice), 'outcome')).toBe(7_000_000n);
  const ends = { destination: alice, from: 'outcome', to: 'perp', token: 0 } as const;
  const above = act(venue, alice, { type: 'sendToken', amountMicroUsdc: 7_000_001, ...ends });
  expect(above.outcomes[0]?.reject).toEqual({
    reason: 'balanceInsufficient',
    required: 7_000_001n,
    available: 7_000_000n,
    reservedBy: [],
  });
  const all = act(venue, alice, { type: 'sendToken', amountMicroUsdc: 7_000_000, ...ends });
  expect(all.outcomes[0]?.reject).toBeUndefined();
  expect(venue.account(alice)).toMatchObject({ outcomeBalance: 0n, perpBalance: 1_007_000_000n });
});

// Alice is long 100 lots at 100 and sends all but 10 USDC. Liquidation starts at 1.5% of the
// notional: at 91.4 she has 1.4 and needs 1.371, and at 91.3 she has 1.3 and needs 1.3695.
test.each([
  { mark: 914_000, liquidated: false },
  { mark: 913_000, liquidated: true },
])('R-liquidation: a sender is checked before marks have moved far: $mark', (row) => {
  const venue = long();
  venue.wait(1_000).oracle(PRICE);
  expect(send(venue, 989_955_000).outcomes[0]?.reject).toBeUndefined();
  const { events } = venue.wait(1_000).oracle(row.mark);
  expect(events.some((event) => event.type === 'liquidationStep')).toBe(row.liquidated);
});
