import { beforeAll, describe, expect, test } from 'vitest';
import { aVenue } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { Deployer, DEPLOYED } from '../support/deployer.ts';
import { integer, exactly, expectShape, number, record, text, time } from '../support/shape.ts';
import { refusedHandshake, type Socket } from '../support/socket.ts';

const world = aVenue(DEPLOYED);
let deployer: Deployer;
beforeAll(() => {
  deployer = new Deployer(world);
});

function subscribe(socket: Socket, topic: string, symbol?: string): void {
  const filters = symbol === undefined ? {} : { filters: JSON.stringify({ symbol }) };
  socket.send({ action: 'subscribe', subscriptions: [{ topic, type: 'update', ...filters }] });
}

const onTopic = (topic: string, type: string) => (frame: Json) =>
  frame.topic === topic && frame.type === type;

test('/ws-rtds answers a plain-text ping', async () => {
  const socket = await world.socket('/ws-rtds');
  for (const word of ['PING', 'ping']) {
    expect(await socket.ask(word, (frame) => frame === 'PONG')).toBe('PONG');
  }
});

test.each([
  ['crypto_prices', 'spot', 'aaausdt', 'AAA'],
  ['crypto_prices_oracle', 'oracle', 'bbb/usd', 'BBB'],
  ['crypto_prices_chainlink', 'oracle', 'ccc/usd', 'CCC'],
])('%s sends the last minute, then every new price', async (topic, source, shown, symbol) => {
  const now = Date.now();
  await deployer.push({ symbol, source, px: '97000.5', time: now - 2_000 });
  const socket = await world.socket('/ws-rtds');
  subscribe(socket, topic, shown);
  const dump = await socket.next(onTopic(topic, 'subscribe'));
  expect(dump.payload).toEqual({
    symbol: shown,
    data: [{ timestamp: now - 2_000, value: 97_000.5 }],
  });
  await deployer.push({ symbol, source, px: '97001.12345678', time: now - 1_000 });
  const update = await socket.next(onTopic(topic, 'update'));
  expectShape(
    update,
    record({
      topic: exactly(topic),
      timestamp: time,
      connection_id: text,
      payload: record({ symbol: text, timestamp: integer, value: number }),
    }),
  );
  expect(update.payload).toEqual({
    symbol: shown,
    timestamp: now - 1_000,
    value: 97_001.12345678,
    full_accuracy_value: '97001123456780000000000',
  });
  expect(update.connection_id).toBe(dump.connection_id);
});

test('R-series: averages cover the preceding whole seconds, each with its last price', async () => {
  const symbol = 'DDD';
  const second = Math.floor(Date.now() / 1000) * 1000;
  // There is one price per second: 100 for half a minute, then 103 up to now.
  const prices = Array.from({ length: 61 }, (_, index) => ({
    symbol,
    source: 'oracle',
    px: index < 31 ? '100' : '103',
    time: second - 60_000 + index * 1000,
  }));
  await deployer.push(...prices);
  for (const [topic, seconds] of [
    ['crypto_prices_twap_thirty', 30],
    ['crypto_prices_twap_sixty', 60],
  ] as const) {
    const socket = await world.socket('/ws-rtds');
    subscribe(socket, topic, 'ddd/usd');
    const { payload } = await socket.next(onTopic(topic, 'subscribe'));
    // The window ends one second before `second`, so 29 of its 60 samples are 103.
    const expected = seconds === 30 ? 102.9 : 101.45;
    const found = payload.data.find((each: Json) => each.timestamp === second);
    expect(found).toEqual({ timestamp: second, value: expected });
    const update = await socket.next(onTopic(topic, 'update'));
    expect(update.payload.timestamp % 1000).toBe(0);
    expect(update.payload.value).toBeGreaterThanOrEqual(expected);
  }
});

describe('/ws-rtds reports invalid frames', () => {
  test("an unknown topic is an error, but the frame's other topics are subscribed", async () => {
    const socket = await world.socket('/ws-rtds');
    const subscriptions = [
      { topic: 'comments', type: '*' },
      { topic: 'crypto_prices', type: '*', filters: '' },
    ];
    const answer = await socket.ask({ action: 'subscribe', subscriptions }, () => true);
    expect(answer).toMatchObject({
      topic: 'comments',
      type: 'error',
      payload: { message: 'topic not found' },
    });
    await deployer.push({ symbol: 'EEE', source: 'spot', px: '1', time: Date.now() });
    const isIt = (frame: Json) => frame.payload?.symbol === 'eeeusdt';
    expect(await socket.next(isIt)).toMatchObject({ topic: 'crypto_prices', type: 'update' });
  });

  test('a malformed frame is an error, but the connection stays open', async () => {
    const socket = await world.socket('/ws-rtds');
    for (const frame of ['hello', '{}', '{"action":"dance","subscriptions":[]}']) {
      expect(await socket.ask(frame, () => true)).toMatchObject({ type: 'error' });
    }
    expect(await socket.ask('PING', (frame) => frame === 'PONG')).toBe('PONG');
  });
});

describe('/ws-rtds limits connections and frames', () => {
  const limited = aVenue(DEPLOYED.filter((each) => each !== '--no-limits'));

  test('/ws-rtds allows ten connections per address and limits the frames', async () => {
    const sockets: Record<string, Socket> = {};
    for (const path of ['/api-ws', '/ws-rtds']) {
      for (let count = 0; count < 10; count++) sockets[path] = await limited.socket(path);
      const refusal = await refusedHandshake(limited.venue.streams.replace(/\/ws$/, path));
      expect(refusal).toMatchObject({ status: 429, contentType: 'text/plain' });
      expect(refusal.body).toMatch(/^too many websocket sessions from /);
    }
    const limit = { code: 'RISK_RATE_LIMITED', message: 'rate limit exceeded' };
    const isLimit = (frame: Json) => JSON.stringify(frame).includes(limit.code);
    for (let count = 0; count < 60; count++) {
      sockets['/api-ws']?.send('nonsense');
      sockets['/ws-rtds']?.send('nonsense');
    }
    expect(await sockets['/api-ws']?.next(isLimit)).toEqual({ channel: 'error', data: limit });
    expect(await sockets['/ws-rtds']?.next(isLimit)).toMatchObject({ payload: limit });
  });
});
