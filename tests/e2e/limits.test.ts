import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Market } from '../support/market.ts';
import { Venue } from '../support/venue-process.ts';
import { aMarket, closeClients, limit, trader, type Person } from './test-accounts.ts';

/** Goal: a client that exceeds the venue's limits is slowed down and nothing more. */

let venue: Venue;
let alice: Person;
let market: Market;

beforeAll(async () => {
  venue = await Venue.start(['--oracle', 'still']);
  alice = await trader(venue, 'alice');
  market = await aMarket(venue, alice);
});

afterAll(async () => {
  closeClients();
  await venue?.remove();
});

test('orders beyond the limit wait, and each order is placed once', async () => {
  const { exchange, info } = alice.client;
  const startMs = performance.now();
  const prices = Array.from({ length: 25 }, (_, index) => market.ticks(market.at(-1000), index));
  const replies = await Promise.all(
    prices.map((price) => {
      const order = limit(market, { side: 'buy', price, size: market.worth(15) });
      return exchange.order({ orders: [order] }, { confirm: 'executed' });
    }),
  );
  // The limit is ten requests per second, and the first ten are sent without delay.
  expect(performance.now() - startMs).toBeGreaterThan(1000);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set(['executed']));
  const open = await info.frontendOpenOrders({ user: alice.address });
  expect(open.map(({ limitPx }) => limitPx).sort()).toEqual(prices.sort());
});

test('the answer to a second faucet request gives the time to retry', async () => {
  const refused = alice.client.faucet({ user: alice.address });
  await expect(refused).rejects.toMatchObject({
    message: 'Faucet limit reached',
    httpStatus: 429,
    retryAfterMs: expect.any(Number),
  });
});
