import { describe, expect, test } from 'vitest';
import { FairPaths, STEP_MS } from './fair-paths.ts';

const MINUTE_MS = 60_000;
const START_MS = 1_800_000_000_000;
const rounds = 600;

/** Returns a rain market of the harbour event, and paths with a secret for the round. */
const rain = (round: number) => ({
  paths: new FairPaths(Buffer.from(`secret ${round}`)),
  market: {
    slug: 'demo-city-weather-1800000000-rain',
    eventSlug: 'demo-city-weather-1800000000',
    startMs: START_MS,
    endMs: START_MS + 12 * MINUTE_MS,
  },
});

describe('the fair value of a demo market follows a random walk', () => {
  test('at the close, the fair value is at least one half if and only if YES wins', () => {
    for (let round = 0; round < rounds; round++) {
      const { market, paths } = rain(round);
      const value = paths.valueOf(market, market.endMs) ?? Number.NaN;
      expect(value >= 0.5).toBe(paths.scoreOf(market, market.endMs) >= 0);
      // Later queries return the same value.
      expect(paths.valueOf(market, market.endMs + MINUTE_MS)).toBe(value);
    }
  });

  test.each([0, 6, 11])(
    'the fair value after %d minutes equals the frequency with which YES wins',
    (minutes) => {
      const groups = new Map<number, { expected: number; won: number; count: number }>();
      for (let round = 0; round < rounds; round++) {
        const { market, paths } = rain(round);
        const value = paths.valueOf(market, START_MS + minutes * MINUTE_MS) ?? Number.NaN;
        const group = groups.get(Math.floor(value * 3)) ?? { expected: 0, won: 0, count: 0 };
        group.expected += value;
        group.won += paths.scoreOf(market, market.endMs) >= 0 ? 1 : 0;
        group.count += 1;
        groups.set(Math.floor(value * 3), group);
      }
      for (const { count, expected, won } of groups.values()) {
        // The bound is four standard deviations of the observed fraction.
        expect(Math.abs(expected - won) / count).toBeLessThan(4 * Math.sqrt(0.25 / count));
      }
    },
  );

  test('the fair value moves once per step, independently for each market', () => {
    const { market, paths } = rain(1);
    const at = (ms: number) => paths.scoreOf(market, START_MS + ms);
    expect(at(STEP_MS - 1)).toBe(at(0));
    expect(at(STEP_MS)).not.toBe(at(0));
    expect(
      paths.valueOf({ ...market, eventSlug: 'demo-city-weathers-1' }, START_MS),
    ).toBeUndefined();
    expect(paths.seedOf('a')).not.toBe(paths.seedOf('b'));
  });

  test('the fair value does not depend on the order of queries', () => {
    const { market, paths } = rain(2);
    const minutes = [0, 1, 5, 3, 12, 11, 12, 0];
    const asked = minutes.map((minute) => paths.scoreOf(market, START_MS + minute * MINUTE_MS));
    const anew = minutes.map((minute) =>
      rain(2).paths.scoreOf(market, START_MS + minute * MINUTE_MS),
    );
    expect(asked).toEqual(anew);
  });
});
