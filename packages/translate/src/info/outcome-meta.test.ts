import { beforeEach, describe, expect, test } from 'vitest';
import { timeMs } from '@oddlot/units';
import { ALICE, BOB, START_MS } from '@oddlot/testing/venue/ws/test-venue';
import { DAY_MS, FIRST_ID, HOUR_MS, OutcomeVenue } from '@oddlot/testing/venue/outcome-venue';

let world: OutcomeVenue;
beforeEach(() => {
  world = new OutcomeVenue();
});

type Page = { events: { slug: string; markets: { slug: string }[] }[]; next_cursor: string | null };

const page = (fields: object = {}): Page => world.data('outcomeMeta', fields);
const slugs = (fields: object = {}): string[] => page(fields).events.map(({ slug }) => slug);

function walk(fields: object): string[] {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const { events, next_cursor }: Page = page({
      ...fields,
      ...(cursor === null ? {} : { cursor }),
    });
    found.push(...events.map(({ slug }) => slug));
    cursor = next_cursor;
  } while (cursor !== null);
  return found;
}

test('outcomeMeta returns an event with its markets, trading status, prices, volume and settlement', () => {
  world.list('rain', { markets: ['monday', 'tuesday'], tags: ['weather'], category: 'nature' });
  const created = world.nowMs;
  world.fund(ALICE, BOB);
  world.mint(ALICE, BOB, 0.6, 100);
  // The resting orders are a bid of 10 at 0.50 and an ask of 20 at 0.58.
  world.shares(ALICE, { price: 0.5, size: 10 });
  world.shares(BOB, { leg: 'no', price: 0.42, size: 20 });
  world.phase('halted', FIRST_ID + 1);
  const event = world.data('outcomeMeta', { eventSlug: 'rain' });
  const gates = { enabled: true, accepting_orders: true, halted: false, order_delay_ms: 0 };
  const { markets, ...head } = event;
  expect(head).toEqual({
    event_id: 1,
    slug: 'rain',
    title: 'Title of rain',
    description: 'About rain',
    category: 'nature',
    tags: ['weather'],
    image: null,
    icon: null,
    series_slug: null,
    exchange_id: 1,
    mutually_exclusive: false,
    start_time: START_MS,
    end_time: START_MS + 7 * DAY_MS,
    created_time: created,
    status: 'open',
    trading: gates,
    volume: { total: '60', day: '60', week: '60' },
    liquidity: '16.6',
    open_interest: '100',
    settlement: { resolution_status: 'prepared', resolved_time: null },
  });
  expect(markets[0]).toEqual({
    instrument_id: FIRST_ID,
    market_id: '100000',
    slug: 'monday',
    question: 'Will monday?',
    group_title: null,
    description: 'Rules of monday',
    resolution_source: 'the test',
    outcomes: ['Aye', 'Nay'],
    event_slug: 'rain',
    start_time: START_MS,
    end_time: START_MS + 7 * DAY_MS,
    phase: 'open',
    price_tick: '0.01',
    price_decimals: 2,
    size_decimals: 2,
    min_order_size: '5',
    max_order_size: '10000',
    taker_fee_rate: '0.07',
    maker_fee_rate: '0',
    fee_exponent: 1,
    trading: gates,
    // The spread from 0.50 to 0.58 is narrow enough for the mid to be the price.
    pricing: {
      yes_price: '0.54',
      no_price: '0.46',
      best_bid: '0.5',
      best_ask: '0.58',
      last_price: '0.6',
      change_24h: '0',
    },
    volume: { total: '60', day: '60' },
    open_interest: '100',
    underlying: null,
    settlement: {
      resolution_status: 'prepared',
      winning_outcome: null,
      settlement_fraction: null,
      oracle_outcome: null,
      resolved_time: null,
    },
  });
  expect(markets[1]).toMatchObject({
    phase: 'halted',
    trading: { enabled: true, accepting_orders: false, halted: true, order_delay_ms: 0 },
    pricing: { yes_price: '0.5', no_price: '0.5', best_bid: null, last_price: null },
  });
});

describe('a resolved outcome market shows its result', () => {
  test.each([
    [0.75, 'Yes', '0.75', '0.25'],
    [0.5, null, '0.5', '0.5'],
    [0, 'No', '0', '1'],
  ])('a resolved market shows that YES paid %f (R-settlement)', (fraction, winner, yes, no) => {
    world.list('rain');
    world.fund(ALICE, BOB);
    world.mint(ALICE, BOB, 0.6, 100);
    world.resolve(fraction);
    const resolved_time = world.nowMs;
    const event = world.data('outcomeMeta', { eventSlug: 'rain' });
    expect(event).toMatchObject({
      status: 'resolved',
      settlement: { resolution_status: 'resolved', resolved_time },
      open_interest: '0',
      liquidity: '0',
    });
    expect(event.markets[0]).toMatchObject({
      phase: 'resolved',
      trading: { enabled: false, accepting_orders: false, halted: false },
      pricing: { yes_price: yes, no_price: no, last_price: '0.6' },
      volume: { total: '60' },
      settlement: {
        resolution_status: 'resolved',
        winning_outcome: winner,
        settlement_fraction: yes,
        oracle_outcome: 'the word',
        resolved_time,
      },
    });
  });
});

test('after a day, the price change is shown and the daily volume restarts at zero', () => {
  world.list('rain');
  world.fund(ALICE, BOB);
  world.mint(ALICE, BOB, 0.6, 100);
  world.waitUntil(world.nowMs + 25 * HOUR_MS);
  world.mint(ALICE, BOB, 0.7, 10);
  const event = world.data('outcomeMeta', { eventSlug: 'rain' });
  expect(event.volume).toEqual({ total: '67', day: '7', week: '67' });
  expect(event.markets[0].pricing.change_24h).toBe('0.1');
});

describe('events are sorted by their volumes and prices', () => {
  beforeEach(() => {
    const ends = { one: 3, two: 1, three: 2 };
    for (const [slug, day] of Object.entries(ends)) {
      world.list(slug, { endMs: timeMs(START_MS + (7 + day) * DAY_MS) });
    }
    world.fund(ALICE, BOB);
    // The earlier volume is 6 for `one` and 12 for `two`; today's volume is 1.2 for `two` and 3 for
    // `three`.
    world.mint(ALICE, BOB, 0.6, 10, FIRST_ID);
    world.mint(ALICE, BOB, 0.6, 20, FIRST_ID + 1);
    world.waitUntil(world.nowMs + 30 * HOUR_MS);
    world.mint(ALICE, BOB, 0.24, 5, FIRST_ID + 1);
    world.mint(ALICE, BOB, 0.6, 5, FIRST_ID + 2);
    // The resting notional is 1 for `one` and 2 for `three`.
    world.shares(ALICE, { id: FIRST_ID, price: 0.1, size: 10 });
    world.shares(ALICE, { id: FIRST_ID + 2, price: 0.1, size: 20 });
  });

  test.each([
    [{}, ['two', 'one', 'three']],
    [{ sortBy: 'volume', sortOrder: 'asc' }, ['three', 'one', 'two']],
    [{ sortBy: 'trending' }, ['three', 'two', 'one']],
    [{ sortBy: 'liquidity' }, ['three', 'one', 'two']],
    [{ sortBy: 'newest' }, ['three', 'two', 'one']],
    [{ sortBy: 'newest', sortOrder: 'asc' }, ['one', 'two', 'three']],
    [{ sortBy: 'endingSoon' }, ['two', 'three', 'one']],
  ])('events queried with %j are sorted as expected on pages of any size', (fields, expected) => {
    expect(slugs(fields)).toEqual(expected);
    expect(walk({ ...fields, limit: 1 })).toEqual(expected);
    expect(walk({ ...fields, limit: 2 })).toEqual(expected);
  });

  test('the sort order of events changes with later trades, orders and listings', () => {
    expect(slugs({ sortBy: 'volume' })).toEqual(['two', 'one', 'three']);
    expect(slugs({ sortBy: 'liquidity' })).toEqual(['three', 'one', 'two']);
    expect(slugs({ sortBy: 'trending' })).toEqual(['three', 'two', 'one']);
    world.mint(ALICE, BOB, 0.6, 50, FIRST_ID);
    expect(slugs({ sortBy: 'volume' })).toEqual(['one', 'two', 'three']);
    world.shares(ALICE, { id: FIRST_ID + 1, price: 0.1, size: 100 });
    expect(slugs({ sortBy: 'liquidity' })).toEqual(['two', 'three', 'one']);
    expect(slugs({ sortBy: 'trending' })).toEqual(['one', 'three', 'two']);
    world.waitUntil(world.nowMs + 30 * HOUR_MS);
    // There are no trades today, so the ids determine the order.
    expect(slugs({ sortBy: 'trending' })).toEqual(['three', 'two', 'one']);
    world.list('four');
    expect(slugs({ sortBy: 'newest' })).toEqual(['four', 'three', 'two', 'one']);
  });

  test('a cursor is valid only for the list that issued it', () => {
    const { next_cursor: cursor } = page({ limit: 1, tag: undefined });
    expect(slugs({ cursor })).toEqual(['one', 'three']);
    expect(slugs({ after_cursor: cursor })).toEqual(['one', 'three']);
    const decoded = JSON.parse(Buffer.from(String(cursor), 'base64url').toString());
    expect(decoded).toEqual([expect.stringMatching(/^13200000@/), 2]);
    const foreign = [
      { sortBy: 'trending' },
      { sortOrder: 'asc' },
      { status: 'all' },
      { tag: 'weather' },
      { marketSlugs: ['one'] },
    ];
    for (const other of foreign) {
      expect(world.refusal('outcomeMeta', { cursor, ...other })).toEqual([10000, 'Invalid cursor']);
    }
    for (const bad of ['', 'x', '{}', Buffer.from('["1@x",2]').toString('base64url')]) {
      const refused = world.refusal('outcomeMeta', { cursor: bad });
      expect(refused).toEqual([10000, 'Invalid cursor']);
    }
  });

  test('page limits above 50 are lowered to 50, and invalid limits and sort orders are rejected', () => {
    expect(world.ask('outcomeMeta', { limit: 51 })).toMatchObject({
      clamped: { from: 51, to: 50 },
    });
    expect(world.refusal('outcomeMeta', { limit: 0 })).toEqual([10000, 'Invalid limit']);
    const fields = { sortBy: 'endingSoon', sortOrder: 'asc' };
    const refused = [10000, 'sortOrder is not allowed with endingSoon'];
    expect(world.refusal('outcomeMeta', fields)).toEqual(refused);
  });
});

describe('the filters of the event list select the matching events', () => {
  beforeEach(() => {
    world.list('open', { tags: ['a', 'b'], markets: ['m1', 'm2'] });
    world.list('done', { tags: ['b'], markets: ['m3'] });
    world.list('mixed', { markets: ['m4', 'm5'] });
    world.list('closed');
    world.list('empty', { markets: [] });
    const later = { startMs: timeMs(START_MS + DAY_MS) };
    world.venue.apply([
      {
        type: 'registerEvent',
        event: { ...world.markets.catalogue.listedEvent('open')!.listing, slug: 'later' },
      },
      {
        type: 'registerMarket',
        market: {
          ...world.markets.catalogue.market(FIRST_ID)!.listing,
          ...later,
          eventSlug: 'later',
          slug: 'm6',
        },
      },
    ]);
    world.resolve(1, FIRST_ID + 2);
    world.resolve(1, FIRST_ID + 3);
    world.phase('closed', FIRST_ID + 5);
  });

  test.each([
    [{}, ['mixed', 'open']],
    [{ status: 'open' }, ['mixed', 'open']],
    [{ status: 'resolved' }, ['done']],
    [{ status: 'closed' }, ['closed']],
    // An event without markets is still being listed.
    [{ status: 'upcoming' }, ['later', 'empty']],
    [{ status: 'all', tag: 'b' }, ['later', 'done', 'open']],
    [{ tag: 'b' }, ['open']],
    [{ tag: 'none' }, []],
    [{ exchangeId: 1 }, ['mixed', 'open']],
    [{ marketSlugs: ['m5', 'm3', 'nothing'] }, ['mixed', 'done']],
    [{ marketSlugs: ['m5', 'm3'], status: 'resolved' }, ['done']],
  ])('the filter %j selects the expected events', (fields, expected) => {
    expect(slugs({ sortBy: 'newest', ...fields })).toEqual(expected);
  });

  test('search finds words in the title, category, tags, questions and market names', () => {
    const listing = world.markets.catalogue.listedEvent('open')!.listing;
    const event = {
      ...listing,
      slug: 'derby',
      title: 'Who wins the Snail Derby?',
      tags: ['Sport'],
    };
    world.venue.apply([{ type: 'registerEvent', event: { ...event, category: 'races' } }]);
    const market = world.markets.catalogue.market(FIRST_ID)!.listing;
    const comet = { slug: 'comet', groupTitle: 'Comet', question: 'Does Comet win?' };
    world.venue.apply([
      { type: 'registerMarket', market: { ...market, eventSlug: 'derby', ...comet } },
    ]);
    const found = (fields: object) => slugs({ sortBy: 'newest', status: 'all', ...fields });
    for (const search of [
      'snail',
      'DERBY snail',
      'comet',
      'does win',
      'races',
      'sport',
      ' derby ',
    ]) {
      expect(found({ search }), search).toEqual(['derby']);
    }
    expect(found({ search: 'snail whale' })).toEqual([]);
    expect(found({ category: 'races' })).toEqual(['derby']);
    expect(found({ category: 'races', search: 'whale' })).toEqual([]);
    expect(found({ category: 'race' })).toEqual([]);
    expect(found({ search: '' })).toHaveLength(7);
  });

  test('a search cursor is valid only for the same search', () => {
    for (let at = 0; at < 5; at++) world.list(`tide-${at}`);
    const titled = world.markets.catalogue.listedEvent('tide-0')!.listing;
    for (let at = 0; at < 5; at++) {
      const event = {
        ...titled,
        slug: `tide-${at}`,
        title: `Tide ${at % 2 === 0 ? 'even' : 'odd'}`,
      };
      world.venue.apply([{ type: 'registerEvent', event }]);
    }
    const sought = { sortBy: 'newest', search: 'even', limit: 2 };
    const first = page(sought);
    expect(first.events.map(({ slug }) => slug)).toEqual(['tide-4', 'tide-2']);
    const second = page({ ...sought, cursor: first.next_cursor });
    expect(second.events.map(({ slug }) => slug)).toEqual(['tide-0']);
    expect(second.next_cursor).toBeNull();
    const foreign = { ...sought, search: 'odd', cursor: first.next_cursor };
    expect(world.refusal('outcomeMeta', foreign)).toEqual([10000, 'Invalid cursor']);
  });

  test('the tag filter reflects later changes to an event’s tags', () => {
    expect(slugs({ tag: 'b' })).toEqual(['open']);
    world.list('new', { tags: ['b', 'c'] });
    const { listing } = world.markets.catalogue.listedEvent('open')!;
    world.venue.apply([{ type: 'registerEvent', event: { ...listing, tags: ['c'] } }]);
    expect(slugs({ tag: 'b' })).toEqual(['new']);
    expect(slugs({ tag: 'c', sortBy: 'newest' })).toEqual(['new', 'open']);
  });

  test('marketSlugs returns only the requested markets or, on request, all markets of their events', () => {
    const names = (fields: object) =>
      page(fields).events.map(({ markets }) => markets.map(({ slug }) => slug));
    expect(names({ marketSlugs: ['m5'] })).toEqual([['m5']]);
    expect(names({ marketSlugs: ['m5'], markets: 'event' })).toEqual([['m4', 'm5']]);
    const many = { marketSlugs: ['m1', 'm3', 'm5'], sortBy: 'newest', limit: 1 };
    expect(walk(many)).toEqual(['mixed', 'done', 'open']);
  });

  test('an unknown event slug is rejected', () => {
    const missing = [10404, 'Event not found'];
    expect(world.refusal('outcomeMeta', { eventSlug: 'nothing' })).toEqual(missing);
    expect(world.refusal('outcomeMeta', { eventSlug: 'done', status: 'open' })).toEqual(missing);
    expect(world.data('outcomeMeta', { eventSlug: 'done' })).toMatchObject({ slug: 'done' });
  });
});
