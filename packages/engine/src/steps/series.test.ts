import { timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import { LIMITS } from '../messages/limits.ts';
import { nextDueMs } from '../read/read-health.ts';
import { later } from '@oddlot/testing/engine/outcomes';
import { Scenario, START_MS } from '@oddlot/testing/engine/scenario';
import { firstMarket, PERIOD_MS, SERIES, seriesVenue, starts } from '@oddlot/testing/engine/series';
import { checkRestarts } from '@oddlot/testing/engine/waiting';

describe('R-series: markets in a series are listed automatically', () => {
  test.each([
    // At time 0, the first market starts one period later. If one market is listed ahead, only this
    // one is listed.
    [1, [1]],
    [3, [1, 2, 3]],
  ])('a series lists its markets %d periods ahead', (listAhead, listed) => {
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

  test('a log entry is due when the next listing is due', () => {
    const venue = seriesVenue({ firstStartMs: timeMs(START_MS + 5 * PERIOD_MS) });
    expect(starts(venue)).toEqual([]);
    expect(nextDueMs(venue.state)).toBe(START_MS + 4 * PERIOD_MS);
    later(venue, 4 * PERIOD_MS);
    expect(starts(venue)).toEqual([5]);
  });

  test('a series market has its series’ names, times and grid', () => {
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
    // The market opens in a later block, because phases are advanced before markets are listed
    // (R-order-of-events).
    const types = events.map(({ type }) => type);
    const steps = ['marketPhaseChanged', 'outcomeEventListed', 'outcomeMarketListed'];
    expect(types.filter((type) => steps.includes(type))).toEqual(steps);
    expect(events.filter(({ type }) => type === 'outcomeMarketListed')).toMatchObject([
      { market: { outcomes: ['Up', 'Down'] }, seriesSlug: 'btc-15m' },
    ]);
  });

  test('a series skips periods that have ended and lists the current one as open', () => {
    const venue = seriesVenue({ firstStartMs: timeMs(START_MS - 10 * PERIOD_MS) });
    expect(starts(venue)).toEqual([0, 1]);
    expect(firstMarket(venue)?.phase).toBe('open');
    // The venue is stopped for five periods.
    later(venue, 5 * PERIOD_MS + 1);
    expect(starts(venue).slice(-2)).toEqual([5, 6]);
    expect(starts(venue)).not.toContain(3);
  });

  test('a new definition applies to markets not yet listed, and a stopped series lists none', () => {
    const venue = seriesVenue();
    const firstStartMs = timeMs(START_MS);
    const hourly = { ...SERIES, recurrence: '1h', symbol: 'ETH', firstStartMs } as const;
    venue.block({ type: 'registerSeries', series: hourly });
    // The next start is at the full hour, although the last listed market ended at half past.
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

  test('a series skips a market whose slug a deployer has used', () => {
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

  test('the number of listings per block is limited, and the rest follow in the next block', () => {
    const venue = Scenario.open({ accounts: [] });
    for (const slug of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      venue.block({ type: 'registerSeries', series: { ...SERIES, slug, listAhead: 20 } });
    }
    const listed = () => venue.state.outcomes.markets.size;
    expect(listed()).toBe(7 * 20);
    // After twenty periods, each series has twenty more markets to list.
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
  ])('an invalid series is rejected: %s', (_name, change, field) => {
    const venue = Scenario.open({ accounts: [] });
    const command = { type: 'registerSeries', series: { ...SERIES, ...change } } as const;
    const admitted = checkCommand(venue.state, command, venue.nowMs);
    expect(venue.outcome(command)).toEqual(admitted);
    expect(admitted.reject).toMatchObject({ reason: 'definitionInvalid', field });
  });
});
