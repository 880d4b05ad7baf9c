import { timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import { dump, dumpPacked, restore } from '../dump/dump.ts';
import { checkInvariants } from '../check-invariants.ts';
import type { State } from '../state/state.ts';
import { type Scenario, START_MS } from '@oddlot/testing/engine/scenario';
import { feed, PERIOD_MS, SERIES, seriesVenue, to } from '@oddlot/testing/engine/series';
import { checkRestarts } from '@oddlot/testing/engine/waiting';

const PERIOD_SECONDS = PERIOD_MS / 1_000;

/**
 * Returns a series venue with prices around the ends of the periods, so that all markets but the
 * last are resolved.
 */
function venueAfter(periods: number): Scenario {
  const venue = seriesVenue();
  for (let period = 1; period <= periods; period += 1) {
    const border = period * PERIOD_SECONDS;
    feed(venue, border - 60, border, 60_000 + (period % 3));
    to(venue, border + 5).block();
  }
  return venue;
}

const pastSlugs = ({ outcomes }: State): string[] =>
  [...outcomes.past.events()].map(({ slug }) => slug);

test('R-limits-of-state: events in a series are packed once they are paid, and can still be looked up', () => {
  const venue = venueAfter(4);
  const { outcomes } = venue.state;
  const slug = (period: number): string => `btc-15m-${START_MS / 1_000 + period * PERIOD_SECONDS}`;
  expect(pastSlugs(venue.state)).toEqual([slug(1), slug(2), slug(3)]);
  expect([...outcomes.events.live.keys()]).toEqual([slug(4), slug(5)]);
  expect(outcomes.settled.live.size).toBe(0);
  expect(outcomes.settled.get(100_000)).toEqual({
    instrumentId: 100_000,
    slug: slug(1),
    eventSlug: slug(1),
    szDecimals: SERIES.szDecimals,
    fraction: 10 ** (6 - SERIES.szDecimals),
  });
  expect(outcomes.events.get(slug(1))).toMatchObject({ resolved: 1, instrumentIds: [100_000] });
  checkInvariants(venue.state);
});

test('slugs and ids of packed events are not reused', () => {
  const venue = venueAfter(3);
  const [first = ''] = pastSlugs(venue.state);
  const known = venue.state.outcomes.events.get(first);
  const event = {
    slug: first,
    title: '',
    description: '',
    category: '',
    tags: [],
    image: null,
    icon: null,
    mutuallyExclusive: false,
    startMs: timeMs(venue.nowMs),
    endMs: timeMs(venue.nowMs + PERIOD_MS),
  };
  const again = venue.block({ type: 'registerEvent', event });
  expect(again.outcomes[0]?.reject).toEqual({ reason: 'slugUsed', slug: first });
  const other = { ...event, slug: 'other', eventId: known?.eventId ?? 0 };
  const taken = venue.block({ type: 'registerEvent', event: other });
  expect(taken.outcomes[0]?.reject).toMatchObject({ field: 'eventId', why: 'is used already' });
});

test('a packed state has the same dump as an unpacked one, and a restored state behaves identically', () => {
  const venue = venueAfter(4);
  const plain = JSON.stringify(dump(venue.state));
  const packed = packedText(venue.state);
  expect(packed.length).toBeLessThan(plain.length);
  for (const form of [JSON.parse(plain), dumpPacked(venue.state)]) {
    const copy = restore(form);
    expect(JSON.stringify(dump(copy))).toBe(plain);
    expect(packedText(copy)).toBe(packed);
    expect(pastSlugs(copy)).toEqual(pastSlugs(venue.state));
  }
  checkRestarts(venue);
});

/** Returns a packed dump as a string, with the order columns in a form that JSON can represent. */
function packedText(state: State): string {
  const packed = dumpPacked(state);
  const orders = Array.from(packed.orders, (block) =>
    Object.values(block).map((column) => Array.from<unknown>(column)),
  );
  return JSON.stringify({ ...packed, orders });
}
