import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clockEnvironment, resetClock, setClock } from '../fixtures/venue-clock.ts';
import { aVenue, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { allPages, past } from '../support/history.ts';
import { temporaryData } from '../support/venue-process.ts';
import { newScene, Operator, OPERATED, type OwnPerp } from '../support/perps.ts';

/** userFundings over a full hour, which strikes when the test says so. */

const HOUR_MS = 3_600_000;
/** Time for whatever stands before it, on a machine of any speed. */
const BEFORE_MS = 20 * 60_000;
/** A price that two steps are older than is not stale yet. */
const STEP_MS = 5_000;
const LEFT_MS = 30_000;
const environment: Record<string, string | undefined> = {};
let clockFile = '';
let aheadMs = 0;

/** The clocks of the venue, and that of the test, are ahead by so much from now on. */
function passTime(ms: number): void {
  aheadMs += ms;
  writeFileSync(clockFile, String(aheadMs));
}

beforeAll(async () => {
  clockFile = join(await temporaryData(), 'ahead');
  const nowMs = Date.now();
  passTime(Math.ceil(nowMs / HOUR_MS) * HOUR_MS + HOUR_MS - BEFORE_MS - nowMs);
  for (const [key, value] of Object.entries(clockEnvironment(`ahead:${clockFile}`))) {
    environment[key] = process.env[key];
    process.env[key] = value;
  }
  setClock(`off:${clockFile}`);
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
  const query = { type: 'userFundings', user: alice.address };
  const push = () => eventually(() => perp.push('100'), HOUR_MS);
  let { asOf, data: told } = await past(world.client, query);
  // First near to the hour, and then so slowly over it that there is always a price.
  let stepMs = Math.max(0, BEFORE_MS - (asOf.time % BEFORE_MS) - LEFT_MS);
  for (let steps = 0; told.data.length === 0 && steps < 100; steps += 1) {
    const untilMs = asOf.time + stepMs;
    passTime(stepMs);
    // The clocks follow a moment later, each on its own.
    await eventually(async () => {
      await push();
      ({ asOf, data: told } = await past(world.client, query));
      expect(asOf.time).toBeGreaterThanOrEqual(untilMs);
    }, HOUR_MS);
    stepMs = STEP_MS;
  }
  const { data } = told;
  expect(data).toHaveLength(1);
  const [paid] = data;
  expect(paid).toEqual({
    time: expect.any(Number),
    coin: perp.name,
    usdc: '-0.0025',
    szi: '2',
    fundingRate: '0.0000125',
    amount: '-0.0025',
  });
  expect(paid.time % HOUR_MS).toBe(0);
  expect(await ask(bob)).toMatchObject({ data: [{ szi: '-2', amount: '0.0025' }], hasMore: false });
  // What the market came to, whoever held it.
  const hour = { coin: perp.name, fundingRate: '0.0000125', premium: '0', time: paid.time };
  const hours = (more: object) =>
    world.client.data({ type: 'fundingHistory', coin: perp.coin, startTime: 0, ...more });
  expect(await hours({})).toEqual([hour]);
  expect(await hours({ coin: perp.name, startTime: paid.time, endTime: paid.time })).toEqual([
    hour,
  ]);
  expect(await hours({ startTime: paid.time + 1 })).toEqual([]);
  expect(await hours({ endTime: paid.time - 1 })).toEqual([]);
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
  const pages = await allPages(world.client, { ...query, limit: 1 }, (page) => page.data);
  expect(pages).toEqual([paid]);
}, 180_000);
