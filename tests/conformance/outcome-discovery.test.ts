import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, cloidOf, type Actor } from '../support/actors.ts';
import { asOneCandle } from '../support/candles.ts';
import type { Json } from '../support/client.ts';
import { Deployer, newSlug, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import { bet, openBets, OUTCOMES, placed } from '../support/outcomes.ts';
import { succeeded } from '../support/perps.ts';
import {
  decimal,
  exactly,
  expectShape,
  integer,
  listOf,
  nullable,
  openOrder,
  price,
  record,
  text,
  time,
} from '../support/shape.ts';

const world = aSharedVenue(OUTCOMES);
const deployer = new Deployer(world);
const DAY_MS = 24 * 3_600_000;
const EVENTS = 7;
/** A tag for the events in this file. Other test files list events on the same venue. */
const TAG = 'fair';

let alice: Actor;
let bob: Actor;
/** Each event has one market, except the last, which has two. */
const markets: OutcomeMarket[] = [];

/** YES shares traded at 0.50 (`TRADED`) and resting at 0.10 (`RESTING`), by event. */
const TRADED = [10, 0, 30, 20, 0, 5, 40];
const RESTING = [5, 50, 0, 20, 10, 0, 40];
/** Days until the end of each event. */
const ENDS = [3, 1, 2, 5, 4, 7, 6];

beforeAll(async () => {
  [alice, bob] = [await shareTrader(world, 'alice'), await shareTrader(world, 'bob')];
  for (let at = 0; at < EVENTS; at++) {
    const tags = at % 2 === 0 ? [TAG, 'even'] : [TAG];
    const endTime = Date.now() + ENDS[at]! * DAY_MS;
    const slug = await deployer.event({ tags, endTime });
    const market = await deployer.list({ endTime }, slug);
    markets.push(market);
    if (TRADED[at]! > 0) {
      await placed(alice, market, `buy Yes ${TRADED[at]} at 0.50`);
      await placed(bob, market, `buy No ${TRADED[at]} at 0.50`);
    }
    if (RESTING[at]! > 0) await placed(alice, market, `buy Yes ${RESTING[at]} at 0.10`);
  }
  await deployer.list({}, markets.at(-1)!.eventSlug);
});

const query = (fields: object) => ({ type: 'outcomeMeta', tag: TAG, ...fields });
const page = async (fields: object = {}): Promise<Json> => world.client.data(query(fields));
const indexOf = ({ slug }: Json) => markets.findIndex(({ eventSlug }) => eventSlug === slug);

/** Follows all cursors and returns the event numbers from all pages. */
async function walk(fields: object): Promise<number[]> {
  const found: number[] = [];
  let cursor: string | null = null;
  do {
    const after: object = cursor === null ? {} : { cursor };
    const { events, next_cursor }: Json = await page({ ...fields, ...after });
    found.push(...events.map(indexOf));
    cursor = next_cursor;
  } while (cursor !== null);
  return found;
}

/** Sorts the event numbers by a value, highest first. Ties are sorted newest event first. */
const ranked = (values: readonly number[]) =>
  [...values.keys()].sort((a, b) => values[b]! - values[a]! || b - a);

describe('outcomeMeta lists events and their markets', () => {
  const byEnd = ranked(ENDS).toReversed();
  test.each<[object, readonly number[]]>([
    [{}, ranked(TRADED)],
    [{ sortBy: 'volume' }, ranked(TRADED)],
    [{ sortBy: 'volume', sortOrder: 'asc' }, ranked(TRADED).toReversed()],
    [{ sortBy: 'trending' }, ranked(TRADED)],
    [{ sortBy: 'liquidity', sortOrder: 'desc' }, ranked(RESTING)],
    [{ sortBy: 'newest' }, [6, 5, 4, 3, 2, 1, 0]],
    [{ sortBy: 'newest', sortOrder: 'asc' }, [0, 1, 2, 3, 4, 5, 6]],
    [{ sortBy: 'endingSoon' }, byEnd],
  ])(
    'pages of any size contain every event once and in order with %j',
    async (fields, expected) => {
      for (const limit of [1, 3, 7, 50]) expect(await walk({ ...fields, limit })).toEqual(expected);
    },
  );

  test.each<[object, readonly number[]]>([
    [{ tag: 'even' }, [6, 4, 2, 0]],
    [{ tag: 'odd' }, []],
    [{ status: 'all' }, [6, 5, 4, 3, 2, 1, 0]],
    [{ status: 'resolved' }, []],
    [{ status: 'upcoming' }, []],
    [{ exchangeId: 1 }, [6, 5, 4, 3, 2, 1, 0]],
  ])('filters events by %j', async (fields, expected) => {
    expect(await walk({ sortBy: 'newest', limit: 2, ...fields })).toEqual(expected);
  });

  test('a cursor is valid only for its own list and survives changes to earlier rows', async () => {
    const fields = { sortBy: 'newest', limit: 2 };
    const { next_cursor: cursor } = await page(fields);
    expect((await page({ ...fields, cursor })).events.map(indexOf)).toEqual([4, 3]);
    expect((await page({ ...fields, after_cursor: cursor })).events.map(indexOf)).toEqual([4, 3]);
    const misuse = [
      { sortBy: 'volume', cursor },
      { ...fields, sortOrder: 'asc', cursor },
      { ...fields, status: 'all', cursor },
      { ...fields, tag: 'even', cursor },
      { ...fields, cursor: `${cursor}x` },
      { ...fields, cursor: 'none' },
      { ...fields, cursor: '' },
    ];
    for (const each of misuse) {
      const { json } = await world.client.info(query(each));
      expect(json, JSON.stringify(each)).toMatchObject({ code: 10000, message: 'Invalid cursor' });
    }
  });

  test.each<[object, number, number, string]>([
    [
      { sortBy: 'endingSoon', sortOrder: 'asc' },
      200,
      10000,
      'sortOrder is not allowed with endingSoon',
    ],
    [{ eventSlug: 'nothing' }, 200, 10404, 'Event not found'],
    [{ limit: 0 }, 200, 10000, 'Invalid limit'],
    [{ sortBy: 'luck' }, 400, 10002, 'Wrong type for sortBy'],
    [{ limit: '5' }, 400, 10002, 'Wrong type for limit'],
    [{ marketSlugs: [] }, 400, 10002, ''],
    [{ marketSlugs: Array(51).fill('x') }, 400, 10002, ''],
    [{ instrumentIds: [] }, 400, 10002, ''],
  ])('rejects outcomeMeta with %j', async (fields, status, code, message) => {
    const reply = await world.client.info({ type: 'outcomeMeta', ...fields });
    expect([reply.status, reply.json.code], reply.text).toEqual([status, code]);
    if (message !== '') expect(reply.json.message).toBe(message);
  });

  test('a limit above 50 is lowered to 50, with a warning', async () => {
    const { json } = await world.client.info(query({ limit: 51 }));
    expect(json.warnings).toMatchObject([{ code: 'LIMIT_CLAMPED', details: { from: 51, to: 50 } }]);
  });

  test('outcomeMeta returns just the requested markets, or all markets of their events', async () => {
    const { slug, eventSlug } = markets.at(-1)!;
    const asked = { marketSlugs: [slug, markets[0]!.slug, 'nothing'], sortBy: 'newest' };
    const slugsOf = async (fields: object) =>
      (await page({ ...asked, ...fields })).events.map((event: Json) => [
        indexOf(event),
        event.markets.length,
      ]);
    expect(await slugsOf({})).toEqual([
      [6, 1],
      [0, 1],
    ]);
    expect(await slugsOf({ markets: 'matched', limit: 1 })).toEqual([[6, 1]]);
    expect(await slugsOf({ markets: 'event' })).toEqual([
      [6, 2],
      [0, 1],
    ]);
    const event = await world.client.data({ type: 'outcomeMeta', eventSlug });
    expect(event).toMatchObject({
      slug: eventSlug,
      volume: { total: '20', day: '20', week: '20' },
      liquidity: '4',
      open_interest: '40',
    });
    expect(event.markets.map((each: Json) => each.volume.total)).toEqual(['20', '0']);
  });

  test('outcomeMeta finds resolved markets only on request', async () => {
    const market = await deployer.list({}, await deployer.event({ tags: [TAG] }));
    await deployer.resolve(market, '1');
    const { slug, eventSlug } = market;
    expect(await walk({ limit: 50 })).toHaveLength(EVENTS);
    const { events } = await page({ status: 'resolved' });
    expect(events.map((event: Json) => event.slug)).toEqual([eventSlug]);
    expect((await page({ marketSlugs: [slug] })).events).toHaveLength(1);
    const byId = await page({ instrumentIds: [market.id, 4_000_000], sortBy: 'newest' });
    expect(byId.events.map((event: Json) => event.markets.map((one: Json) => one.slug))).toEqual([
      [slug],
    ]);
    expect((await page({ marketSlugs: [slug], status: 'open' })).events).toEqual([]);
  });
});

describe('outcomeFrontendOpenOrders returns open outcome orders', () => {
  test('outcomeFrontendOpenOrders returns rows in the same format as for perps and filters them', async () => {
    const carol = await shareTrader(world, 'carol');
    const [market, other] = [await deployer.list(), await deployer.list()];
    const cloid = cloidOf('open');
    const expireTime = Date.now() + DAY_MS;
    await placed(carol, market, 'buy No 10 at 0.20', { cloid, tif: 'Gtd', expireTime });
    await placed(carol, other, 'buy Yes 10 at 0.30', { tif: 'Alo' });
    const rows = await openBets(carol);
    const outcomeOnly = { instrumentType: 'outcome', marketType: 'outcome' };
    for (const row of rows) {
      expectShape({ ...row, instrumentType: 'perps', marketType: 'perps' }, openOrder);
    }
    expect(rows).toMatchObject([
      { instrumentId: other.id, tif: 'ALO', dir: 'Buy Yes', ...outcomeOnly },
      {
        instrumentId: market.id,
        tif: 'GTD',
        expireTime,
        cloid,
        dir: 'Buy No',
        outcome: 'No',
        side: 'A',
        limitPx: '0.2',
        title: 'Will it?',
        slug: market.slug,
        eventSlug: market.eventSlug,
        outcomeNames: ['Yes', 'No'],
        ...outcomeOnly,
      },
    ]);
    expect(await openBets(carol, other)).toEqual([rows[0]]);
    const ask = (fields: object) =>
      world.client.info({ type: 'frontendOpenOrders', user: carol.address, ...fields });
    expect((await ask({})).json.data).toEqual([]);
    expect((await ask({ accountType: ['perp', 'outcome'] })).json.data).toEqual(rows);
    const refused = await ask({ type: 'outcomeFrontendOpenOrders', exchangeId: 1 });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ code: 10002, message: 'exchangeId is not accepted' });
  });
});

describe("outcomeAssetCtxs returns markets' prices and volumes", () => {
  const contexts = async (...instrumentIds: number[]): Promise<Json[]> =>
    world.client.data({ type: 'outcomeAssetCtxs', instrumentIds });

  test('outcomeAssetCtxs keeps the order of the request and leaves out unknown ids', async () => {
    const ids = [markets[2]!.id, 999_999, markets[0]!.id];
    const rows = await contexts(...ids);
    expect(rows.map((row) => row.instrumentId)).toEqual([ids[0], ids[2]]);
    const shape = record({
      instrumentId: integer,
      coin: text,
      markPx: price,
      midPx: nullable(price),
      bestBid: nullable(price),
      bestAsk: nullable(price),
      lastPx: nullable(price),
      prevDayPx: nullable(price),
      dayNtlVlm: decimal,
      dayBaseVlm: decimal,
      totalNtlVlm: decimal,
      openInterest: decimal,
      spread: nullable(price),
      time,
    });
    expectShape(rows, listOf(shape));
    expect(rows[0]).toMatchObject({ dayNtlVlm: '15', dayBaseVlm: '30', totalNtlVlm: '15' });
    for (const instrumentIds of [[], Array(51).fill(1), ['1']]) {
      const reply = await world.client.info({ type: 'outcomeAssetCtxs', instrumentIds });
      expect(reply.status).toBe(400);
    }
  });

  test('the mark is the mid if the spread is at most 0.10; otherwise it is the last trade or 0.5', async () => {
    const market = await deployer.list();
    const [first] = await contexts(market.id);
    expect(first).toMatchObject({ markPx: '0.5', midPx: null, lastPx: null, spread: null });
    await placed(alice, market, 'buy Yes 5 at 0.30');
    await placed(bob, market, 'buy No 10 at 0.70');
    expect(await contexts(market.id)).toMatchObject([
      { markPx: '0.3', bestBid: null, bestAsk: '0.3', lastPx: '0.3' },
    ]);
    await placed(alice, market, 'buy Yes 10 at 0.19');
    expect(await contexts(market.id)).toMatchObject([
      { markPx: '0.3', midPx: '0.245', spread: '0.11' },
    ]);
    await placed(alice, market, 'buy Yes 10 at 0.20');
    expect(await contexts(market.id)).toMatchObject([
      { markPx: '0.25', midPx: '0.25', bestBid: '0.2', spread: '0.1', openInterest: '5' },
    ]);
  });
});

describe('events can be searched by words', () => {
  test('a search finds titles, categories and markets, and is paged', async () => {
    const word = newSlug('osprey').replace('-', '');
    for (const title of [`The ${word} nests`, `An ${word.toUpperCase()} leaves`]) {
      await deployer.list({}, await deployer.event({ title, category: word }));
    }
    const group = await deployer.event({ title: 'Which bird?' });
    await deployer.list({ groupTitle: `Young ${word}` }, group);
    const ask = async (fields: object): Promise<Json> =>
      world.client.data({ type: 'outcomeMeta', sortBy: 'newest', ...fields });
    const titles = ({ events }: Json) => events.map(({ title }: Json) => title);
    const all = ['Which bird?', `An ${word.toUpperCase()} leaves`, `The ${word} nests`];
    expect(titles(await ask({ search: word }))).toEqual(all);
    expect(titles(await ask({ search: `NESTS ${word}` }))).toEqual([all[2]]);
    expect(titles(await ask({ category: word }))).toEqual(all.slice(1));
    expect(titles(await ask({ search: word, status: 'resolved' }))).toEqual([]);
    const first = await ask({ search: word, limit: 2 });
    expect(titles(first)).toEqual(all.slice(0, 2));
    const rest = await ask({ search: word, limit: 2, cursor: first.next_cursor });
    expect([titles(rest), rest.next_cursor]).toEqual([all.slice(2), null]);
    const long = await world.client.info({ type: 'outcomeMeta', search: 'x'.repeat(101) });
    expect(long.status).toBe(400);
  });
});

describe('past prices can be queried', () => {
  test('the current and earlier probabilities and the candles of trades can be queried', async () => {
    const market = await deployer.list();
    const trade = async (cents: number) => {
      succeeded(await alice.place(bet(market, `buy Yes 5 at 0.${cents}`)));
      succeeded(await bob.place(bet(market, `buy No 5 at 0.${100 - cents}`)));
    };
    for (const cents of [40, 60, 55]) await trade(cents);
    const instrumentIds = [market.id, 999_999];
    const { series } = await world.client.data({ type: 'outcomeProbability', instrumentIds });
    expect(series).toHaveLength(1);
    const [{ current, instrumentId, points }] = series;
    expect({ instrumentId, current }).toEqual({ instrumentId: market.id, current: '0.55' });
    expectShape(points, listOf(record({ t: time, p: price })));
    const candle = { coin: market.coin, interval: '1d', startTime: Date.now() - 2 * DAY_MS };
    const candles = await world.client.data({ type: 'candleSnapshot', req: candle });
    expect(candles.at(-1)).toMatchObject({ s: `OUTCOME-${market.id}`, i: '1d' });
    const shown = { o: '0.4', h: '0.6', l: '0.4', c: '0.55', v: '15', n: 3 };
    expect(asOneCandle(candles)).toEqual(shown);
    const wrong = { type: 'outcomeProbability', instrumentIds: [market.id], interval: '2d' };
    expect((await world.client.info(wrong)).status).toBe(400);
  });

  test('the prices pushed at a start, at an end and as an average can be queried', async () => {
    const symbol = newSlug('coin').toUpperCase().replace('-', '');
    const end = Math.floor(Date.now() / 1_000) * 1_000 - 6_000;
    // The price is 100 for half a minute and then 103, so the average before the end is 101.5.
    const prices = Array.from({ length: 61 }, (_, at) => ({
      symbol,
      source: 'oracle',
      px: at < 30 ? '100' : '103',
      time: end - 60_000 + at * 1_000,
    }));
    await deployer.push(...prices);
    const ask = async (fields: object): Promise<Json> =>
      world.client.data({ type: 'cryptoPrice', symbol, ...fields });
    const shape = record({ symbol: text, source: text, timestamp: time, cached: exactly(false) });
    expectShape(await ask({}), shape);
    expect(await ask({})).toMatchObject({
      symbol,
      source: 'oracle',
      openPrice: null,
      closePrice: '103',
      completed: false,
    });
    const window = { eventStartTime: end - 40_000, endTime: end };
    const over = { openPrice: '100', closePrice: '103', completed: true, incomplete: false };
    expect(await ask(window)).toMatchObject(over);
    const iso = (ms: number) => new Date(ms).toISOString();
    const { eventStartTime, endTime } = window;
    const spelled = { eventStartTime: iso(eventStartTime), endTime: iso(endTime) };
    expect(await ask(spelled)).toMatchObject(over);
    expect(await ask({ ...window, source: 'twap' })).toMatchObject({ closePrice: '101.5' });
    expect(await ask({ source: 'spot' })).toMatchObject({ closePrice: null, incomplete: true });
    const history = await world.client.data({
      type: 'cryptoPriceHistory',
      symbol,
      startTime: end - 32_000,
      endTime: end - 29_000,
    });
    expect(history).toEqual({
      symbol,
      source: 'oracle',
      data: [
        { timestamp: end - 32_000, value: '100' },
        { timestamp: end - 31_000, value: '100' },
        { timestamp: end - 30_000, value: '103' },
        { timestamp: end - 29_000, value: '103' },
      ],
    });
    const unknown = await world.client.info({ type: 'cryptoPrice', symbol: 'NOTHING' });
    expect(unknown.json).toMatchObject({ code: 10404 });
  });
});
