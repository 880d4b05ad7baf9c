import { instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { BlockResult } from '../messages/block.ts';
import type { Command } from '../messages/command.ts';
import { restrictingPerp, crossScope } from '../perp/margin-restriction.ts';
import { withdrawable } from '../perp/free-margin.ts';
import { alice, bob, carol, PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import {
  act,
  checkRestarts,
  group,
  sign,
  orderResults,
  waiting,
} from '@oddlot/testing/engine/waiting';

/**
 * The id of the market whose closing hour misses so many samples that it cannot settle (R-delist).
 * From then on, its average must have no effect.
 */
const A = PERP.instrumentId;
const B = instrumentId(2);
const FUND = PARAMETERS.insuranceFundAddress;
const HOUR_MS = 3_600_000;
const SAMPLE_MS = 5_000;
const PRICE = 1_000_000;
const DELIST = { type: 'setPerp', instrumentId: A, delisted: true, changes: {} } as const;

const usdc = (amount: number): number => Math.round(amount * 1_000_000);

/**
 * Opens a long for alice and a short for bob, 100 coins of A at 100, with 5,000 USDC each and no
 * fees.
 */
function traded(): Scenario {
  const perp = { ...PERP, takerFeeE8: 0, makerFeeE8: 0 };
  const venue = Scenario.open({ accounts: [alice, bob], funds: usdc(5_000), perp });
  venue.checks = false;
  venue.fund(carol, usdc(1_000_000));
  venue.block({ type: 'registerPerp', perp: { ...perp, instrumentId: B, name: 'B-USDC' } });
  venue.one(alice, { price: PRICE, size: 10_000 });
  expect(venue.one(bob, { isBuy: false, price: PRICE, size: 10_000 }).state).toBe('filled');
  venue.oracle(PRICE);
  return venue;
}

/** Pushes a price every 5 s for the given time. */
function run(venue: Scenario, ms: number, price: number): BlockResult[] {
  return Array.from({ length: ms / SAMPLE_MS }, () => venue.wait(SAMPLE_MS).oracle(price));
}

/** The causes of missing prices: blocks continue without prices, or the venue is stopped. */
const SILENCES: readonly { readonly what: string; readonly pass: Silence }[] = [
  {
    what: 'a silent feed',
    pass(venue, ms) {
      for (let at = SAMPLE_MS; at < ms; at += SAMPLE_MS) venue.wait(SAMPLE_MS).block();
      venue.wait(ms % SAMPLE_MS === 0 ? SAMPLE_MS : ms % SAMPLE_MS);
    },
  },
  { what: 'a stopped venue', pass: (venue, ms) => void venue.wait(ms) },
];

type Silence = (venue: Scenario, ms: number) => void;

/**
 * Runs ten minutes of the hour at 100 and then 35 minutes without prices, which leaves 127 samples
 * and 179 to come.
 */
function lost(pass: Silence): Scenario {
  const venue = traded();
  venue.block(DELIST);
  run(venue, 600_000, PRICE);
  pass(venue, 2_100_000);
  return venue;
}

const push = (venue: Scenario, oracle: number): Command => ({
  type: 'pushOracle',
  prices: [
    { instrumentId: A, oracle },
    { instrumentId: B, oracle: PRICE },
  ],
  observedMs: timeMs(venue.nowMs),
});

const stepsOf = (results: readonly BlockResult[]) =>
  results.flatMap(({ events }) => events.filter(({ type }) => type === 'liquidationStep'));

const isRestricted = (venue: Scenario, who = alice): boolean =>
  restrictingPerp(venue.state, crossScope(venue.account(who))) !== undefined;

const send = {
  type: 'sendToken',
  destination: carol,
  from: 'perp',
  to: 'perp',
  token: 0,
  amountMicroUsdc: usdc(1),
} as const;

describe.each(SILENCES)('R-delist, R-oracle-stale: a closing hour lost by $what', ({ pass }) => {
  test('a lost closing hour holds back all money, starting with the block in which prices return', () => {
    const venue = lost(pass);
    const { outcomes } = venue.block(push(venue, 500_000), sign(venue, alice, send));
    expect(outcomes[1]?.reject).toMatchObject({
      reason: 'balanceInsufficient',
      available: 0n,
      reservedBy: expect.arrayContaining([expect.objectContaining({ what: 'staleOracle' })]),
    });
    // The mark remains the average, by the formula of R-delist.
    expect(venue.state.perps.get(A)).toMatchObject({ halted: false, lastValidMark: PRICE });
    expect(venue.state.perps.get(A)?.mark).toBe(Math.round((127 * 100 + 180 * 50) / 0.0307));
    run(venue, 60_000, 500_000);
    expect(isRestricted(venue)).toBe(true);
    expect(withdrawable(venue.state, venue.account(alice))).toBe(0n);
    expect(act(venue, alice, send).outcomes[0]?.reject?.reason).toBe('balanceInsufficient');
    expect(venue.state.perps.get(A)?.lastValidMark).toBe(PRICE);
    checkRestarts(venue);
  });

  test('holders in a lost closing hour can only place orders that reduce near the mark', () => {
    const venue = lost(pass);
    venue.block(push(venue, 500_000));
    const opening = venue.one(alice, { instrumentId: B, price: PRICE, size: 100 });
    expect(opening.reject).toEqual({ reason: 'oracleStale', instrumentId: A });
    const mark = venue.state.perps.get(A)?.mark ?? 0;
    const sell = { isBuy: false, reduceOnly: true, size: 100 } as const;
    const buy = { reduceOnly: true, size: 100, timeInForce: 'ioc' } as const;
    const far = Math.ceil((mark * 0.99) / 100) * 100;
    expect(venue.one(alice, { ...sell, price: far }).state).toBe('open');
    venue.one(bob, { ...buy, price: far });
    expect(venue.position(alice)).toBe(10_000);
    const near = Math.ceil((mark * 0.998) / 100) * 100;
    venue.one(alice, { ...sell, price: near });
    venue.one(bob, { ...buy, price: near });
    expect(venue.position(alice)).toBe(9_900);
  });

  test('triggers do not fire in a lost closing hour', () => {
    const venue = lost(pass);
    const exit = waiting(
      { kind: 'takeProfit', price: 800_000 },
      { isBuy: true, size: 1_000, price: 800_000 },
    );
    const orderId = group(venue, bob, 'none', exit).entries?.[0]?.orderId;
    const passed = run(venue, HOUR_MS - 2_700_000, 600_000);
    expect(venue.state.perps.get(A)?.closing?.isWaiting).toBe(true);
    expect(passed.flatMap(orderResults)).toEqual([]);
    expect(orderResults(venue.wait(SAMPLE_MS).oracle(600_000))).toEqual([`${orderId} open 1000`]);
    checkRestarts(venue);
  });

  test('a lost closing hour causes no liquidations and costs the insurance fund nothing', () => {
    const venue = lost(pass);
    venue.fund(FUND, usdc(6_000));
    // Alice is insolvent at 50, and the fund would take over her position at a slightly higher
    // price.
    const passed: BlockResult[] = [];
    let [lowest, price] = [PRICE, 202_500];
    while (venue.state.perps.get(A)?.closing?.isWaiting === false) {
      price = Math.max(100_000, price - 2_500);
      passed.push(venue.wait(SAMPLE_MS).oracle(price));
      lowest = Math.min(lowest, venue.state.perps.get(A)?.mark ?? 0);
    }
    expect(lowest).toBeLessThan(500_000);
    expect(stepsOf(passed)).toEqual([]);
    expect(venue.position(FUND)).toBe(0);
    expect(venue.balance(FUND)).toBe(BigInt(usdc(6_000)));
    expect(venue.state.perps.get(A)?.lastValidMark).toBe(PRICE);

    // The next hour begins with a price that applies to all positions, so the gap is settled among
    // their holders.
    const next = venue.wait(SAMPLE_MS).oracle(400_000);
    expect(venue.state.perps.get(A)).toMatchObject({ halted: false, lastValidMark: 400_000 });
    expect(stepsOf([next])).toMatchObject([{ account: alice }]);
    expect(venue.position(alice)).toBe(0);
    expect(venue.balance(FUND)).toBe(BigInt(usdc(6_000)));
    expect(venue.balance(bob)).toBe(BigInt(usdc(10_000)));
    checkRestarts(venue);
  });
});

// The perp is delisted while its price is current. Samples 0 to 6 are taken; sample 7 is the first
// to be missed.
test.each([
  { what: '360 can still be taken', at: 367 * SAMPLE_MS, isLost: false },
  { what: 'one too many is missed', at: 367 * SAMPLE_MS + 1, isLost: true },
])('R-delist: a closing hour is lost when too few samples remain: $what', ({ at, isLost }) => {
  for (const { pass } of SILENCES) {
    const venue = traded();
    venue.oracle(PRICE);
    venue.block(DELIST);
    pass(venue, at);
    venue.block(push(venue, 990_000));
    expect(venue.state.hasUnpriced).toBe(isLost);
    expect(isRestricted(venue)).toBe(isLost);
    const { lastValidMark, mark } = venue.state.perps.get(A) ?? {};
    expect(lastValidMark).toBe(isLost ? PRICE : mark);
    const ended = run(venue, HOUR_MS - 368 * SAMPLE_MS, 990_000);
    const last = [...ended, ...run(venue, 2 * SAMPLE_MS, 990_000)];
    const settled = last.flatMap(({ events }) =>
      events.filter(({ type }) => type === 'perpSettled'),
    );
    expect(settled).toHaveLength(isLost ? 0 : 1);
    expect(venue.position(alice)).toBe(isLost ? 10_000 : 0);
  }
});
