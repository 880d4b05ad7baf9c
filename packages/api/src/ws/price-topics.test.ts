import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  TestEdge,
  VirtualTiming,
  type AnyFrame,
  type TestClient,
} from '@oddlot/testing/venue/ws/test-edge';
import { pushPrice } from '@oddlot/testing/venue/ws/test-markets';
import { START_MS } from '@oddlot/testing/venue/ws/test-venue';

let edge: TestEdge;
let client: TestClient;
let timing: VirtualTiming;

beforeEach(async () => {
  timing = new VirtualTiming();
  edge = await TestEdge.start({}, timing);
  client = await edge.connect('/ws-rtds');
});
afterEach(async () => await edge.stop());

function ask(action: string, topic: string, filters?: string, type = 'update'): void {
  client.send({ action, subscriptions: [{ topic, type, filters }] });
}

/** Returns all frames the server has sent so far. */
async function settle(): Promise<AnyFrame[]> {
  client.send('PING');
  const frames: AnyFrame[] = [];
  for (;;) {
    const text = await client.text();
    if (text === 'PONG') return frames;
    frames.push(JSON.parse(text));
  }
}

const BTC = '{"symbol":"btc/usd"}';

describe('reference prices are published on /ws-rtds', () => {
  test("prices are sent to the subscribers of a topic, with the symbol in that topic's spelling", async () => {
    ask('subscribe', 'crypto_prices');
    ask('subscribe', 'crypto_prices_chainlink', '', '*');
    expect(await settle()).toEqual([]);
    pushPrice(edge.venue, 'spot', 97_000.5);
    pushPrice(edge.venue, 'oracle', 97_001.12345678);
    const [spot, oracle, ...rest] = await settle();
    expect(rest).toEqual([]);
    const observed = edge.venue.state.timeMs - 1000;
    expect(spot).toEqual({
      topic: 'crypto_prices',
      type: 'update',
      timestamp: observed,
      payload: {
        symbol: 'btcusdt',
        timestamp: observed,
        value: 97_000.5,
        full_accuracy_value: '97000500000000000000000',
      },
      connection_id: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    expect(oracle).toMatchObject({
      topic: 'crypto_prices_chainlink',
      payload: {
        symbol: 'btc/usd',
        value: 97_001.12345678,
        full_accuracy_value: '97001123456780000000000',
      },
      connection_id: spot.connection_id,
    });
  });

  test('prices are sent at most once per second and symbol, and the last one is always sent', async () => {
    ask('subscribe', 'crypto_prices_oracle');
    await settle();
    for (const price of [1, 2, 3, 4]) {
      pushPrice(edge.venue, 'oracle', price, 100);
      timing.advance(100);
    }
    timing.advance(600);
    const frames = await settle();
    expect(frames.map(({ payload }) => payload.value)).toEqual([1, 4]);
    timing.advance(5_000);
    expect(await settle()).toEqual([]);
  });

  test('a subscription to a symbol starts with its last minute of prices and ends when the client unsubscribes', async () => {
    for (let second = 0; second < 70; second++) pushPrice(edge.venue, 'oracle', 100 + second);
    ask('subscribe', 'crypto_prices_oracle', '{"symbol":"BTC/USD"}');
    const [dump, ...rest] = await settle();
    expect(rest).toEqual([]);
    const now = edge.venue.state.timeMs;
    expect(dump).toMatchObject({
      topic: 'crypto_prices_oracle',
      type: 'subscribe',
      timestamp: now,
      payload: { symbol: 'btc/usd' },
    });
    const { data } = dump.payload;
    expect(data[0]).toEqual({ timestamp: now - 60_000, value: 109 });
    expect(data.at(-1)).toEqual({ timestamp: now, value: 169 });
    expect(data).toHaveLength(61);
    pushPrice(edge.venue, 'oracle', 50);
    expect((await settle()).map(({ type }) => type)).toEqual(['update']);
    ask('unsubscribe', 'crypto_prices_oracle', BTC);
    expect(await settle()).toEqual([]);
    timing.advance(1_000);
    pushPrice(edge.venue, 'oracle', 51);
    expect(await settle()).toEqual([]);
  });

  test('a filter by symbol excludes prices of other symbols', async () => {
    ask('subscribe', 'crypto_prices_oracle', '{"symbol":"eth/usd"}');
    const [dump] = await settle();
    expect(dump.payload).toEqual({ symbol: 'eth/usd', data: [] });
    pushPrice(edge.venue, 'oracle', 50);
    expect(await settle()).toEqual([]);
  });
});

describe('average prices are published on /ws-rtds', () => {
  test('averages use one sample per full second before the current one (R-series)', async () => {
    ask('subscribe', 'crypto_prices_twap_thirty');
    ask('subscribe', 'crypto_prices_twap_sixty');
    await settle();
    for (let second = 0; second < 60; second++) {
      pushPrice(edge.venue, 'oracle', second < 30 ? 100 : 103);
    }
    const frames = await settle();
    const of = (topic: string) => frames.filter((frame) => frame.topic === topic);
    const thirty = of('crypto_prices_twap_thirty');
    // An average needs samples for 90% of its seconds, and the current second does not count.
    expect(thirty).toHaveLength(60 - 27);
    expect(of('crypto_prices_twap_sixty')).toHaveLength(60 - 54);
    const last = thirty.at(-1).payload;
    // 29 of the 30 seconds before the current one had a price of 103.
    expect(last).toEqual({
      symbol: 'btc/usd',
      timestamp: edge.venue.state.timeMs,
      value: 102.9,
      full_accuracy_value: '102900000000000000000',
    });
    edge.venue.apply([], 100);
    expect(await settle()).toEqual([]);
  });

  test('averages are rounded half up, to 8 decimals in value and 18 in full_accuracy_value', async () => {
    for (let second = 0; second < 57; second++) {
      pushPrice(edge.venue, 'oracle', second < 55 ? 100 : 101);
    }
    ask('subscribe', 'crypto_prices_twap_sixty', BTC);
    const [{ payload }] = await settle();
    // One of 56 samples is 101: 100 + 1 / 56.
    expect(payload.data.at(-1).value).toBe(100.01785714);
    pushPrice(edge.venue, 'oracle', 100);
    const [update] = await settle();
    // Two of 57 samples are 101: 100 + 2 / 57.
    expect(update.payload.full_accuracy_value).toBe('100035087719298245614');
  });

  test('averages end when the price feed stops', async () => {
    for (let second = 0; second < 61; second++) pushPrice(edge.venue, 'oracle', 100);
    ask('subscribe', 'crypto_prices_twap_thirty', BTC);
    const [{ payload }] = await settle();
    expect(payload.data).toHaveLength(61 - 27);
    expect(START_MS).toBeLessThan(payload.data[0].timestamp);
    edge.venue.apply([], 60_000);
    expect(await settle()).toEqual([]);
  });
});

describe('validation of subscription frames on /ws-rtds', () => {
  test.each([
    ['no topic', { type: 'update' }, '', 'topic not found'],
    ['an unknown topic', { topic: 'comments', type: '*' }, 'comments', 'topic not found'],
    ['a name of every object', { topic: 'toString', type: '*' }, 'toString', 'topic not found'],
    ['no type', { topic: 'crypto_prices' }, 'crypto_prices', 'type not found'],
    [
      'filters that are not JSON',
      { topic: 'crypto_prices', type: '*', filters: 'btcusdt' },
      'crypto_prices',
      'invalid filters',
    ],
    [
      'a symbol that is not a string',
      { topic: 'crypto_prices', type: '*', filters: '{"symbol":1}' },
      'crypto_prices',
      'invalid filters',
    ],
  ])(
    'a subscription with %s is answered with an error',
    async (_, subscription, topic, message) => {
      client.send({ action: 'subscribe', subscriptions: [subscription] });
      const [error, ...rest] = await settle();
      expect(rest).toEqual([]);
      expect(error).toMatchObject({ topic, type: 'error', payload: { message, subscription } });
    },
  );

  test('if a frame has an invalid entry, its valid entries still apply', async () => {
    const subscriptions = [
      { topic: 'nothing', type: 'update' },
      { topic: 'crypto_prices', type: 'update' },
      { topic: 'crypto_prices_oracle', type: 'update' },
    ];
    client.send({ action: 'subscribe', subscriptions });
    expect(await settle()).toHaveLength(1);
    client.send({ action: 'unsubscribe', subscriptions: subscriptions.slice(2) });
    expect(await settle()).toEqual([]);
    pushPrice(edge.venue, 'spot', 1);
    pushPrice(edge.venue, 'oracle', 1);
    expect((await settle()).map(({ topic }) => topic)).toEqual(['crypto_prices']);
  });
});
