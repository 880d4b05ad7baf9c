import { timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import { dump, restore } from '../dump/dump.ts';
import type { BlockResult } from '../messages/block.ts';
import { withdrawable } from '../perp/free-margin.ts';
import { nextDueMs } from '../read/read-health.ts';
import { perpView } from '../read/read.ts';
import {
  alice,
  bob,
  carol,
  order,
  PERP,
  Scenario,
  START_MS,
} from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, group, orderResults, waiting } from '@oddlot/testing/engine/waiting';

const ID = PERP.instrumentId;
const HOUR_MS = 3_600_000;
const SAMPLE_MS = 5_000;
const DELIST = { type: 'setPerp', instrumentId: ID, delisted: true, changes: {} } as const;

/** Pushes a price every 5 s for the given time; returns the last block. */
function run(venue: Scenario, ms: number, price: number): BlockResult {
  let last: BlockResult | undefined;
  for (let at = 0; at < ms; at += SAMPLE_MS) last = venue.wait(SAMPLE_MS).oracle(price);
  if (last === undefined) throw new Error('no time has passed');
  return last;
}

/** Delists the perp and runs the closing hour at a price; returns the settling block. */
function close(venue: Scenario, price: number): BlockResult {
  venue.oracle(price);
  venue.block(DELIST);
  return run(venue, HOUR_MS, price);
}

function of(result: BlockResult, type: string) {
  return result.events.filter((event) => event.type === type);
}

/** Opens a 1,000-lot long for alice and short for bob at 100. */
function traded(): Scenario {
  const venue = Scenario.open();
  venue.one(alice, { price: 1_000_000, size: 1_000 });
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
  return venue;
}

const markOf = ({ state }: Scenario): number | undefined => state.perps.get(ID)?.mark;

describe('R-delist: the closing hour accepts only reducing orders', () => {
  test('the closing hour cancels orders that could open and keeps reducing orders and positions', () => {
    const venue = traded();
    const opening = venue.one(carol, { price: 900_000, size: 100 });
    const reducing = venue.one(alice, {
      isBuy: false,
      reduceOnly: true,
      price: 1_100_000,
      size: 400,
    });
    group(venue, alice, 'none', waiting({ price: 900_000 }, { size: 300 }));
    group(
      venue,
      carol,
      'none',
      waiting({ price: 1_200_000 }, { isBuy: true, reduceOnly: false, size: 100 }),
    );
    group(
      venue,
      carol,
      'normal',
      order({ price: 950_000, size: 100 }),
      waiting({ price: 900_000 }),
    );
    const result = venue.block(DELIST);
    const [stop, entry, parent, child] = [1, 2, 3, 4].map((n) => (reducing.orderId ?? 0) + n);
    expect(orderResults(result)).toEqual([
      `${opening.orderId} cancelled delisted`,
      `${entry} cancelled delisted`,
      `${parent} cancelled delisted`,
      `${child} cancelled parentCanceled`,
    ]);
    expect(venue.state.triggers.all().map(({ orderId }) => orderId)).toEqual([stop]);
    expect(venue.position(alice)).toBe(1_000);
    expect(perpView(venue.state, ID)).toMatchObject({
      delisted: true,
      halted: false,
      closingMs: venue.nowMs + HOUR_MS,
      openInterest: 1_000,
    });
    expect(nextDueMs(venue.state)).toBe(venue.nowMs + HOUR_MS);
  });

  test('the closing hour ends a running reversal as failed', () => {
    const venue = traded();
    const turned = act(venue, alice, { type: 'reversePosition', instrumentId: ID });
    expect(orderResults(turned)).toEqual(['closing 0 0']);
    expect(orderResults(venue.block(DELIST))).toEqual(['failed 0 0']);
    expect(venue.state.reverseJobs.size).toBe(0);
  });

  test('the closing hour accepts only reducing orders, their amendments, and cancels', () => {
    const venue = traded();
    venue.block(DELIST);
    const reject = { reason: 'marketClosing', instrumentId: ID };
    expect(venue.one(carol, { price: 900_000, size: 100 }).reject).toEqual(reject);
    // An order that would only reduce a position must still be flagged as reduce-only.
    expect(venue.one(alice, { isBuy: false, price: 1_000_000, size: 100 }).reject).toEqual(reject);
    const opens = waiting({ price: 900_000 }, { reduceOnly: false });
    expect(group(venue, carol, 'none', opens).entries?.[0]?.reject).toEqual(reject);
    const turn = { type: 'reversePosition', instrumentId: ID } as const;
    expect(act(venue, alice, turn).outcomes[0]?.reject).toEqual(reject);
    expect(venue.outcome(DELIST)).toEqual({ reject });
    expect(checkCommand(venue.state, DELIST, venue.nowMs)).toEqual({ reject });

    const sell = { isBuy: false, reduceOnly: true, price: 1_010_000, size: 400 } as const;
    const resting = venue.one(alice, sell);
    expect(resting.state).toBe('open');
    const target = { orderId: resting.orderId ?? 0 };
    const amend = { type: 'modifyOrder', instrumentId: ID, target } as const;
    const amended = act(venue, alice, { ...amend, price: 1_000_000, size: 500 });
    expect(amended.outcomes[0]?.entries?.[0]?.state).toBe('open');
    const bought = venue.one(bob, { reduceOnly: true, price: 1_000_000, size: 200 });
    expect(bought.state).toBe('filled');
    expect([venue.position(alice), venue.position(bob)]).toEqual([800, -800]);
    expect(venue.cancel(alice, resting.orderId ?? 0)).toMatchObject([{ state: 'cancelled' }]);
    const stop = group(venue, alice, 'none', waiting({ price: 900_000 }));
    expect(stop.entries?.[0]?.state).toBe('open');
  });

  test('the closing hour moves the mark to the settlement price without a jump, outside the band', () => {
    const venue = traded();
    venue.block(DELIST);
    run(venue, HOUR_MS / 2 - SAMPLE_MS, 1_000_000);
    // The 360 samples are at 100; if the price of 120 continued, the average would be 110.
    venue.wait(4_000).oracle(1_200_000);
    expect(markOf(venue)).toBe(1_100_000);
    // Each sample moves the mark by a 720th of the distance; time alone does not move it.
    const marks = [1, 2, 3].map(() => {
      venue.wait(SAMPLE_MS).oracle(1_200_000);
      return markOf(venue);
    });
    expect(marks).toEqual([1_100_000, 1_100_000, 1_100_000]);
    venue.wait(1_000).oracle(1_000_000);
    // The three samples at 120 remain: (717 × 100 + 3 × 120) / 720.
    expect(markOf(venue)).toBe(1_000_833);
  });

  test('a perp settles at the average of its closing hour, excluding prices from the previous hour', () => {
    const venue = Scenario.open({ oracle: 1_000_000, funds: 100_000_000_000 });
    run(venue, HOUR_MS, 1_000_000);
    venue.wait(1_000).oracle(800_000);
    venue.one(bob, { isBuy: false, price: 800_000, size: 50_000 });
    const before = venue.balance(alice);
    venue.one(alice, { price: 800_000, size: 50_000 });
    const fee = before - venue.balance(alice);
    venue.block(DELIST);
    expect(markOf(venue)).toBe(800_000);
    const settled = run(venue, HOUR_MS, 800_000);
    expect(of(settled, 'perpSettled')).toMatchObject([{ price: 800_000 }]);
    expect(venue.balance(alice)).toBe(before - fee);
  });

  test('funding is still paid in the closing hour', () => {
    const venue = traded();
    const sell = { isBuy: false, reduceOnly: true, price: 1_100_000, size: 100 } as const;
    venue.one(alice, sell);
    venue.wait(1_800_000).oracle(1_000_000);
    venue.block(DELIST);
    const paid = of(run(venue, 1_800_000, 1_000_000), 'fundingPaid');
    expect(paid).toMatchObject([
      { account: alice, amount: -12_500n, dueMs: START_MS + HOUR_MS },
      { account: bob, amount: 12_500n },
    ]);
  });

  test('stops fire and accounts are liquidated at the mark of the closing hour', () => {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
    venue.fund(alice, 60_000_000);
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
    venue.one(alice, { price: 1_000_000, size: 1_000 });
    venue.block(DELIST);
    run(venue, 1_800_000, 1_000_000);
    // The oracle alone would have liquidated her: at a mark of 95, 60 − 50 is below 9.5 + 4.75.
    const result = venue.wait(1_000).oracle(900_000);
    expect(markOf(venue)).toBe(950_139);
    expect(of(result, 'liquidationStep')[0]).toMatchObject({ account: alice, mark: 950_139 });
  });
});

describe('R-delist: a settlement closes every position at the average price', () => {
  test('a settlement cancels resting orders, closes every position at the average price and is final', () => {
    const venue = traded();
    const before = { alice: venue.balance(alice), bob: venue.balance(bob) };
    venue.oracle(1_000_000);
    const startMs = venue.nowMs;
    venue.block(DELIST);
    const sell = { isBuy: false, reduceOnly: true, price: 1_100_000, size: 100 } as const;
    const resting = venue.one(alice, sell);
    // Samples 0 to 479 are at 100, and samples 480 to 719 at 103.
    run(venue, 480 * SAMPLE_MS - SAMPLE_MS, 1_000_000);
    run(venue, 240 * SAMPLE_MS, 1_030_000);
    expect(venue.nowMs).toBe(startMs + HOUR_MS - SAMPLE_MS);
    expect(markOf(venue)).toBe(1_010_000);
    expect(of(venue.wait(SAMPLE_MS - 1).block(), 'perpSettled')).toEqual([]);
    // A last-moment price does not change the settlement price.
    const result = venue.wait(1).oracle(2_000_000);
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
    // No premium is sampled in the closing hour (R-funding-gaps), so no funding is due.
    expect(venue.balance(alice)).toBe(before.alice + 10_000_000n);
    expect(venue.balance(bob)).toBe(before.bob - 10_000_000n);
    expect(perpView(venue.state, ID)).toMatchObject({
      halted: true,
      delisted: true,
      closingMs: startMs + HOUR_MS,
      mark: 1_010_000,
      openInterest: 0,
    });
    expect(nextDueMs(venue.state)).toBeUndefined();
    expectFinal(venue);
  });

  test('a settlement returns isolated margin along with the position’s PnL', () => {
    const venue = Scenario.open();
    const isolated = { instrumentId: ID, marginMode: 'isolated' } as const;
    act(venue, alice, { type: 'updateMarginMode', ...isolated });
    venue.one(alice, { price: 1_000_000, size: 1_000 });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
    const margin = venue.holding(alice).isolatedMargin;
    expect(margin).toBe(50_000_000n);
    const before = venue.balance(alice);
    const result = close(venue, 1_010_000);
    expect(of(result, 'positionSettled')[0]).toMatchObject({
      account: alice,
      marginMode: 'isolated',
    });
    expect(venue.holding(alice).isolatedMargin).toBe(0n);
    expect(venue.balance(alice)).toBe(before + margin + 10_000_000n);
  });

  test('a settlement closes both legs of a hedge', () => {
    const venue = Scenario.open();
    act(venue, alice, { type: 'updatePositionMode', mode: 'hedge' });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 800 });
    venue.one(alice, { price: 1_000_000, size: 800 });
    venue.one(bob, { price: 1_000_000, size: 400 });
    venue.one(alice, { isBuy: false, price: 1_000_000, size: 400 });
    const before = venue.balance(alice);
    expect(of(close(venue, 1_020_000), 'positionSettled')).toMatchObject([
      { account: alice, size: 800, realised: 16_000_000n },
      { account: alice, size: -400, realised: -8_000_000n },
      { account: bob, size: -400, realised: -8_000_000n },
    ]);
    expect(venue.balance(alice)).toBe(before + 8_000_000n);
  });

  test('a perp that never had a price ends after its closing hour without a settlement', () => {
    const venue = Scenario.open();
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: 2 as never, name: 'B' } });
    venue.block({ ...DELIST, instrumentId: 2 as never });
    expect(venue.state.perps.get(2)).toMatchObject({ delisted: false, mark: 0 });
    const result = venue.wait(HOUR_MS).block();
    expect(of(result, 'perpSettled')).toEqual([]);
    expect(venue.state.perps.get(2)).toMatchObject({ delisted: true, halted: true, mark: 0 });
  });

  test('with too few samples, the settlement is postponed while the market is halted, and a price starts a new hour', () => {
    const venue = traded();
    venue.block(DELIST);
    // The samples are 0 to 352 and six more until the last price is stale, which makes 359.
    run(venue, 352 * SAMPLE_MS, 1_000_000);
    const endMs = venue.nowMs + HOUR_MS - 352 * SAMPLE_MS;
    const failed = venue.wait(endMs - venue.nowMs).block();
    expect(of(failed, 'perpSettled')).toEqual([]);
    expect(of(failed, 'perpChanged')).toHaveLength(1);
    expect(venue.position(alice)).toBe(1_000);
    const waits = { delisted: true, halted: true, closingMs: undefined };
    expect(perpView(venue.state, ID)).toMatchObject(waits);
    expect(nextDueMs(venue.state)).toBeUndefined();
    const sell = { isBuy: false, reduceOnly: true, price: 1_000_000, size: 100 } as const;
    expect(venue.one(alice, sell).reject?.reason).toBe('tradingHalted');
    expect(withdrawable(venue.state, venue.account(alice))).toBe(0n);
    expect(withdrawable(venue.state, venue.account(carol))).toBeGreaterThan(0n);
    // Neither the operator nor a late price resumes trading in the market.
    venue.block({ type: 'setPerp', instrumentId: ID, halted: false, changes: {} });
    const prices = [{ instrumentId: ID, oracle: 1_020_000 }];
    venue.block({ type: 'pushOracle', prices, observedMs: timeMs(venue.nowMs - 30_001) });
    expect(perpView(venue.state, ID)).toMatchObject(waits);

    venue.wait(1_000).oracle(1_020_000);
    const again = { delisted: true, halted: false, closingMs: venue.nowMs + HOUR_MS };
    expect(perpView(venue.state, ID)).toMatchObject(again);
    expect(withdrawable(venue.state, venue.account(alice))).toBeGreaterThan(0n);
    // Samples of the first hour do not count.
    const settled = run(venue, HOUR_MS, 1_020_000);
    expect(of(settled, 'perpSettled')).toMatchObject([{ price: 1_020_000 }]);
    checkRestarts(venue);
  });

  test('half the samples are enough to settle at their average', () => {
    const venue = traded();
    venue.block(DELIST);
    // The samples are 0 to 353 and six more until the price is stale.
    run(venue, 353 * SAMPLE_MS, 1_000_000);
    venue.wait(HOUR_MS - 353 * SAMPLE_MS);
    const settled = venue.oracle(1_100_000);
    expect(of(settled, 'perpSettled')).toMatchObject([{ price: 1_000_000 }]);
  });

  test('a perp halted by the operator can wait for samples and stays halted in the next hour', () => {
    const venue = traded();
    venue.block({ ...DELIST, halted: true });
    venue.wait(HOUR_MS).block();
    venue.wait(1_000).oracle(1_010_000);
    // The new hour is halted, as the operator requested, and has its own mark.
    expect(perpView(venue.state, ID)).toMatchObject({ halted: true, delisted: true });
    expect(venue.state.perps.get(ID)?.closing?.isWaiting).toBe(false);
    run(venue, 1_800_000 - SAMPLE_MS, 1_010_000);
    venue.wait(SAMPLE_MS).oracle(1_030_000);
    expect(markOf(venue)).toBe(1_020_000);
    const settled = run(venue, 1_800_000, 1_030_000);
    expect(of(settled, 'perpSettled')).toMatchObject([{ price: 1_020_000 }]);
  });

  test('the closing hour and the settlement are the same after a restart at any point', () => {
    const venue = traded();
    venue.checks = false;
    venue.one(alice, { isBuy: false, reduceOnly: true, price: 1_100_000, size: 100 });
    venue.block(DELIST);
    for (let n = 0; n < 37; n++) venue.wait(100_000).oracle(1_000_000 + 1_000 * n);
    expect(venue.state.perps.get(ID)?.closing?.samples).toBeGreaterThan(0);
    checkRestarts(venue);
  });
});

test('R-delist: samples are taken every fifth second, regardless of the block times', () => {
  let seed = 12_345;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let round = 0; round < 5; round++) {
    const venue = traded();
    venue.checks = false;
    const startMs = venue.nowMs + 1_234;
    venue.wait(1_234);
    venue.block(DELIST);
    /**
     * Each row gives the time from which a price is valid, the time at which it goes stale, and the
     * price.
     */
    const prices: [number, number, number][] = [[START_MS, START_MS + 30_000, 1_000_000]];
    let settled: BlockResult | undefined;
    while (venue.nowMs < startMs + HOUR_MS) {
      venue.wait(Math.min(random(12_000), startMs + HOUR_MS - venue.nowMs));
      if (random(40) === 0) venue.wait(Math.min(80_000, startMs + HOUR_MS - venue.nowMs));
      const price = 950_000 + random(100_000);
      if (random(3) === 0) settled = venue.block();
      else {
        prices.push([venue.nowMs, venue.nowMs + 30_000, price]);
        settled = venue.oracle(price);
      }
    }
    const samples = Array.from({ length: 720 }, (_, n) => startMs + n * SAMPLE_MS).flatMap((at) => {
      const inForce = prices.findLast(([from]) => from <= at);
      return inForce !== undefined && at <= inForce[1] ? [inForce[2]] : [];
    });
    const mean = samples.reduce((sum, each) => sum + each, 0) / samples.length;
    const expected = [{ price: Math.floor(mean + 0.5) }];
    expect(settled === undefined ? [] : of(settled, 'perpSettled')).toMatchObject(expected);
  }
});

/** Checks that nothing trades, changes or moves the mark, even in a restored venue. */
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
