import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SocketError } from '../errors.ts';
import { referencePrices, type ReferencePricesChannel } from '../streams/create-streams.ts';
import { FakePrices } from '@oddlot/testing/sdk/fake-prices';
import { PriceFeed } from './price-feed.ts';

const ORACLE = 'crypto_prices_oracle';
const SPOT = 'crypto_prices';

let server: FakePrices;
let feed: PriceFeed;
beforeEach(async () => {
  server = await FakePrices.start();
  const backoff = { baseMs: 1, maxMs: 1, random: () => 0 };
  feed = new PriceFeed({ url: server.url, backoff, pingMs: 20, lingerMs: 1 });
});
afterEach(async () => {
  feed.close();
  await server.stop();
});

/** Records a listener's events in short form; `*` marks a snapshot. */
function listen(channel: ReferencePricesChannel) {
  const events: string[] = [];
  const errors: SocketError[] = [];
  const subscription = referencePrices(
    { socket: feed },
    channel,
    (event) => {
      if (event.type === 'reset') events.push(event.reason);
      else {
        const { symbol, prices } = event.data;
        const shown = prices.map(({ value, exact }) => exact ?? `${value}*`);
        events.push(`${symbol} ${shown.join()}`);
      }
    },
    { onError: (error) => errors.push(error) },
  );
  return { events, errors, subscription };
}

const sent = () =>
  server.frames.map(({ action, subscriptions }) => {
    const wished = subscriptions.map(({ topic, filters }) => `${topic}${filters ?? ''}`);
    return `${action} ${wished.join(' ')}`;
  });

test('a subscription to one symbol starts with prices from the last minute; simultaneous subscriptions share a frame', async () => {
  const btc = listen({ topic: ORACLE, symbol: 'BTC/USD' });
  const all = listen({ topic: ORACLE });
  const spot = listen({ topic: SPOT, symbol: 'btcusdt' });
  await Promise.all([btc, all, spot].map(({ subscription }) => subscription.ready));
  expect(sent()).toEqual([
    `subscribe ${ORACLE}{"symbol":"btc/usd"} ${ORACLE} ${SPOT}{"symbol":"btcusdt"}`,
  ]);
  server.publish(ORACLE, 'btc/usd', 5);
  server.publish(ORACLE, 'eth/usd', 6);
  server.publish(SPOT, 'btcusdt', 7);
  await vi.waitFor(() => expect(spot.events).toEqual(['btcusdt 1*', 'btcusdt 7']), {
    timeout: 60_000,
  });
  expect(btc.events).toEqual(['btc/usd 1*', 'btc/usd 5']);
  expect(all.events).toEqual(['btc/usd 5', 'eth/usd 6']);
});

test('a later listener gets prices from the last minute, and earlier ones do not get them again', async () => {
  const early = listen({ topic: ORACLE, symbol: 'btc/usd' });
  await early.subscription.ready;
  const later = listen({ topic: ORACLE, symbol: 'btc/usd' });
  await later.subscription.ready;
  server.publish(ORACLE, 'btc/usd', 5);
  await vi.waitFor(() => expect(later.events).toEqual(['btc/usd 1*', 'btc/usd 5']), {
    timeout: 60_000,
  });
  expect(early.events).toEqual(['btc/usd 1*', 'btc/usd 5']);
});

test('a lost connection is reported, and missed prices of single symbols are restored', async () => {
  const btc = listen({ topic: ORACLE, symbol: 'btc/usd' });
  const all = listen({ topic: SPOT });
  await Promise.all([btc.subscription.ready, all.subscription.ready]);
  server.cut();
  await vi.waitFor(() => expect(btc.events).toEqual(['btc/usd 1*', 'reconnected', 'btc/usd 1*']), {
    timeout: 60_000,
  });
  expect(all.events).toEqual(['reconnected']);
  expect(server.connectionCount).toBe(2);
});

test('a removed listener is unsubscribed without affecting the others', async () => {
  const btc = listen({ topic: ORACLE, symbol: 'btc/usd' });
  const same = listen({ topic: ORACLE, symbol: 'btc/usd' });
  const all = listen({ topic: ORACLE });
  await Promise.all([btc, same, all].map(({ subscription }) => subscription.ready));
  server.frames.length = 0;
  same.subscription.close();
  all.subscription.close();
  await vi.waitFor(
    () =>
      expect(sent()).toEqual([`unsubscribe ${ORACLE}`, `subscribe ${ORACLE}{"symbol":"btc/usd"}`]),
    { timeout: 60_000 },
  );
  btc.subscription.close();
  await vi.waitFor(() => expect(sent()[2]).toBe(`unsubscribe ${ORACLE}{"symbol":"btc/usd"}`), {
    timeout: 60_000,
  });
  await vi.waitFor(() => expect(feed.status).toBe('idle'), { timeout: 60_000 });
  expect(btc.events).toEqual(['btc/usd 1*']);
});

test('the feed pings the venue and ignores its response', async () => {
  const btc = listen({ topic: ORACLE, symbol: 'btc/usd' });
  await vi.waitFor(() => expect(server.pings).toBeGreaterThan(1), { timeout: 60_000 });
  expect(btc.events).toEqual(['btc/usd 1*']);
});

test('a refusal ends the subscription unless it is due to the rate limit', async () => {
  server.refusal = { topic: ORACLE, payload: { message: 'Too many subscriptions: 50' } };
  const refused = listen({ topic: ORACLE, symbol: 'btc/usd' });
  await expect(refused.subscription.ready).rejects.toThrow('Too many subscriptions');
  expect(refused.errors).toHaveLength(1);
  server.refusal = { topic: '', payload: { message: 'slow', code: 'RISK_RATE_LIMITED' } };
  const hasty = listen({ topic: ORACLE, symbol: 'eth/usd' });
  await hasty.subscription.ready;
  expect(hasty.events).toEqual(['eth/usd 1*']);
});

test('an unknown topic is rejected before any frame is sent', () => {
  const topic = 'crypto_prices_tomorrow' as typeof ORACLE;
  expect(() => listen({ topic })).toThrow('Unknown topic');
});
