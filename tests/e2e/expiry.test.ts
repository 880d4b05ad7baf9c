import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createClient, ExpiredError, privateKeyWallet, type ClientOptions } from '@oddlot/sdk';
import type { Market } from '../support/market.ts';
import { Venue } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';
import { aMarket, closeClients, limit, trader, type Person } from './test-accounts.ts';

/**
 * Goal: a delayed order is not placed long after it was sent, when the market price has changed.
 */

let venue: Venue;
let alice: Person;
let market: Market;

beforeAll(async () => {
  venue = await Venue.start();
  alice = await trader(venue, 'expiry');
  market = await aMarket(venue, alice);
});

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(async () => {
  closeClients();
  await venue?.remove();
});

function clientWith(options: Partial<ClientOptions> = {}) {
  return createClient({
    url: venue.url,
    wallet: privateKeyWallet(keyOf('e2e expiry')),
    ...options,
  });
}

/** Matches the queries that the client sends before its first signature. */
const isQuestion = (url: string): boolean => new URL(url).pathname === '/info';

const anOrder = (basisPoints: number) => ({
  orders: [limit(market, { side: 'buy', price: market.at(basisPoints), size: market.worth(20) })],
});

const openPrices = async (): Promise<string[]> => {
  const open = await alice.client.info.frontendOpenOrders({ user: alice.address });
  return open.map(({ limitPx }) => limitPx);
};

test('R-tx: an order that the network delays too long is rejected rather than placed late', async () => {
  const attempts: string[] = [];
  const startMs = performance.now();
  // The network drops all requests in the first five and a half seconds.
  const fetchAfterOutage = async (url: string, init: RequestInit): Promise<Response> => {
    if (isQuestion(url)) return fetch(url, init);
    attempts.push(String(init.body));
    if (performance.now() - startMs < 5500) throw new TypeError('fetch failed');
    return fetch(url, init);
  };
  const client = clientWith({ fetch: fetchAfterOutage, retriesMax: 10 });
  const failure = await client.exchange.order(anOrder(-500)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ExpiredError);
  expect(failure).toMatchObject({ name: 'EXPIRED', code: 10016 });
  expect(new Set(attempts).size).toBe(1);
  expect(attempts.length).toBeGreaterThan(2);
  const { txHash } = failure as ExpiredError;
  expect(await client.info.actionStatus({ txHash })).toMatchObject({ status: 'unknown' });
  expect(await openPrices()).not.toContain(market.at(-500));
});

test('R-tx: a late attempt returns the order that executed before its expiry', async () => {
  let sent = 0;
  const loseFirstAnswer = async (url: string, init: RequestInit): Promise<Response> => {
    if (isQuestion(url)) return fetch(url, init);
    sent += 1;
    const response = await fetch(url, init);
    if (sent > 1) return response;
    throw new TypeError('fetch failed');
  };
  const client = clientWith({
    fetch: loseFirstAnswer,
    orderLifeMs: 300,
    backoff: { baseMs: 800, maxMs: 800, random: () => 1 },
  });
  const reply = await client.exchange.order(anOrder(-600), { confirm: 'executed' });
  expect(reply).toMatchObject({ status: 'executed', orders: [{ state: 'open' }] });
  expect(sent).toBe(2);
  expect((await openPrices()).filter((price) => price === market.at(-600)).length).toBe(1);
});

test.each([
  ['behind', -3_600_000, -700],
  ['ahead', 3_600_000, -800],
])('a client whose clock is an hour %s can trade', async (_, offMs, basisPoints) => {
  const rightNow = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => rightNow() + offMs);
  const expiries: number[] = [];
  const watch = async (url: string, init: RequestInit): Promise<Response> => {
    expiries.push(JSON.parse(String(init.body)).expiresAfter as number);
    return fetch(url, init);
  };
  const client = clientWith({ fetch: watch });
  const place = (): ReturnType<typeof client.exchange.order<'executed'>> =>
    client.exchange.order(anOrder(basisPoints), { confirm: 'executed' });
  expect(await place()).toMatchObject({ status: 'executed', orders: [{ state: 'open' }] });
  // From the first response on, the client uses the venue's clock.
  const sent = expiries.length;
  expect(await place()).toMatchObject({ status: 'executed', orders: [{ state: 'open' }] });
  expect(expiries.length).toBe(sent + 1);
  expect(Math.abs(expiries.at(-1)! - rightNow() - 5000)).toBeLessThan(3000);
});
