import { instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import { dump, restore } from '../dump/dump.ts';
import type { CommandResult } from '../messages/block.ts';
import type { SetPerpCommand } from '../messages/command.ts';
import { accountView, perpView } from '../read/read.ts';
import { alice, bob, carol, PERP, Scenario, WIDE_PERP } from '@oddlot/testing/engine/scenario';

const ID = PERP.instrumentId;

function set(venue: Scenario, change: Partial<SetPerpCommand>): CommandResult {
  const command = { type: 'setPerp', instrumentId: ID, changes: {}, ...change } as const;
  const admitted = checkCommand(venue.state, command, venue.nowMs);
  const outcome = venue.outcome(command);
  expect(admitted.reject).toEqual(outcome.reject);
  return outcome;
}

function expectRestorable(venue: Scenario): void {
  const plain = dump(venue.state);
  const copy = restore(JSON.parse(JSON.stringify(plain)));
  expect(dump(copy)).toEqual(plain);
  for (const { address } of venue.state.accounts) {
    expect(accountView(copy, address)).toEqual(accountView(venue.state, address));
  }
}

describe('changes to a perp apply to future checks and orders', () => {
  test('a change affects only the fields given', () => {
    const venue = Scenario.open();
    expect(set(venue, { changes: { takerFeeE8: 1, tagIds: [3] } })).toEqual({});
    expect(venue.state.perps.get(1)?.definition).toEqual({ ...PERP, takerFeeE8: 1, tagIds: [3] });
  });

  test('a new tick applies to new orders and leaves resting orders unchanged', () => {
    const venue = Scenario.open();
    const { orderId } = venue.one(alice, { price: 990_100, size: 100 });
    set(venue, { changes: { priceTick: 1_000 } });
    expect(venue.one(alice, { price: 990_100, size: 100 }).reject?.reason).toBe('priceOffTick');
    expect(venue.state.perps.get(1)?.book.bestPrice(true)).toBe(990_100);
    expect(venue.cancel(alice, orderId ?? 0)).toMatchObject([{ state: 'cancelled' }]);
  });

  test('a new margin table applies to the next margin check', () => {
    const venue = Scenario.open();
    venue.one(alice, { price: 1_000_000, size: 1_000 });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
    // A position of 1,000 USDC at 20× needs a margin of 50.
    expect(accountView(venue.state, alice)?.initialMargin).toBe(50_000_000n);
    const tiers = [{ tier: 1, minSize: 0, maxSize: 5_000, maxLeverage: 10, mmrE8: 2_000_000 }];
    expect(set(venue, { changes: { tiers } })).toEqual({});
    expect(accountView(venue.state, alice)).toMatchObject({
      initialMargin: 100_000_000n,
      maintenanceMargin: 20_000_000n,
    });
    expect(venue.one(alice, { price: 1_000_000, size: 4_001 }).reject?.reason).toBe(
      'positionLimit',
    );
    expectRestorable(venue);
    // If the maximum leverage is raised again, an account without its own setting uses the default
    // leverage.
    expect(set(venue, { changes: { tiers: PERP.tiers } })).toEqual({});
    expect(accountView(venue.state, alice)?.initialMargin).toBe(50_000_000n);
    expectRestorable(venue);
  });

  test('an isolated-only setting spares open cross positions and applies to all other accounts', () => {
    const venue = Scenario.open();
    venue.one(alice, { price: 1_000_000, size: 1_000 });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
    const { orderId } = venue.one(carol, { price: 900_000, size: 100 });
    venue.cancel(carol, orderId ?? 0);
    expect(set(venue, { changes: { onlyIsolated: true } })).toEqual({});
    expect(venue.holding(alice).isIsolated).toBe(false);
    expect(venue.holding(carol).isIsolated).toBe(true);
    expectRestorable(venue);
    venue.one(carol, { price: 900_000, size: 100 });
    expect(venue.holding(carol).reserved).toBeGreaterThan(0n);
    expect(set(venue, { changes: { onlyIsolated: false } })).toEqual({});
    expect(venue.holding(carol).isIsolated).toBe(true);
    expectRestorable(venue);
  });

  test('a change that would make the perp invalid is rejected as a whole', () => {
    const venue = Scenario.open();
    const unknown = instrumentId(9);
    const reject = { reason: 'instrumentUnknown', instrumentId: unknown };
    expect(set(venue, { instrumentId: unknown })).toEqual({ reject });
    expect(set(venue, { changes: { priceTick: 0 } }).reject).toMatchObject({ field: 'priceTick' });
    // A leverage of 50 gives a margin of 2%, and 1% + 0.5% + 0.5% is not less.
    expect(set(venue, { halted: true, changes: { takerFeeE8: 500_000 } }).reject?.reason).toBe(
      'marginTableInvalid',
    );
    expect(venue.state.perps.get(1)).toMatchObject({ halted: false, definition: PERP });
  });
});

describe('a trading halt suspends the book and the margin checks', () => {
  test('a halt rejects new orders, allows cancels and lets orders expire', () => {
    const venue = Scenario.open();
    const { orderId } = venue.one(alice, { price: 990_000, size: 100 });
    const expireMs = venue.nowMs + 10_000;
    venue.one(alice, {
      price: 980_000,
      size: 100,
      timeInForce: 'gtd',
      expireMs: expireMs as never,
    });
    const result = venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
    expect(result.events.at(-1)).toMatchObject({ type: 'markUpdated' });
    expect(perpView(venue.state, ID)?.halted).toBe(true);
    expect(venue.one(bob, { price: 990_000, size: 100 }).reject?.reason).toBe('tradingHalted');
    expect(venue.cancel(alice, orderId ?? 0)).toMatchObject([{ state: 'cancelled' }]);
    expect(venue.wait(10_000).block().events).toMatchObject([
      { type: 'orderUpdated', cancelCause: 'expired' },
      { type: 'markUpdated' },
    ]);
    set(venue, { halted: false });
    venue.oracle(1_000_000);
    expect(venue.one(bob, { price: 990_000, size: 100 }).state).toBe('open');
  });

  test('the mark of a halted market is its oracle price', () => {
    const venue = Scenario.open({ perp: WIDE_PERP });
    venue.one(alice, { price: 1_004_000, size: 100 });
    venue.one(bob, { isBuy: false, price: 1_006_000, size: 100 });
    for (let n = 0; n < 300; n++) venue.wait(1_000).oracle(1_000_000);
    // The median is B, the bid, between A at 100.4323 and C at the oracle.
    expect(venue.state.perps.get(1)?.mark).toBe(1_004_000);
    const { ema } = venue.state.perps.get(1)!;
    expect(ema).toBeGreaterThan(4_000_000_000);
    set(venue, { halted: true });
    expect(venue.state.perps.get(1)?.mark).toBe(1_000_000);
    expect(venue.oracle(1_050_000).events).toMatchObject([
      { type: 'markUpdated', mark: 1_050_000 },
    ]);
    // The order book of a halted market does not change the average.
    for (let n = 0; n < 300; n++) venue.wait(1_000).oracle(1_000_000);
    expect(venue.state.perps.get(1)?.ema).toBeLessThan(ema / 5);
  });
});
