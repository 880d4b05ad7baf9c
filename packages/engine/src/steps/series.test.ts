import { instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../check.ts';
import type { SeriesListing } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { nextDueMs } from '../read/next-due.ts';
import { decide, later, MARKET, setPhase } from '../testing/outcomes.ts';
import { Scenario, START_MS } from '../testing/scenario.ts';
import { checkRestarts } from '../testing/waiting.ts';

const PERIOD_MS = 900_000;
const { maxOrderSize, minOrderSize, orderDelayMs, priceTick, szDecimals, takerFeeE8 } = MARKET;

const SERIES: SeriesListing = {
  slug: 'btc-15m',
  title: 'BTC up or down',
  symbol: 'BTC',
  recurrence: '15m',
  source: 'oracle',
  category: 'crypto',
  tags: [],
  image: null,
  icon: null,
  firstStartMs: timeMs(START_MS + PERIOD_MS),
  listAhead: 1,
  enabled: true,
  windowSeconds: 60,
  maxOrderSize,
  minOrderSize,
  orderDelayMs,
  priceTick,
  szDecimals,
  takerFeeE8,
};

function seriesVenue(change: Partial<SeriesListing> = {}): Scenario {
  const venue = Scenario.open({ accounts: [] });
  venue.block({ type: 'registerSeries', series: { ...SERIES, ...change } });
  return venue;
}

/** Starts of the markets that are listed, in periods after the beginning of the test. */
function starts(venue: Scenario): number[] {
  return [...venue.state.outcomes.markets.values()].map(
    ({ definition }) => (definition.startMs - START_MS) / PERIOD_MS,
  );
}

/** Pushes prices (in USDC) with the times, in seconds after the beginning, of their observations. */
function push(venue: Scenario, ...prices: readonly (readonly [atSeconds: number, px: number])[]) {
  return venue.outcome({
    type: 'pushPrice',
    prices: prices.map(([at, px]) => ({
      symbol: 'BTC',
      source: 'oracle',
      priceE8: px * 100_000_000,
      observedMs: timeMs(START_MS + at * 1_000),
    })),
  });
}

/** Moves the clock to so many seconds after the beginning. */
function to(venue: Scenario, seconds: number): Scenario {
  return venue.wait(START_MS + seconds * 1_000 - venue.nowMs);
}

/** Observes one price each second of [from, until], at that second. */
function feed(venue: Scenario, from: number, until: number, px: number): void {
  for (let at = from; at <= until; at++) push(to(venue, at), [at, px]);
}

const FIRST_ID = instrumentId(100_000);

function firstMarket(venue: Scenario) {
  return venue.state.outcomes.markets.get(FIRST_ID);
}

function resolution(venue: Scenario) {
  return firstMarket(venue)?.resolution ?? venue.state.outcomes.settled.get(FIRST_ID);
}

describe('R-series: a series lists its markets by itself', () => {
  test.each([
    // At 0 the first starts in one period: with one ahead it is listed, the next is not.
    [1, [1]],
    [3, [1, 2, 3]],
  ])('%d ahead', (listAhead, listed) => {
    const venue = seriesVenue({ listAhead });
    expect(starts(venue)).toEqual(listed);
    const next = START_MS + (listed.length + 1 - listAhead) * PERIOD_MS;
    expect(nextDueMs(venue.state)).toBe(next);
    later(venue, next - START_MS - 1);
    expect(starts(venue)).toEqual(listed);
    later(venue, 1);
    expect(starts(venue)).toEqual([...listed, listed.length + 1]);
    checkRestarts(venue);
  });

  test('the log is asked for an entry when the next listing is due', () => {
    const venue = seriesVenue({ firstStartMs: timeMs(START_MS + 5 * PERIOD_MS) });
    expect(starts(venue)).toEqual([]);
    expect(nextDueMs(venue.state)).toBe(START_MS + 4 * PERIOD_MS);
    later(venue, 4 * PERIOD_MS);
    expect(starts(venue)).toEqual([5]);
  });

  test('with the names, the times and the grid that the rule gives', () => {
    const venue = seriesVenue({ orderDelayMs: 250 });
    const start = START_MS + PERIOD_MS;
    const slug = `btc-15m-${start / 1_000}`;
    expect(firstMarket(venue)).toMatchObject({
      phase: 'upcoming',
      definition: {
        slug,
        eventSlug: slug,
        startMs: start,
        endMs: start + PERIOD_MS,
        orderDelayMs: 250,
        seriesSlug: 'btc-15m',
      },
    });
    expect(venue.state.outcomes.events.get(slug)).toMatchObject({ mutuallyExclusive: false });
    const { events } = later(venue, PERIOD_MS);
    // R-order-of-events: phases first, then listings.
    const types = events.map(({ type }) => type);
    const steps = ['marketPhaseChanged', 'outcomeEventListed', 'outcomeMarketListed'];
    expect(types.filter((type) => steps.includes(type))).toEqual(steps);
    expect(events.filter(({ type }) => type === 'outcomeMarketListed')).toMatchObject([
      { market: { outcomes: ['Up', 'Down'] }, seriesSlug: 'btc-15m' },
    ]);
  });

  test('periods that are over are passed over; the one in progress is listed, open', () => {
    const venue = seriesVenue({ firstStartMs: timeMs(START_MS - 10 * PERIOD_MS) });
    expect(starts(venue)).toEqual([0, 1]);
    expect(firstMarket(venue)?.phase).toBe('open');
    // A stall of five periods.
    later(venue, 5 * PERIOD_MS + 1);
    expect(starts(venue).slice(-2)).toEqual([5, 6]);
    expect(starts(venue)).not.toContain(3);
  });

  test('a new definition is for markets not yet listed; a stopped series lists none', () => {
    const venue = seriesVenue();
    const firstStartMs = timeMs(START_MS);
    const hourly = { ...SERIES, recurrence: '1h', symbol: 'ETH', firstStartMs } as const;
    venue.block({ type: 'registerSeries', series: hourly });
    // The next start is a whole hour, though the last one listed ended at half past.
    expect(starts(venue)).toEqual([1, 4]);
    expect(firstMarket(venue)?.definition.reference?.symbol).toBe('BTC');
    venue.block({ type: 'registerSeries', series: { ...hourly, enabled: false } });
    later(venue, 20 * PERIOD_MS);
    expect(starts(venue)).toEqual([1, 4]);
    expect(firstMarket(venue)?.phase).toBe('closed');
    venue.block({ type: 'registerSeries', series: hourly });
    expect(starts(venue)).toEqual([1, 4, 20, 24]);
    checkRestarts(venue);
  });

  test('a name that a deployer took is passed over', () => {
    const venue = Scenario.open({ accounts: [] });
    const slug = `btc-15m-${(START_MS + PERIOD_MS) / 1_000}`;
    const { category, icon, image, tags, title } = SERIES;
    const texts = { category, icon, image, tags, title, description: '' };
    const times = { startMs: timeMs(START_MS), endMs: timeMs(START_MS + PERIOD_MS) };
    const event = { slug, ...texts, ...times, mutuallyExclusive: false };
    venue.block({ type: 'registerEvent', event });
    venue.block({ type: 'registerSeries', series: { ...SERIES, listAhead: 2 } });
    expect(starts(venue)).toEqual([2]);
  });

  test('a block lists so many at most; the others follow', () => {
    const venue = Scenario.open({ accounts: [] });
    for (const slug of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      venue.block({ type: 'registerSeries', series: { ...SERIES, slug, listAhead: 20 } });
    }
    const listed = () => venue.state.outcomes.markets.size;
    expect(listed()).toBe(7 * 20);
    // After twenty periods each has twenty more to list.
    later(venue, 20 * PERIOD_MS);
    expect(listed()).toBe(7 * 20 + LIMITS.listingsPerBlock);
    expect(nextDueMs(venue.state)).toBeLessThanOrEqual(venue.nowMs);
    venue.block();
    expect(listed()).toBe(7 * 40);
    checkRestarts(venue);
  });

  test.each([
    ['a start off the period', { firstStartMs: timeMs(START_MS + 1) }, 'firstStartTime'],
    ['none ahead', { listAhead: 0 }, 'listAhead'],
    ['too many ahead', { listAhead: 21 }, 'listAhead'],
    ['a tick that does not divide 1.00', { priceTick: 300 }, 'priceTick'],
  ])('refused: %s', (_name, change, field) => {
    const venue = Scenario.open({ accounts: [] });
    const command = { type: 'registerSeries', series: { ...SERIES, ...change } } as const;
    const admitted = checkCommand(venue.state, command, venue.nowMs);
    expect(venue.outcome(command)).toEqual(admitted);
    expect(admitted.reject).toMatchObject({ reason: 'definitionInvalid', field });
  });
});

describe('R-series: Up iff the settle TWAP is at or above the strike TWAP', () => {
  // The first market starts at 900 s and ends at 1,800 s; its samples are those of the 60 seconds
  // before each.
  test.each([
    ['higher', 101, 10_000],
    ['equal', 100, 10_000],
    ['lower', 99, 0],
  ])('%s', (_name, px, fraction) => {
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

  test('sums are compared, not rounded averages', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    feed(venue, 1_740, 1_798, 100);
    // One sample is lower by 10^-8: the shown average is the same, the result is not.
    push(to(venue, 1_799), [1_799, 100 - 1e-8]);
    to(venue, 1_805).block();
    expect(resolution(venue)).toMatchObject({ fraction: 0 });
  });

  test('different counts are compared multiplied out: 60 at 100, 54 at 100', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    // From 1,746 on: 54 samples are 90 percent of 60.
    feed(venue, 1_746, 1_799, 100);
    to(venue, 1_805).block();
    expect(resolution(venue)).toMatchObject({ fraction: 10_000 });
  });

  test.each([
    ['53 seconds at the end', 840, 1_747],
    ['53 seconds at the start', 847, 1_740],
    ['none at the start', 900, 1_740],
  ])(
    '%s: it stays closed, a late push changes nothing, the operator decides',
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

  test('a feed that fell silent and is filled up later does not resolve after the fact', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    feed(venue, 1_740, 1_760, 101);
    to(venue, 1_805).block();
    // Not before its last observation, so the feed takes them; the market has been judged.
    for (let at = 1_761; at < 1_800; at++) push(venue, [at, 101]);
    to(venue, 1_900).block();
    expect(resolution(venue)).toBeUndefined();
    checkRestarts(venue);
  });

  test('an observation speaks for the seconds up to 5 s later', () => {
    const venue = seriesVenue({ windowSeconds: 30 });
    feed(venue, 870, 899, 100);
    // Every 6 s, just after the second: each speaks for five of six seconds, 25 of 30.
    for (let at = 1_770; at < 1_800; at += 6) push(to(venue, at + 0.001), [at + 0.001, 100]);
    to(venue, 1_805).block();
    expect(resolution(venue)).toBeUndefined();
    const other = seriesVenue({ windowSeconds: 30 });
    feed(other, 870, 899, 100);
    // At the second itself it is not older than 5 s for six of them.
    for (let at = 1_770; at < 1_800; at += 6) push(to(other, at), [at, 100]);
    to(other, 1_805).block();
    expect(resolution(other)).toMatchObject({ fraction: 10_000 });
  });

  test('late observations count until 5 s after the end, and those from ahead count as now', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    // These speak for 51 seconds; what follows comes up to 10 s late.
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
    // Said to be of 1,804 s and sent at 1,799.5: it counts as of 1,799.5, after the last sample.
    push(to(ahead, 1_799.5), [1_804, 1]);
    to(ahead, 1_805).block();
    expect(resolution(ahead)).toMatchObject({ fraction: 10_000 });
  });

  test('R-series: prices written after an outage count in no average, and the operator decides', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    feed(venue, 1_740, 1_745, 100);
    // The first entry after the outage brings every price of the window.
    const missed = Array.from({ length: 54 }, (_, n): [number, number] => [1_746 + n, 90]);
    const said = push(to(venue, 1_811), ...missed);
    // Readers of the prices have them all the same.
    expect(said.skipped).toBeUndefined();
    to(venue, 1_900).block();
    expect(resolution(venue)).toBeUndefined();
    expect(firstMarket(venue)).toMatchObject({ phase: 'closed', isJudged: true });
    expect(decide(venue, 0, FIRST_ID).outcomes[0]?.reject).toBeUndefined();
    checkRestarts(venue);
  });

  test('R-series: an observation counts up to 10 s after its own time, and not a moment longer', () => {
    for (const [lateMs, counts] of [
      [10_000, true],
      [10_001, false],
    ] as const) {
      const venue = seriesVenue();
      feed(venue, 840, 899, 100);
      // These speak for 53 seconds, one less than it takes.
      feed(venue, 1_740, 1_787, 100);
      push(to(venue, 1_794 + lateMs / 1_000), [1_794, 100]);
      to(venue, 1_805).block();
      expect(resolution(venue) !== undefined).toBe(counts);
    }
  });

  test('observations never go back, whether they count or not', () => {
    const venue = seriesVenue();
    to(venue, 100);
    expect(push(venue, [80, 5], [79, 5], [85, 5], [84, 5], [99, 5]).skipped).toEqual([
      { index: 1, why: 'stale' },
      { index: 3, why: 'stale' },
    ]);
    checkRestarts(venue);
  });

  test('pushPrice skips what is too far ahead, too old, or no price', () => {
    const venue = seriesVenue();
    to(venue, 100);
    const said = push(venue, [106, 1], [100, 5], [99, 5], [105, 5], [100, 0], [100, 6]);
    expect(said.skipped).toEqual([
      { index: 0, why: 'stale' },
      { index: 2, why: 'stale' },
      { index: 4, why: 'priceOutOfRange' },
    ]);
  });

  test('a changed series does not change what its listed markets resolve from', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    const series = { ...SERIES, symbol: 'ETH', source: 'spot', windowSeconds: 30 } as const;
    venue.block({ type: 'registerSeries', series });
    feed(venue, 1_740, 1_799, 99);
    to(venue, 1_805).block();
    expect(resolution(venue)).toMatchObject({ fraction: 0 });
    checkRestarts(venue);
  });

  test('what the operator closed and resolved before is not resolved again', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    setPhase(venue, 'closed', FIRST_ID);
    decide(venue, 0, FIRST_ID);
    feed(venue, 1_740, 1_799, 101);
    to(venue, 1_805).block();
    expect(resolution(venue)).toMatchObject({ fraction: 0 });
  });

  test('one long stall: strike and end are judged in the same entry, from what is kept', () => {
    const venue = seriesVenue();
    feed(venue, 840, 899, 100);
    const { events } = to(venue, 1_900).block();
    expect(events.filter(({ type }) => type === 'seriesStruck')).toHaveLength(1);
    expect(firstMarket(venue)).toMatchObject({ phase: 'closed', isJudged: true });
    checkRestarts(venue);
  });

  /** Sixty series, each with a market that starts at 900 s. */
  function sixty(): Scenario {
    const venue = Scenario.open({ accounts: [] });
    venue.checks = false;
    for (let n = 0; n < 60; n++) {
      venue.block({ type: 'registerSeries', series: { ...SERIES, slug: `s${n}` } });
    }
    feed(venue, 840, 899, 100);
    return venue;
  }

  test('what the operator has resolved takes no room of those that are due', () => {
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

  test('more than a block resolves: the others follow, and a restart changes nothing', () => {
    const venue = sixty();
    // 60 strikes and 60 ends are due at once, and a block looks at 100.
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
