import { startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Actor } from '../support/actors.ts';
import { Client, type Json } from '../support/client.ts';
import { allPages, queryHistory } from '../support/history.ts';
import { type Market, readMarket } from '../support/market.ts';

/** The test advances the venue's time through one full funding hour. */

const HOUR_MS = 3_600_000;

let venue: TestVenue;
let client: Client;
let perp: Market;
let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  // The test starts half an hour before the most recent full hour. Nonces come from the machine's
  // clock, which may be ahead of the venue's clock but not behind it.
  const time = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS / 2;
  venue = await startVenue({ ports: true, time });
  await venue.setPrice('SOL', '100');
  client = new Client(venue.url);
  const [first, second] = venue.accounts;
  alice = new Actor('alice', first!.privateKey, () => client);
  bob = new Actor('bob', second!.privateKey, () => client);
  perp = await readMarket(client, 'SOL-USDC', alice.address);
});

afterAll(() => venue.stop());

const ask = async ({ address: user }: Actor, more: object = {}): Promise<Json> =>
  (await queryHistory(client, { type: 'userFundings', user, ...more })).data;

test('R-funding: at the end of the hour, the long pays the short', async () => {
  await bob.placed({ market: perp, side: 'sell', price: '100', size: '2' });
  await alice.placed({ market: perp, side: 'buy', price: '100', size: '2' });
  // Funding requires a premium sample, and an empty book provides none.
  await bob.placed({ market: perp, side: 'buy', price: '99.9', size: '20' });
  await bob.placed({ market: perp, side: 'sell', price: '100.1', size: '20' });
  const query = { type: 'userFundings', user: alice.address };
  await venue.advance(HOUR_MS / 2);
  await venue.settled();
  const { data } = (await queryHistory(client, query)).data;
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
  // The market's rate does not depend on positions.
  const hour = { coin: perp.name, fundingRate: '0.0000125', premium: '0', time: paid.time };
  const hours = (more: object) =>
    client.data({ type: 'fundingHistory', coin: perp.coin, startTime: 0, ...more });
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
  const pages = await allPages(client, { ...query, limit: 1 }, (page) => page.data);
  expect(pages).toEqual([paid]);
});
