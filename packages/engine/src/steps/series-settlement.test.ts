import { instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../messages/limits.ts';
import { decide, setPhase } from '@oddlot/testing/engine/outcomes';
import { Scenario, START_MS } from '@oddlot/testing/engine/scenario';
import {
  feed,
  FIRST_ID,
  firstMarket,
  push,
  resolution,
  seriesVenue,
  SERIES,
  to,
} from '@oddlot/testing/engine/series';
import { checkRestarts } from '@oddlot/testing/engine/waiting';

describe('R-series: a market resolves by average prices', () => {
  // The first market runs from 900 s to 1,800 s. The samples are from the 60 seconds before each of
  // these times.
  test.each([
    ['higher', 101, 10_000],
    ['equal', 100, 10_000],
    ['lower', 99, 0],
  ])('a market resolves to Up if its final price is equal or higher: %s', (_name, px, fraction) => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    feed(venue, 1_740, 1_799, px);
    to(venue, 1_804.999).block();
    expect(resolution(venue)).toBeUndefined();
    const { events } = to(venue, 1_805).block();
    expect(resolution(venue)).toMatchObject({ fraction });
    expect(events.find(({ type }) => type === 'marketResolved')).toMatchObject({
      by: 'series',
      oracleOutcome: fraction === 0 ? 'Down' : 'Up',
      inputs: {
        symbol: 'BTC',
        source: 'oracle',
        windowMs: 60_000,
        strike: { sumE8: String(60 * 100 * 1e8) },
        settle: { sumE8: String(60 * px * 1e8) },
      },
    });
  });

  test('a resolution compares sums of prices, not rounded averages', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    feed(venue, 1_740, 1_798, 100);
    // One sample is lower by 10^-8, so the displayed average is the same but the result is not.
    push(to(venue, 1_799), [1_799, 100 - 1e-8]);
    to(venue, 1_805).block();
    expect(resolution(venue)).toMatchObject({ fraction: 0 });
  });

  test('averages of different numbers of samples are compared by cross-multiplication', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    // The 54 samples starting at 1,746 are 90 percent of 60.
    feed(venue, 1_746, 1_799, 100);
    to(venue, 1_805).block();
    expect(resolution(venue)).toMatchObject({ fraction: 10_000 });
  });

  test.each([
    ['53 seconds at the end', 840, 1_747],
    ['53 seconds at the start', 847, 1_740],
    ['none at the start', 900, 1_740],
  ])(
    'a market with too few prices (%s) stays closed until the operator decides',
    (_n, strike, end) => {
      const venue = seriesVenue();
      feed(venue, strike, 899, 100);
      feed(venue, end, 1_799, 101);
      const { events } = to(venue, 1_805).block();
      expect(events.some(({ type }) => type === 'marketResolved')).toBe(false);
      expect(firstMarket(venue)).toMatchObject({ phase: 'closed', isJudged: true });
      push(venue, [1_799, 101]);
      venue.block();
      expect(decide(venue, 0, FIRST_ID).outcomes[0]?.reject).toBeUndefined();
      expect(resolution(venue)).toMatchObject({ fraction: 0 });
      checkRestarts(venue);
    },
  );

  test('prices that later fill in a gap do not resolve the market', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    feed(venue, 1_740, 1_760, 101);
    to(venue, 1_805).block();
    // The feed accepts these prices, because its last observation is not newer.
    for (let at = 1_761; at < 1_800; at++) push(venue, [at, 101]);
    to(venue, 1_900).block();
    expect(resolution(venue)).toBeUndefined();
    checkRestarts(venue);
  });

  test('an observation counts for the seconds up to 5 s later', () => {
    const venue = seriesVenue({ windowSeconds: 30 });
    feed(venue, 870, 899, 100);
    // Observations every 6 s, just after a full second, count for five out of six seconds each: 25
    // of 30.
    for (let at = 1_770; at < 1_800; at += 6) push(to(venue, at + 0.001), [at + 0.001, 100]);
    to(venue, 1_805).block();
    expect(resolution(venue)).toBeUndefined();
    const other = seriesVenue({ windowSeconds: 30 });
    feed(other, 870, 899, 100);
    // At the full second, an observation is at most 5 s old for all six of them.
    for (let at = 1_770; at < 1_800; at += 6) push(to(other, at), [at, 100]);
    to(other, 1_805).block();
    expect(resolution(other)).toMatchObject({ fraction: 10_000 });
  });

  test('late observations count until 5 s after the end, and ones slightly ahead count as current', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    // These observations count for 51 seconds; the following ones arrive up to 10 s late.
    feed(venue, 1_740, 1_785, 100);
    to(venue, 1_804.5);
    for (let at = 1_786; at < 1_800; at++) push(venue, [at, 103]);
    const resolved = to(venue, 1_805)
      .block()
      .events.find((event) => event.type === 'marketResolved');
    expect(resolved).toMatchObject({ fraction: 10_000 });
    const inputs = resolved?.type === 'marketResolved' ? resolved.inputs : undefined;
    expect(inputs?.settle.samples.map(({ atMs }) => (atMs - START_MS) / 1_000)).toEqual([
      ...Array.from({ length: 51 }, (_, n) => 1_740 + n),
      1_795,
      1_796,
      1_797,
      1_798,
      1_799,
    ]);
    const ahead = seriesVenue();
    feed(ahead, 840, 899, 100);
    feed(ahead, 1_740, 1_799, 100);
    // The price is observed at 1,804 s but sent at 1,799.5, so it counts as of 1,799.5, after the
    // last sample.
    push(to(ahead, 1_799.5), [1_804, 1]);
    to(ahead, 1_805).block();
    expect(resolution(ahead)).toMatchObject({ fraction: 10_000 });
  });

  test('R-series: prices sent after an outage are excluded from averages, and the operator decides', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    feed(venue, 1_740, 1_745, 100);
    // The first block after the outage has every price in the window.
    const missed = Array.from({ length: 54 }, (_, n): [number, number] => [1_746 + n, 90]);
    const pushed = push(to(venue, 1_811), ...missed);
    // The prices are still available to readers.
    expect(pushed.skipped).toBeUndefined();
    to(venue, 1_900).block();
    expect(resolution(venue)).toBeUndefined();
    expect(firstMarket(venue)).toMatchObject({ phase: 'closed', isJudged: true });
    expect(decide(venue, 0, FIRST_ID).outcomes[0]?.reject).toBeUndefined();
    checkRestarts(venue);
  });

  test('R-series: an observation counts up to 10 s after its own time, and no later', () => {
    for (const [lateMs, counts] of [
      [10_000, true],
      [10_001, false],
    ] as const) {
      const venue = seriesVenue();
      feed(venue, 840, 899, 100);
      // These observations count for 53 seconds, one fewer than required.
      feed(venue, 1_740, 1_787, 100);
      push(to(venue, 1_794 + lateMs / 1_000), [1_794, 100]);
      to(venue, 1_805).block();
      expect(resolution(venue) !== undefined).toBe(counts);
    }
  });

  test('observations older than the previous one are skipped, whether or not that one counts', () => {
    const venue = seriesVenue();
    to(venue, 100);
    expect(push(venue, [80, 5], [79, 5], [85, 5], [84, 5], [99, 5]).skipped).toEqual([
      { index: 1, why: 'stale' },
      { index: 3, why: 'stale' },
    ]);
    checkRestarts(venue);
  });

  test('pushPrice skips observations that are too far ahead, too old, or without a valid price', () => {
    const venue = seriesVenue();
    to(venue, 100);
    const pushed = push(venue, [106, 1], [100, 5], [99, 5], [105, 5], [100, 0], [100, 6]);
    expect(pushed.skipped).toEqual([
      { index: 0, why: 'stale' },
      { index: 2, why: 'stale' },
      { index: 4, why: 'priceOutOfRange' },
    ]);
  });

  test('changing a series does not change the inputs of markets already listed', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    const series = { ...SERIES, symbol: 'ETH', source: 'spot', windowSeconds: 30 } as const;
    venue.block({ type: 'registerSeries', series });
    feed(venue, 1_740, 1_799, 99);
    to(venue, 1_805).block();
    expect(resolution(venue)).toMatchObject({ fraction: 0 });
    checkRestarts(venue);
  });

  test('a market that the operator closed and resolved is not resolved again', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    setPhase(venue, 'closed', FIRST_ID);
    decide(venue, 0, FIRST_ID);
    feed(venue, 1_740, 1_799, 101);
    to(venue, 1_805).block();
    expect(resolution(venue)).toMatchObject({ fraction: 0 });
  });

  test('after a long stall, the strike and the result are computed in the same block from stored prices', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    const { events } = to(venue, 1_900).block();
    expect(events.filter(({ type }) => type === 'seriesStruck')).toHaveLength(1);
    expect(firstMarket(venue)).toMatchObject({ phase: 'closed', isJudged: true });
    checkRestarts(venue);
  });

  function sixty(): Scenario {
    const venue = Scenario.open({ accounts: [] });
    venue.checks = false;
    for (let n = 0; n < 60; n++) {
      venue.block({ type: 'registerSeries', series: { ...SERIES, slug: `s${n}` } });
    }
    feed(venue, 840, 899, 100);
    return venue;
  }

  test('markets that the operator resolved do not count against the limit of resolutions', () => {
    const venue = sixty();
    for (let n = 0; n < 55; n++) {
      const id = instrumentId(FIRST_ID + n);
      setPhase(venue, 'closed', id);
      decide(venue, 0, id);
    }
    const { events } = to(venue, 1_805).block();
    expect(events.filter(({ type }) => type === 'seriesStruck')).toHaveLength(5);
    const left = [...venue.state.outcomes.markets.values()].slice(0, 5);
    expect(left.map(({ isJudged }) => isJudged)).toEqual([true, true, true, true, true]);
  });

  test('markets beyond a block’s limit are resolved in the next block, even after a restart', () => {
    const venue = sixty();
    // In total, 60 strikes and 60 ends are due at the same time, and a block processes 100.
    const first = to(venue, 1_805).block().events;
    const struck = first.filter(({ type }) => type === 'seriesStruck').length;
    expect(struck).toBe(60);
    const judged = () =>
      [...venue.state.outcomes.markets.values()].filter(({ isJudged }) => isJudged).length;
    expect(judged()).toBe(LIMITS.resolutionsPerBlock - 60);
    venue.block();
    expect(judged()).toBe(60);
    checkRestarts(venue);
  });
});
