import { afterAll, beforeAll, expect, test } from 'vitest';
import { clockEnvironment, resetClock, setClock } from '../fixtures/venue-clock.ts';
import { aVenue, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { allPages, past } from '../support/history.ts';
import { newScene, Operator, OPERATED, type OwnPerp } from '../support/perps.ts';

/** userFundings over a full hour: the venue, and the test with it, starts shortly before it strikes. */

const HOUR_MS = 3_600_000;
const BEFORE_MS = 30_000;
const environment: Record<string, string | undefined> = {};

beforeAll(() => {
  const clock = `from:${Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS - BEFORE_MS}`;
  for (const [key, value] of Object.entries(clockEnvironment(clock))) {
    environment[key] = process.env[key];
    process.env[key] = value;
  }
  setClock(clock);
});

const world = aVenue(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

afterAll(() => {
  resetClock();
  for (const [key, value] of Object.entries(environment)) {
    if (value === undefined) delete process.env[key];
    else process.env[key] = value;
  }
});

const ask = async ({ address: user }: Actor, more: object = {}): Promise<Json> =>
  (await past(world.client, { type: 'userFundings', user, ...more })).data;

test('R-funding: the hour strikes, the long pays, the short collects', async () => {
  ({ perp, alice, bob } = await newScene(world, operator));
  await bob.placed({ market: perp, side: 'sell', price: '100', size: '2' });
  await alice.placed({ market: perp, side: 'buy', price: '100', size: '2' });
  // An hour without a book has no sample.
  await bob.placed({ market: perp, side: 'buy', price: '99.9', size: '20' });
  await bob.placed({ market: perp, side: 'sell', price: '100.1', size: '20' });
  const paid = await eventually(async () => {
    await perp.push('100');
    const { data } = await ask(alice);
    expect(data).toHaveLength(1);
    return data[0];
  }, 60_000);
  expect(paid).toEqual({
    time: expect.any(Number),
    coin: perp.name,
    usdc: '-0.0025',
    szi: '2',
    fundingRate: '0.0000125',
    amount: '-0.0025',
  });
  expect(paid.time % HOUR_MS).toBeLessThan(5_000);
  expect(await ask(bob)).toMatchObject({ data: [{ szi: '-2', amount: '0.0025' }], hasMore: false });
  for (const more of [
    { coin: perp.coin },
    { coin: perp.name.toLowerCase() },
    { coin: perp.name.replace('-USDC', '') },
    { contract: 'active' },
    { fundingType: 'paid' },
    { startTimeMs: paid.time, endTimeMs: paid.time },
  ]) {
    expect(await ask(alice, more), JSON.stringify(more)).toMatchObject({ data: [paid] });
  }
  for (const more of [
    { coin: '1' },
    { direction: 'collected' },
    { startTime: paid.time + 1 },
    { offset: 1 },
    { accountType: 'outcome' },
  ]) {
    expect(await ask(alice, more), JSON.stringify(more)).toMatchObject({
      data: [],
      hasMore: false,
    });
  }
  const query = { type: 'userFundings', user: alice.address, limit: 1 };
  expect(await allPages(world.client, query, ({ data }) => data)).toEqual([paid]);
}, 90_000);
