import { describe, expect, test } from 'vitest';
import { FairPaths, STEP_MS } from './fair-paths.ts';

const MINUTE_MS = 60_000;
const START_MS = 1_800_000_000_000;
const rounds = 600;

/** The rain of a round of the harbour, under a secret of its own. */
const rain = (round: number) => ({
  paths: new FairPaths(Buffer.from(`secret ${round}`)),
  market: {
    slug: 'harbour-day-1800000000-rain',
    eventSlug: 'harbour-day-1800000000',
    startMs: START_MS,
    endMs: START_MS + 12 * MINUTE_MS,
  },
});

describe('the fair value of a made-up market', () => {
  test('is at least a half at the close exactly when YES wins', () => {
    for (let round = 0; round < rounds; round++) {
      const { market, paths } = rain(round);
      const value = paths.valueOf(market, market.endMs) ?? Number.NaN;
      expect(value >= 0.5).toBe(paths.scoreOf(market, market.endMs) >= 0);
      // Whoever looks later sees the same.
      expect(paths.valueOf(market, market.endMs + MINUTE_MS)).toBe(value);
    }
  });

  test.each([0, 6, 11])('is the chance of YES after %d minutes', (minutes) => {
    const groups = new Map<number, { told: number; won: number; count: number }>();
    for (let round = 0; round < rounds; round++) {
      const { market, paths } = rain(round);
      const value = paths.valueOf(market, START_MS + minutes * MINUTE_MS) ?? Number.NaN;
      const group = groups.get(Math.floor(value * 3)) ?? { told: 0, won: 0, count: 0 };
      group.told += value;
      group.won += paths.scoreOf(market, market.endMs) >= 0 ? 1 : 0;
      group.count += 1;
      groups.set(Math.floor(value * 3), group);
    }
    for (const { count, told, won } of groups.values()) {
      // Four deviations of a share that is counted.
      expect(Math.abs(told - won) / count).toBeLessThan(4 * Math.sqrt(0.25 / count));
    }
  });

  test('moves once in a step, and is nobody else’s', () => {
    const { market, paths } = rain(1);
    const at = (ms: number) => paths.scoreOf(market, START_MS + ms);
    expect(at(STEP_MS - 1)).toBe(at(0));
    expect(at(STEP_MS)).not.toBe(at(0));
    expect(paths.valueOf({ ...market, eventSlug: 'harbour-days-1' }, START_MS)).toBeUndefined();
    expect(paths.seedOf('a')).not.toBe(paths.seedOf('b'));
  });

  test('is the same whether a path is walked at once, bit by bit, or back and forth', () => {
    const { market, paths } = rain(2);
    const minutes = [0, 1, 5, 3, 12, 11, 12, 0];
    const asked = minutes.map((minute) => paths.scoreOf(market, START_MS + minute * MINUTE_MS));
    const anew = minutes.map((minute) =>
      rain(2).paths.scoreOf(market, START_MS + minute * MINUTE_MS),
    );
    expect(asked).toEqual(anew);
  });
});
