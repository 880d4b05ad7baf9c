import { type Address, microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { postToBalance } from '../ledger/post.ts';
import type { BlockResult } from '../messages/block.ts';
import { type LiquidationStep, TIMER } from '../messages/event.ts';
import { accountView } from '../read/read.ts';
import { type Holding, holdingKey, type Leg } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import {
  actor,
  alice,
  bob,
  carol,
  PARAMETERS,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { act, waiting } from '@oddlot/testing/engine/waiting';
import { liquidateForSettlement } from './settle-insolvent.ts';

/** One lot is 0.01 and a price unit is 0.0001, so 1,000,000 is a price of 100. */
const at = (usdc: number): number => Math.round(usdc * 10_000);
const ID = PERP.instrumentId;
const FUND = PARAMETERS.insuranceFundAddress;

const steps = ({ events }: BlockResult): LiquidationStep[] =>
  events.filter((event) => event.type === 'liquidationStep');
const names = (result: BlockResult): string[] => steps(result).map(({ step }) => step);

function leg(venue: Scenario, which: 'long' | 'short'): Holding {
  const key = holdingKey(ID, (which === 'long' ? 0 : 1) satisfies Leg);
  return venue.account(alice).holdings.get(key)!;
}

const fundValue = (venue: Scenario): bigint => accountView(venue.state, FUND)!.cross.accountValue;

/**
 * Gives alice a long and a short leg, both opened at 100 and isolated at 20× with a margin of 5 per
 * coin and fees of 0.045%. Bob is the counterparty to both and has no position if they are equal.
 */
function hedged({ long, short }: { readonly long: number; readonly short: number }): Scenario {
  const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
  venue.fund(alice, 2_000_000_000);
  act(venue, alice, { type: 'updatePositionMode', mode: 'hedge' });
  act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
  open(venue, alice, true, long);
  open(venue, alice, false, short);
  return venue;
}

function open(venue: Scenario, trader: Address, isBuy: boolean, size: number): void {
  venue.one(bob, { isBuy: !isBuy, price: at(100), size });
  const { state } = venue.one(trader, { isBuy, price: at(100), size, timeInForce: 'ioc' });
  expect(state).toBe('filled');
}

describe('R-liquidation (2b): an account’s isolated legs are netted first', () => {
  // The balance is 2,000 − 2 × 4.5 in fees − 2 × 500 in margin = 991. At 120 the short leg has 500
  // − 2,000 = −1,500, so its bankruptcy price is 120 − 15 = 105. At 105 the long leg has gained
  // 500: it pays out 500 + 500, and the short leg 500 − 500.
  test('an owner of equal long and short legs gains nothing from a gap from 100 to 120', () => {
    const venue = hedged({ long: 10_000, short: 10_000 });
    expect(venue.balance(alice)).toBe(991_000_000n);
    const before = { fund: fundValue(venue), treasury: venue.state.treasury };
    const result = venue.wait(1_000).oracle(at(120));
    expect(names(result)).toEqual(['net']);
    expect(steps(result)[0]).toMatchObject({
      account: alice,
      marginMode: 'isolated',
      positions: [
        { instrumentId: ID, size: -10_000 },
        { instrumentId: ID, size: 10_000 },
      ],
      price: at(105),
      mark: at(120),
      equity: -1_500_000_000n,
      maintenance: 120_000_000n,
      notional: 12_000_000_000n,
    });
    expect(leg(venue, 'long')).toMatchObject({ size: 0, isolatedMargin: 0n });
    expect(leg(venue, 'short')).toMatchObject({ size: 0, isolatedMargin: 0n });
    expect(venue.balance(alice)).toBe(1_991_000_000n);
    expect({ fund: fundValue(venue), treasury: venue.state.treasury }).toEqual(before);
    expect(venue.position(FUND)).toBe(0);
  });

  // At 80 the long leg has 500 − 2,000 = −1,500, so its bankruptcy price is 80 + 15 = 95, where the
  // short leg has gained 500.
  test('an owner of equal long and short legs gains nothing from a gap from 100 to 80', () => {
    const venue = hedged({ long: 10_000, short: 10_000 });
    const result = venue.wait(1_000).oracle(at(80));
    expect(names(result)).toEqual(['net']);
    expect(steps(result)[0]).toMatchObject({ price: at(95), equity: -1_500_000_000n });
    expect(venue.balance(alice)).toBe(1_991_000_000n);
  });

  // Equity is above zero but below two thirds of maintenance margin: at 104.5 the short leg has 50
  // of 104.5 and its bankruptcy price is 105, which is better than the mark for the long leg.
  test('the remaining equity of the failing leg goes to the other leg', () => {
    const venue = hedged({ long: 10_000, short: 10_000 });
    const result = venue.wait(1_000).oracle(at(104.5));
    expect(names(result)).toEqual(['market', 'net']);
    expect(steps(result)[1]).toMatchObject({ price: at(105), equity: 50_000_000n });
    expect(venue.balance(alice)).toBe(1_991_000_000n);
  });

  // The balance is 2,000 − 7.2 − 800 = 1,192.8. The long leg of 60 coins pays out 300 + 5 × 60. The
  // short leg's remaining 40 have an equity of −600 and go at 105 to bob, who is long.
  test('a smaller other leg closes in full, and the remainder of the failing leg continues with (3) and (4)', () => {
    const venue = hedged({ long: 6_000, short: 10_000 });
    expect(venue.balance(alice)).toBe(1_192_800_000n);
    const result = venue.wait(1_000).oracle(at(120));
    expect(names(result)).toEqual(['net', 'adl']);
    expect(steps(result)[1]).toMatchObject({ price: at(105), equity: -600_000_000n });
    expect(venue.balance(alice)).toBe(1_192_800_000n + 600_000_000n);
    expect(leg(venue, 'short')).toMatchObject({ size: 0, isolatedMargin: 0n });
    expect(venue.position(bob)).toBe(0);
  });

  // The long leg of 100 coins closes 60 at 105 and pays 300 + 300. The remaining 40 keep a margin
  // of 200.
  test('a larger other leg closes in part and keeps the remainder with its margin', () => {
    const venue = hedged({ long: 10_000, short: 6_000 });
    const result = venue.wait(1_000).oracle(at(120));
    expect(names(result)).toEqual(['net']);
    expect(leg(venue, 'short')).toMatchObject({ size: 0, isolatedMargin: 0n });
    expect(leg(venue, 'long')).toMatchObject({ size: 4_000, isolatedMargin: 200_000_000n });
    expect(venue.balance(alice)).toBe(1_192_800_000n + 600_000_000n);
  });

  test('legs are netted only until the equity of the other leg reaches zero', () => {
    const venue = hedged({ long: 10_000, short: 10_000 });
    // The long leg has already paid out 1,500, so at 120 it has 500 + 2,000 − 1,500 = 1,000. Each
    // lot that closes loses 0.15, so after 6,666 lots, which lose 999.9, an equity of 0.1 remains.
    leg(venue, 'long').isolatedMargin = microUsdc(-1_000_000_000n);
    postToBalance(venue.state, venue.account(carol), microUsdc(1_500_000_000n));
    const before = fundValue(venue) + venue.state.treasury;
    const result = venue.wait(1_000).oracle(at(120));
    expect(names(result)).toEqual(['net', 'adl']);
    expect(steps(result)[1]).toMatchObject({ positions: [{ size: -3_334 }], price: at(105) });
    // No other account is long, so the leg's remainder of 33.34 coins is deleveraged as usual
    // (R-adl). It is worth 120 and closes at 105, so it loses 500.1. Its equity covers 0.1, and the
    // fund pays the difference.
    expect(leg(venue, 'long')).toMatchObject({ size: 0, isolatedMargin: 0n });
    expect(leg(venue, 'short')).toMatchObject({ size: 0, isolatedMargin: 0n });
    expect(venue.position(FUND)).toBe(0);
    expect(fundValue(venue) + venue.state.treasury).toBe(before - 500_000_000n);
  });

  test('a netted leg’s orders and triggers are cancelled', () => {
    const venue = hedged({ long: 10_000, short: 10_000 });
    venue.one(alice, { isBuy: false, reduceOnly: true, price: at(130), size: 9_000 });
    venue.place(alice, waiting({ price: at(70), kind: 'stopLoss' }, { size: 10_000 }));
    const { events } = venue.wait(1_000).oracle(at(120));
    const causes = events.flatMap((event) =>
      event.type === 'orderUpdated' && event.status === 'cancelled' ? [event.cancelCause] : [],
    );
    expect(causes).toContain('reduceOnly');
    expect(venue.account(alice).liveOrders).toBe(0);
  });

  test('a leg that the book can fill is not netted', () => {
    const venue = hedged({ long: 10_000, short: 10_000 });
    venue.one(carol, { isBuy: false, price: at(104.2), size: 10_000 });
    // At 104 the short leg has 100 of 104 × 1.5, so its order can pay up to 105.
    const result = venue.wait(1_000).oracle(at(104));
    expect(names(result)).toEqual(['market']);
    expect(leg(venue, 'long').size).toBe(10_000);
    expect(leg(venue, 'short').size).toBe(0);
  });
});

describe('R-delist: failing positions are liquidated before the settlement', () => {
  /** Halts the market while the price moves, so that no earlier liquidation happens. */
  function settled(venue: Scenario, price: number): LiquidationStep[] {
    venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
    venue.wait(1_000).oracle(price);
    venue.state.perps.get(ID)!.delisted = true;
    const execution: Execution = { state: venue.state, events: [], commandIndex: TIMER };
    liquidateForSettlement(execution, venue.state.perps.get(ID)!);
    return execution.events.filter((event) => event.type === 'liquidationStep');
  }

  test('an account’s legs are netted before a settlement', () => {
    const venue = hedged({ long: 10_000, short: 10_000 });
    const before = { fund: fundValue(venue), treasury: venue.state.treasury };
    const settlements = settled(venue, at(120));
    expect(settlements).toMatchObject([{ step: 'net', price: at(105), account: alice }]);
    expect(venue.balance(alice)).toBe(1_991_000_000n);
    expect({ fund: fundValue(venue), treasury: venue.state.treasury }).toEqual(before);
  });

  // Both are long 10 coins from 100; the account with more money opened first and has the lower
  // address.
  test('before a settlement, the account with the lowest ratio is liquidated first', () => {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
    const [rich, poor] = [actor(1), actor(2)];
    venue.fund(rich, 60_000_000);
    venue.fund(poor, 55_000_000);
    for (const trader of [rich, poor]) open(venue, trader, true, 1_000);
    const settlements = settled(venue, at(90));
    expect(settlements.map(({ account }) => account)).toEqual([poor, rich]);
    expect(settlements[0]?.price).toBe(at(94.545));
  });
});
