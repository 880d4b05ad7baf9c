import { timeMs } from '@oddlot/units';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LongVenue } from '@oddlot/testing/venue/long-venue';
import { DAY_MS, FIRST_ID, HOUR_MS, marketListing } from '@oddlot/testing/venue/outcome-venue';
import { ALICE, BOB } from '@oddlot/testing/venue/ws/test-venue';

const RUNS = Math.ceil(Number(process.env['FUZZ_RUNS'] ?? 100) / 4);

type Change =
  | {
      readonly do: 'list';
      readonly days: number;
      readonly tags: string[];
      readonly markets: number;
    }
  | { readonly do: 'join' | 'settle'; readonly event: number }
  | { readonly do: 'trade' | 'resolve'; readonly market: number }
  | { readonly do: 'pass'; readonly hours: number };

const Change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      days: fc.integer({ min: 1, max: 9 }),
      tags: fc.subarray(['a', 'b']),
      markets: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('join' as const), event: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('trade' as const), market: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resolve' as const), market: fc.nat(30) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('settle' as const), event: fc.nat(20) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      hours: fc.integer({ min: 1, max: 80 }),
    }),
  },
);

const Query = fc.record({
  sortBy: fc.constantFrom('volume', 'trending', 'liquidity', 'newest', 'endingSoon'),
  sortOrder: fc.constantFrom('asc', 'desc'),
  status: fc.constantFrom('all', 'resolved', 'closed', 'open'),
  tag: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 6 }),
  /**
   * The pause between two pages in milliseconds. During a long pause, events can be removed from
   * memory. Some queries never pause.
   */
  pauseMs: fc.constantFrom(0, 0, 30_000, 3 * DAY_MS),
});

const TIMEOUT_MS = 30_000 + 2_000 * RUNS;

test(
  'pages from memory and history equal those from a catalogue that keeps all events in memory',
  async () => {
    let left = 0;
    const property = fc.asyncProperty(
      fc.array(Change, { minLength: 20, maxLength: 60 }),
      fc.array(Query, { minLength: 4, maxLength: 8 }),
      async (changes, queries) => {
        const venue = new LongVenue();
        venue.world.fund(ALICE, BOB);
        for (const [at, change] of changes.entries()) make(venue, change, at);
        for (const query of queries) await comparePages(venue, query);
        left += [...venue.unbounded.catalogue.listedEvents()].length;
        left -= [...venue.world.markets.catalogue.listedEvents()].length;
        await venue.history.close();
      },
    );
    await fc.assert(property, { numRuns: RUNS });
    expect(left).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

function make({ world }: LongVenue, change: Change, at: number): void {
  const listed = [...world.venue.state.outcomes.events.values()];
  switch (change.do) {
    case 'list': {
      const endMs = timeMs(world.nowMs + change.days * DAY_MS);
      const markets = Array.from({ length: change.markets + 1 }, (_, index) => `m${at}-${index}`);
      world.list(`e${at}`, { tags: change.tags, endMs, markets: [] });
      for (const slug of markets) {
        const market = marketListing(slug, `e${at}`, { endMs });
        world.venue.apply([{ type: 'registerMarket', market }]);
      }
      return;
    }
    case 'join': {
      const event = listed[change.event % Math.max(1, listed.length)];
      if (event === undefined) return;
      const times = { startMs: timeMs(event.startMs), endMs: timeMs(event.endMs) };
      const market = marketListing(`j${at}`, event.slug, times);
      // The market is rejected if its event has ended.
      world.venue.apply([{ type: 'registerMarket', market }]);
      return;
    }
    case 'settle': {
      const event = listed[change.event % Math.max(1, listed.length)];
      for (const id of event?.instrumentIds ?? []) world.resolve(id % 2, id);
      return;
    }
    case 'trade':
      world.mint(ALICE, BOB, 0.5, 5 * (1 + (at % 3)), FIRST_ID + change.market);
      return;
    case 'resolve':
      world.resolve(change.market % 2, FIRST_ID + change.market);
      return;
    case 'pass':
      world.waitUntil(world.nowMs + change.hours * HOUR_MS);
      return;
  }
}

type Page = { readonly events: readonly object[]; readonly next_cursor: string | null };
type Asked = typeof Query extends fc.Arbitrary<infer Value> ? Value : never;

async function comparePages(venue: LongVenue, { pauseMs, sortOrder, tag, ...rest }: Asked) {
  const order = rest.sortBy === 'endingSoon' ? {} : { sortOrder };
  const query = { ...rest, ...order, ...(tag === undefined ? {} : { tag }) };
  // The daily volume changes with time, so queries that depend on it must not pause.
  const isPausing = rest.sortBy !== 'trending' && rest.status !== 'open';
  let cursor: string | null = null;
  do {
    const fields: object = cursor === null ? query : { ...query, cursor };
    const page: Page = await venue.data('outcomeMeta', fields);
    expect(page).toEqual(venue.expected('outcomeMeta', fields));
    cursor = page.next_cursor;
    if (isPausing) venue.world.waitUntil(venue.world.nowMs + pauseMs);
  } while (cursor !== null);
}
