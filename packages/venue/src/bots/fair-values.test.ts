import type { Command } from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { TestReplica } from '../testing/http/replica.ts';
import { exhibitionCommands } from '../exhibition/exhibition-commands.ts';
import { chanceAbove, FairValues } from './fair-values.ts';

const HOUR_MS = 3_600_000;

describe('the chance to end above a strike', () => {
  test.each([
    ['at the strike', 100, 900, 0.5],
    // A deviation of 15 minutes is 0.3%.
    ['a deviation above', 100.3, 900, 0.845],
    ['a deviation below', 99.7, 900, 0.155],
    ['the same distance with less time', 100.3, 100, 0.994],
    ['the same distance with more time', 100.3, 3_600, 0.7],
  ])('%s', (_, price, secondsLeft, expected) => {
    expect(chanceAbove({ price, strike: 100, secondsLeft })).toBeCloseTo(expected, 2);
  });
});

function open() {
  const replica = new TestReplica();
  replica.nowMs = Math.ceil(replica.nowMs / (3 * HOUR_MS)) * 3 * HOUR_MS;
  replica.pass(0);
  let seed = 1;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  let priceE8: number | undefined;
  const values = new FairValues({ state: () => replica.state, priceE8: () => priceE8, random });
  const list = (hasSeries: boolean): void => {
    const commands = exhibitionCommands(replica.state, { nowMs: replica.nowMs, random, hasSeries });
    for (const command of commands) replica.apply(command);
  };
  const pushBtc = (price: number, observedMs: number): Command => {
    priceE8 = price * 1e8;
    const at = {
      symbol: 'BTC',
      source: 'oracle',
      priceE8,
      observedMs: timeMs(observedMs),
    } as const;
    return { type: 'pushPrice', prices: [at] };
  };
  return { replica, values, list, pushBtc };
}

const believed = ({ values }: ReturnType<typeof open>, slug: string): number[] =>
  [...values.markets].flatMap(([{ definition }, value]) =>
    definition.slug.startsWith(slug) ? [value] : [],
  );

test('opinions drift, and those of an exclusive event sum to one', () => {
  const venue = open();
  venue.list(false);
  venue.values.update();
  const before = believed(venue, 'harbour');
  expect(before).toHaveLength(2);
  for (let round = 0; round < 50; round++) {
    venue.values.update();
    const four = believed(venue, 'snail');
    expect(four).toHaveLength(4);
    expect(four.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 1);
  }
  expect(believed(venue, 'harbour')).not.toEqual(before);
});

test('a new process goes on from the last trade', () => {
  const venue = open();
  venue.list(false);
  const rain = [...venue.replica.state.outcomes.markets.values()][0];
  if (rain !== undefined) rain.lastTrade = 9_000;
  venue.values.update();
  expect(believed(venue, 'harbour')[0]).toBeCloseTo(0.9, 1);
});

test('a market about a price follows the price, once it has a strike', () => {
  const venue = open();
  // The minute before the full hour.
  venue.replica.pass(3 * HOUR_MS - 60_000);
  for (let second = 60; second > 0; second--) {
    venue.replica.apply(venue.pushBtc(100, venue.replica.nowMs));
    venue.replica.pass(1_000);
  }
  venue.list(true);
  venue.values.update();
  expect(believed(venue, 'btc-up-or-down-15m')).toEqual([0.5]);
  venue.replica.pass(5_000);
  venue.replica.apply(venue.pushBtc(100.3, venue.replica.nowMs));
  venue.values.update();
  expect(believed(venue, 'btc-up-or-down-15m')[0]).toBeCloseTo(0.84, 1);
  venue.replica.apply(venue.pushBtc(50, venue.replica.nowMs));
  venue.values.update();
  expect(believed(venue, 'btc-up-or-down-15m')).toEqual([0.03]);
});

test('nobody trades what is about to close, or not open', () => {
  const venue = open();
  venue.list(false);
  venue.replica.pass(12 * 60_000 - 5_000);
  venue.values.update();
  expect(believed(venue, 'harbour')).toEqual([]);
  expect(believed(venue, 'snail')).toHaveLength(4);
});
