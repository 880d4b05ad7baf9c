import type { Command } from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { TestReplica } from '@oddlot/testing/venue/http/test-replica';
import { exhibitionCommands } from '../exhibition/exhibition.ts';
import { FairPaths } from '../exhibition/fair-paths.ts';
import { probabilityAbove, FairValues } from './fair-values.ts';

const HOUR_MS = 3_600_000;

describe('the probability of a price above a strike is computed', () => {
  test.each([
    ['at the strike', 100, 900, 0.5],
    // The standard deviation of the price over 15 minutes is 0.3%.
    ['one deviation above', 100.3, 900, 0.845],
    ['one deviation below', 99.7, 900, 0.155],
    ['the same distance with less time', 100.3, 100, 0.994],
    ['the same distance with more time', 100.3, 3_600, 0.7],
  ])('%s', (_, price, secondsLeft, expected) => {
    expect(probabilityAbove({ price, strike: 100, secondsLeft })).toBeCloseTo(expected, 2);
  });
});

/**
 * Returns a venue whose clock is the given number of minutes after the start of a three-hour
 * period.
 */
function open(minutes = 0) {
  const replica = new TestReplica();
  replica.nowMs = Math.ceil(replica.nowMs / (3 * HOUR_MS)) * 3 * HOUR_MS + minutes * 60_000;
  replica.pass(0);
  let seed = 1;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  let priceE8: number | undefined;
  const paths = new FairPaths(Buffer.alloc(32, 1));
  const values = new FairValues({
    state: () => replica.state,
    priceE8: () => priceE8,
    paths,
    random,
  });
  const list = (hasSeries: boolean): void => {
    const options = { nowMs: replica.nowMs, paths, descriptionOf: () => undefined, hasSeries };
    const commands = exhibitionCommands(replica.state, options);
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
  /**
   * Lists a market of another deployer. Its value does not follow one of the demo markets' paths.
   */
  const listOther = (): void => {
    const options = {
      nowMs: replica.nowMs,
      paths,
      descriptionOf: () => undefined,
      hasSeries: false,
    };
    const texts = JSON.stringify(exhibitionCommands(replica.state, options).slice(0, 2));
    const others = JSON.parse(texts.replaceAll('demo-city-weather', 'others-weather')) as Command[];
    for (const command of others) replica.apply(command);
  };
  return { replica, values, list, listOther, paths, pushBtc };
}

const valuesOf = ({ values }: ReturnType<typeof open>, slug: string): number[] =>
  [...values.markets].flatMap(([{ definition }, value]) =>
    definition.slug.startsWith(slug) ? [value] : [],
  );

test('fair values of demo markets follow their paths regardless of trades, and those of a mutually exclusive event sum to one', () => {
  const venue = open(10);
  venue.list(false);
  const markets = [...venue.replica.state.outcomes.markets.values()];
  const seen = new Set<number>();
  for (let round = 0; round < 50; round++) {
    // Each market's last trade is far from the fair value.
    for (const market of markets) market.lastTrade = 9_900;
    venue.replica.pass(10_000);
    venue.values.update();
    for (const [{ definition }, value] of venue.values.markets) {
      const path = venue.paths.valueOf(definition, venue.replica.state.timeMs) ?? Number.NaN;
      expect(value).toBe(Math.min(0.97, Math.max(0.03, path)));
    }
    const four = valuesOf(venue, 'demo-election');
    expect(four).toHaveLength(4);
    expect(four.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 0);
    seen.add(valuesOf(venue, 'demo-city')[0] ?? 0);
  }
  expect(seen.size).toBeGreaterThan(20);
});

test("fair values of other deployers' markets drift, and in a new process start from the last trade", () => {
  const venue = open();
  venue.listOther();
  const other = [...venue.replica.state.outcomes.markets.values()][0];
  if (other !== undefined) other.lastTrade = 9_000;
  venue.values.update();
  const before = valuesOf(venue, 'others');
  expect(before[0]).toBeCloseTo(0.9, 1);
  for (let round = 0; round < 50; round++) venue.values.update();
  expect(valuesOf(venue, 'others')).not.toEqual(before);
});

test('the fair value of a price market follows the price once the strike is known', () => {
  const venue = open();
  venue.list(true);
  venue.replica.pass(15 * 60_000 - 61_000);
  for (let second = 60; second > 0; second--) {
    venue.replica.pass(1_000);
    venue.replica.apply(venue.pushBtc(100, venue.replica.nowMs));
  }
  venue.replica.pass(1_000);
  venue.values.update();
  expect(valuesOf(venue, 'btc-up-or-down-15m')).toEqual([0.5]);
  venue.replica.pass(5_000);
  venue.replica.apply(venue.pushBtc(100.3, venue.replica.nowMs));
  venue.values.update();
  expect(valuesOf(venue, 'btc-up-or-down-15m')[0]).toBeCloseTo(0.84, 1);
  venue.replica.apply(venue.pushBtc(50, venue.replica.nowMs));
  venue.values.update();
  expect(valuesOf(venue, 'btc-up-or-down-15m')).toEqual([0.03]);
});

test('markets that are about to close or not yet open have no fair value', () => {
  const venue = open(10);
  venue.list(false);
  venue.values.update();
  // One of the three rounds ends in eight minutes, one has just begun, and one is not open yet.
  expect(valuesOf(venue, 'demo-rate')).toHaveLength(2);
  venue.replica.pass(8 * 60_000 - 5_000);
  venue.values.update();
  expect(valuesOf(venue, 'demo-rate')).toHaveLength(1);
  expect(valuesOf(venue, 'demo-election')).toHaveLength(4);
});
