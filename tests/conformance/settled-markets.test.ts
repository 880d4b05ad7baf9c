import { startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtureKey, worldOf } from '../fixtures/people.ts';
import { Actor } from '../support/actors.ts';
import { Client, eventually, type Json } from '../support/client.ts';
import { Deployer, DEPLOYER, type OutcomeMarket } from '../support/deployer.ts';
import { placed } from '../support/outcomes.ts';

/**
 * The venue drops events from memory one week after they settle. The test lists, trades and
 * resolves events, advances the venue's time by ten days, restarts the venue and repeats the
 * queries.
 */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
/**
 * The start is five minutes into a past quarter hour, so that queries one minute later are still in
 * the same candle. Nonces come from the machine's clock, which may be ahead of the venue's clock
 * but not behind it.
 */
const START_MS = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS - 10 * MINUTE_MS;
const OPEN = { startTime: START_MS - MINUTE_MS };

let venue: TestVenue;
let client: Client;
let rain: OutcomeMarket;
let snow: OutcomeMarket;
let sun: OutcomeMarket;
/** Answers from before the events were dropped from memory. */
const before: Record<string, Json> = {};

const deployer = new Deployer(worldOf(() => client));
const actor = (name: string): Actor => new Actor(name, fixtureKey(name), () => client);

const candlesOf = ({ coin }: OutcomeMarket): Json => ({
  type: 'candleSnapshot',
  req: { coin, interval: '15m', startTime: START_MS - DAY_MS, endTime: START_MS + MINUTE_MS },
});

/** Returns the whole reply, because the history's height is next to the data. */
async function ask(query: Json): Promise<Json> {
  const { json, status, text } = await client.post('/info', query);
  expect(status, text).toBe(200);
  return json;
}

beforeAll(async () => {
  const faucet = ['--faucet-usdc', '100000', '--faucet-every-ms', '1'];
  const flags = ['--deployers', DEPLOYER, ...faucet];
  venue = await startVenue({ ports: true, accounts: 0, time: START_MS, flags });
  client = new Client(venue.url);
  const [alice, bob] = [actor('alice'), actor('bob')];
  for (const { address: user } of [alice, bob]) {
    const fund = await client.post('/request-fund', { user, accountType: 'outcome' });
    expect(fund.status, fund.text).toBe(200);
  }
  const eventSlug = await deployer.event({ slug: 'weather', tags: ['sky'] });
  rain = await deployer.list({ slug: 'rain', ...OPEN }, eventSlug);
  snow = await deployer.list({ slug: 'snow', ...OPEN }, eventSlug);
  const fair = await deployer.event({
    slug: 'fair',
    tags: ['sky'],
    endTime: START_MS + 20 * DAY_MS,
  });
  const lasting = { ...OPEN, endTime: START_MS + 19 * DAY_MS };
  sun = await deployer.list({ slug: 'sun', ...lasting }, fair);
  for (const [market, price] of [
    [rain, '0.6'],
    [sun, '0.5'],
  ] as const) {
    await placed(alice, market, `buy Yes 10 at ${price}`);
    await placed(bob, market, `buy No 10 at ${price === '0.6' ? '0.4' : '0.5'}`);
  }
  await deployer.resolve(rain, '1');
  await deployer.resolve(snow, '0');
  before['meta'] = await client.data({ type: 'outcomeMeta', eventSlug: 'weather' });
  before['resolution'] = await client.data({ type: 'outcomeResolution', instrumentId: rain.id });
  before['candles'] = await client.data(candlesOf(rain));
  // The first block of each new day drops settled events.
  await venue.advance('10d', { step: '6h' });
  await venue.restart();
  await eventually(async () => {
    const reply = await ask({ type: 'outcomeResolution', instrumentId: rain.id });
    expect(reply).toHaveProperty('asOf');
  });
});

afterAll(async () => {
  await venue.stop();
});

describe('a settled event is still available once it has left memory', () => {
  test('R-settlement: a dropped event keeps its original resolution record, including the hash', async () => {
    const { asOf, data } = await ask({ type: 'outcomeResolution', instrumentId: rain.id });
    expect(data).toEqual(before['resolution']);
    expect(data.receiptHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(asOf).toMatchObject({ height: expect.any(Number), time: expect.any(Number) });
    expect(asOf.time).toBeGreaterThanOrEqual(data.resolvedTime);
  });

  test("a dropped event is found by its slug and by its markets' slugs", async () => {
    const { data } = await ask({ type: 'outcomeMeta', eventSlug: 'weather' });
    const { markets, volume, ...event } = data;
    const { markets: marketsBefore, volume: volumeBefore, ...eventBefore } = before['meta'];
    expect(event).toEqual(eventBefore);
    expect(volume).toEqual({ total: volumeBefore.total, day: '0', week: '0' });
    expect(markets.map(({ slug }: Json) => slug)).toEqual(['rain', 'snow']);
    expect(markets[0].settlement).toEqual(marketsBefore[0].settlement);
    expect(markets[0].pricing).toMatchObject({ yes_price: '1', last_price: '0.6' });
    const matched = await ask({ type: 'outcomeMeta', marketSlugs: ['snow', 'sun'] });
    expect(matched.data.events.map(({ markets: [one] }: Json) => one.slug).sort()).toEqual([
      'snow',
      'sun',
    ]);
    const ids = markets.map((one: Json) => one.instrument_id);
    const byId = await ask({ type: 'outcomeMeta', instrumentIds: ids });
    expect(byId.data.events).toMatchObject([{ slug: 'weather', markets: [{}, {}] }]);
  });

  test('a dropped event is listed and paged together with events in memory', async () => {
    const walk = async (fields: Json): Promise<string[]> => {
      const slugs: string[] = [];
      let cursor: string | null = null;
      do {
        const from: Json = cursor === null ? {} : { cursor };
        const query = { type: 'outcomeMeta', tag: 'sky', limit: 1, ...fields, ...from };
        const { data } = await ask(query);
        slugs.push(...data.events.map(({ slug }: Json) => slug));
        cursor = data.next_cursor;
      } while (cursor !== null);
      return slugs;
    };
    expect(await walk({ status: 'all', sortBy: 'newest' })).toEqual(['fair', 'weather']);
    expect(await walk({ status: 'all', sortBy: 'endingSoon' })).toEqual(['weather', 'fair']);
    expect(await walk({ status: 'all', sortBy: 'volume' })).toEqual(['weather', 'fair']);
    expect(await walk({ status: 'all', sortBy: 'trending', sortOrder: 'asc' })).toHaveLength(2);
    expect(await walk({ status: 'resolved' })).toEqual(['weather']);
    expect(await walk({})).toEqual(['fair']);
  });

  test('a dropped event still has its candles, its context and its probabilities', async () => {
    expect((await ask(candlesOf(rain))).data).toEqual(before['candles']);
    const [context] = (await ask({ type: 'outcomeAssetCtxs', instrumentIds: [rain.id] })).data;
    expect(context).toMatchObject({ markPx: '1', lastPx: '0.6', dayNtlVlm: '0' });
    const line = await ask({ type: 'outcomeProbability', instrumentIds: [rain.id] });
    expect(line.data.series[0]).toMatchObject({ instrumentId: rain.id, current: '1' });
    expect(line.data.series[0].points.at(-1).p).toBe('1');
  });

  test('queries about open markets need no history', async () => {
    expect(await ask({ type: 'outcomeMeta', eventSlug: 'fair' })).not.toHaveProperty('asOf');
    expect(await ask({ type: 'outcomeMeta' })).not.toHaveProperty('asOf');
    expect(await ask(candlesOf(sun))).not.toHaveProperty('asOf');
  });
});
