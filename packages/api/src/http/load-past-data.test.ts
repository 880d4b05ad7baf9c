import { instrumentId, timeMs } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SETTLED_KEPT_MS } from '@oddlot/translate/read-models/outcome-catalogue';
import { MarketData } from '@oddlot/translate/read-models/market-data';
import { instrumentLookup } from '@oddlot/translate/instruments';
import { marketContext } from '@oddlot/translate/market-to-stream';
import { LongVenue } from '@oddlot/testing/venue/long-venue';
import {
  DAY_MS,
  FIRST_ID,
  HOUR_MS,
  marketListing,
  SERIES,
} from '@oddlot/testing/venue/outcome-venue';
import { StoredHistory } from '@oddlot/testing/venue/stored-history';
import { ALICE, BOB, START_MS } from '@oddlot/testing/venue/ws/test-venue';

const END_MS = START_MS + DAY_MS;
let venue: LongVenue;

beforeEach(() => {
  venue = new LongVenue();
  const { world } = venue;
  world.fund(ALICE, BOB);
  world.list('rain', { tags: ['weather'], endMs: timeMs(END_MS), markets: [] });
  const market = marketListing('rain', 'rain', { endMs: timeMs(END_MS) });
  world.venue.apply([{ type: 'registerMarket', market }]);
  world.list('sun', { tags: ['weather'] });
  world.mint(ALICE, BOB, 0.6, 10);
  world.waitUntil(START_MS + 2 * HOUR_MS);
  world.mint(ALICE, BOB, 0.7, 20);
});

afterEach(async () => {
  await venue.history.close();
});

/** Resolves the first event. No market can be added to an event that has ended. */
function settle(): void {
  venue.world.resolve(1);
}

function leave(): void {
  settle();
  venue.world.waitUntil(END_MS + SETTLED_KEPT_MS);
  expect(venue.world.markets.catalogue.listedEvent('rain')).toBeUndefined();
}

describe('events are removed from memory some time after they have ended', () => {
  test('an event resolved by its end is removed from memory a week after its end', () => {
    settle();
    const { catalogue } = venue.world.markets;
    venue.world.waitUntil(END_MS + SETTLED_KEPT_MS - 1);
    expect(catalogue.listedEvent('rain')).toBeDefined();
    venue.world.waitUntil(END_MS + SETTLED_KEPT_MS);
    expect(catalogue.listedEvent('rain')).toBeUndefined();
    expect(catalogue.market(FIRST_ID)).toBeUndefined();
    expect(catalogue.marketBySlug('rain')).toBeUndefined();
    expect(catalogue.listedEvent('sun')).toBeDefined();
  });

  test('an event resolved after its end is removed from memory a week after its resolution', () => {
    const { world } = venue;
    world.waitUntil(END_MS + 3 * DAY_MS);
    settle();
    const resolvedMs = world.nowMs;
    world.waitUntil(END_MS + SETTLED_KEPT_MS);
    expect(world.markets.catalogue.listedEvent('rain')).toBeDefined();
    world.waitUntil(resolvedMs + SETTLED_KEPT_MS);
    expect(world.markets.catalogue.listedEvent('rain')).toBeUndefined();
  });

  test('an event stays in memory until markets added later are resolved', async () => {
    const { world } = venue;
    settle();
    const market = marketListing('rain-too', 'rain', { endMs: timeMs(END_MS) });
    world.venue.apply([{ type: 'registerMarket', market }]);
    const id = world.markets.catalogue.marketBySlug('rain-too')!.instrumentId;
    world.waitUntil(END_MS + 2 * SETTLED_KEPT_MS);
    expect(world.markets.catalogue.listedEvent('rain')).toBeDefined();
    world.resolve(0, id);
    const resolvedMs = world.nowMs;
    world.waitUntil(resolvedMs + SETTLED_KEPT_MS);
    expect(world.markets.catalogue.listedEvent('rain')).toBeUndefined();
    const { markets } = await venue.data('outcomeMeta', { eventSlug: 'rain' });
    expect(markets.map(({ slug }: { slug: string }) => slug)).toEqual(['rain', 'rain-too']);
  });

  test('the candles, probabilities and snapshot data of an event are removed from memory with it', () => {
    const { markets } = venue.world;
    const sizeOf = (): number =>
      JSON.stringify(markets.projections.map((each) => each.dump())).length;
    const before = sizeOf();
    leave();
    expect(sizeOf()).toBeLessThan(before);
    expect(JSON.stringify(markets.projections.map((each) => each.dump()))).not.toContain('rain');
    expect(markets.candles.running(FIRST_ID, '1d')).toBeUndefined();
    const grid = { fromMs: START_MS, toMs: END_MS, stepMs: HOUR_MS };
    expect(markets.probabilities.points(FIRST_ID, grid)).toEqual([]);
  });

  test('after a restart, an event is removed from memory at the same block', () => {
    settle();
    const { venue: engine, markets } = venue.world;
    const restored = new MarketData(() => engine.state);
    const dumps = markets.projections.map((each) => JSON.stringify(each.dump()));
    for (const [at, projection] of restored.projections.entries()) {
      projection.restore(JSON.parse(dumps[at]!), projection.version);
    }
    engine.onBlock((block) => restored.onBlock(block));
    venue.world.waitUntil(END_MS + SETTLED_KEPT_MS - 1);
    expect(restored.catalogue.listedEvent('rain')).toBeDefined();
    venue.world.waitUntil(END_MS + SETTLED_KEPT_MS);
    expect(restored.catalogue.listedEvent('rain')).toBeUndefined();
    expect(restored.projections.map((each) => each.dump())).toEqual(
      markets.projections.map((each) => each.dump()),
    );
  });
});

describe('an event that has been removed from memory can still be queried', () => {
  test.each([
    ['outcomeMeta', { eventSlug: 'rain' }],
    ['outcomeMeta', { marketSlugs: ['rain', 'sun', 'nobody'] }],
    ['outcomeMeta', { marketSlugs: ['rain'], markets: 'event', status: 'resolved' }],
    ['outcomeMeta', { status: 'resolved' }],
    ['outcomeMeta', { status: 'all', sortBy: 'endingSoon' }],
    ['outcomeMeta', { status: 'all', tag: 'weather', sortBy: 'newest', sortOrder: 'asc' }],
    ['outcomeMeta', { status: 'resolved', tag: 'sport' }],
    ['outcomeAssetCtxs', { instrumentIds: [FIRST_ID + 1, FIRST_ID, 7] }],
    ['outcomeResolution', { instrumentId: FIRST_ID }],
    [
      'candleSnapshot',
      { req: { coin: String(FIRST_ID), interval: '15m', startTime: START_MS, endTime: END_MS } },
    ],
    [
      'candleSnapshot',
      { req: { coin: String(FIRST_ID), interval: '1d', startTime: START_MS - DAY_MS } },
    ],
  ])(
    'the query %s %j gets the same answer as before the event left memory',
    async (type, fields) => {
      leave();
      expect(await venue.data(type, fields)).toEqual(venue.expected(type, fields));
      expect(venue.history.asked.length).toBeGreaterThan(0);
    },
  );

  test('the resolution hash does not change when the event is removed from memory', async () => {
    settle();
    const before = await venue.data('outcomeResolution', { instrumentId: FIRST_ID });
    expect(venue.history.asked).toEqual([]);
    venue.world.waitUntil(END_MS + SETTLED_KEPT_MS);
    const after = await venue.data('outcomeResolution', { instrumentId: FIRST_ID });
    expect(venue.history.asked).toEqual(['settledMarket']);
    expect(after.receiptHash).toMatch(/^0x/);
    expect(after).toEqual(before);
  });

  test('the probabilities of a past event come from its trades and end with its result', async () => {
    leave();
    const { series } = await venue.data('outcomeProbability', {
      instrumentIds: [FIRST_ID],
      interval: 'max',
      fidelity: 60,
    });
    expect(series).toEqual([
      {
        instrumentId: FIRST_ID,
        current: '1',
        points: [
          { t: START_MS + HOUR_MS, p: '0.6' },
          { t: START_MS + 2 * HOUR_MS, p: '0.6' },
          { t: START_MS + 2 * HOUR_MS + 4_000, p: '1' },
        ],
      },
    ]);
  });

  test('queries for unknown names and open events do not access the history', async () => {
    leave();
    await venue.answer('outcomeMeta', { eventSlug: 'nobody' });
    await venue.answer('outcomeMeta', { eventSlug: 'sun' });
    await venue.answer('outcomeMeta', { eventSlug: 'rain', status: 'open' });
    await venue.answer('outcomeMeta', {});
    await venue.answer('outcomeResolution', { instrumentId: 7 });
    expect(venue.history.asked).toEqual([]);
  });

  test('an event deleted from the history is unknown, and the query is refused while the history lags behind', async () => {
    leave();
    const store = await venue.history.store();
    while ((await store.prune({ rowsBeforeMs: venue.world.nowMs })) > 0);
    const reply = await venue.answer('outcomeMeta', { eventSlug: 'rain' });
    expect(reply).toMatchObject({ ok: false, error: { code: 10404 } });
    venue.history.asOf = { height: 3, timeMs: START_MS };
    const candles = { coin: String(FIRST_ID), interval: '1h', startTime: 0 };
    const queries: readonly (readonly [type: string, fields: object])[] = [
      ['outcomeMeta', { eventSlug: 'rain' }],
      ['outcomeMeta', { status: 'resolved' }],
      ['outcomeMeta', { marketSlugs: ['rain'] }],
      ['outcomeResolution', { instrumentId: FIRST_ID }],
      ['candleSnapshot', { req: candles }],
      ['outcomeProbability', { instrumentIds: [FIRST_ID], interval: 'max', fidelity: 60 }],
    ];
    for (const [type, fields] of queries) {
      await expect(venue.answer(type, fields)).rejects.toThrow('the history is at block 3');
    }
  });

  test('a history started after the settlement still stores the event', async () => {
    settle();
    // The process starts at the block in which the event is removed from memory, as after a long
    // downtime.
    const { markets, venue: engine } = venue.world;
    const lateHistory = new StoredHistory({ state: () => engine.state, markets });
    engine.onBlock((block) => lateHistory.onBlock(block));
    venue.world.waitUntil(END_MS + SETTLED_KEPT_MS);
    const { answer } = await lateHistory.ask('settledMarket', { slug: 'rain' });
    const known = await venue.history.ask('settledMarket', { slug: 'rain' });
    expect(answer).toEqual(known.answer);
    expect(answer?.settledMs).toBe(END_MS);
    await lateHistory.close();
  });

  test('a list is complete even if events leave memory during the query', async () => {
    settle();
    venue.world.waitUntil(END_MS + SETTLED_KEPT_MS - 1);
    const asked = venue.data('outcomeMeta', { status: 'resolved' });
    venue.world.waitUntil(END_MS + SETTLED_KEPT_MS);
    expect((await asked).events).toHaveLength(1);
    const again = await venue.data('outcomeMeta', { status: 'resolved' });
    expect(again.events).toHaveLength(1);
  });

  test('subscribers to a past market receive its payout as its mark', () => {
    leave();
    const { markets, venue: engine } = venue.world;
    const source = { markets, state: engine.state };
    const instrument = instrumentLookup(() => engine.state)(FIRST_ID)!;
    expect(marketContext(source, instrument)).toMatchObject({
      instrumentId: FIRST_ID,
      ctx: { markPx: '1', midPx: null, dayNtlVlm: '0', openInterest: '0' },
    });
  });
});

describe('the timeline of a series includes old markets', () => {
  const PERIOD_MS = 4 * HOUR_MS;
  const FORGOTTEN = `btc-4h-${(START_MS + 3 * PERIOD_MS) / 1_000}`;

  /** Lists ten days of markets. One of them is never resolved, so it stays in memory. */
  function live(): void {
    const { world } = venue;
    const { catalogue } = world.markets;
    const series = { ...SERIES, slug: 'btc-4h', recurrence: '4h' as const };
    world.venue.apply([{ type: 'registerSeries', series }]);
    for (let period = 1; period <= 60; period++) {
      world.waitUntil(START_MS + period * PERIOD_MS + HOUR_MS);
      for (const { instrumentId: id, listing, resolution } of catalogue.seriesMarkets('btc-4h')) {
        const isOver = listing.endMs <= world.nowMs && resolution === null;
        if (isOver && listing.slug !== FORGOTTEN) world.resolve(1, instrumentId(id));
      }
    }
    expect(catalogue.seriesMarkets('btc-4h').length).toBeLessThan(46);
  }

  test.each([
    {},
    { limit: 50 },
    { limit: 44 },
    { limit: 3, before: START_MS + 5 * PERIOD_MS },
    { limit: 2, before: START_MS + 5 * PERIOD_MS },
    { before: START_MS + 16 * PERIOD_MS, after: START_MS + 2 * PERIOD_MS },
    { before: START_MS },
  ])('the timeline continues with markets outside memory for %j', async (fields) => {
    live();
    const query = { seriesSlug: 'btc-4h', ...fields };
    const data = await venue.data('outcomeSeriesTimeline', query);
    expect(data).toEqual(venue.expected('outcomeSeriesTimeline', query));
  });

  test('old markets are found by the slug of their event and of the market', async () => {
    live();
    const slug = `btc-4h-${START_MS / 1_000}`;
    expect(venue.world.markets.catalogue.listedEvent(slug)).toBeUndefined();
    for (const fields of [{ eventSlug: slug }, { marketSlugs: [slug, FORGOTTEN] }]) {
      expect(await venue.data('outcomeMeta', fields)).toEqual(
        venue.expected('outcomeMeta', fields),
      );
    }
  });

  test('the timeline queries the history only for older markets', async () => {
    live();
    const data = await venue.data('outcomeSeriesTimeline', { seriesSlug: 'btc-4h' });
    expect(data).toMatchObject({ hasMore: true, items: { length: 20 } });
    expect(venue.history.asked).toEqual([]);
  });
});
