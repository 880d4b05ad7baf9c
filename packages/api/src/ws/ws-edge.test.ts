import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { TestEdge, VirtualTiming } from '@oddlot/testing/venue/ws/test-edge';
import { ALICE, BOB } from '@oddlot/testing/venue/ws/test-venue';
import { WS_LIMITS_OFF } from '../ws-limits.ts';

let edge: TestEdge;
afterEach(async () => await edge.stop());

/** Returns the response to a refused handshake. */
async function refusedHandshake(path: string): Promise<IncomingMessage & { body: string }> {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const request = get({ host: '127.0.0.1', port: edge.port, path, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = await response.toArray();
  return Object.assign(response, { body: Buffer.concat(chunks).toString() });
}

describe('checks of WebSocket handshakes', () => {
  test('beyond ten connections per address and endpoint, handshakes are refused', async () => {
    edge = await TestEdge.start();
    const clients = [];
    for (let index = 0; index < 10; index++) clients.push(await edge.connect('/ws'));
    const refused = await refusedHandshake('/ws');
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['content-type']).toBe('text/plain');
    expect(refused.body).toBe('too many websocket sessions from 198.51.100.7');
    expect(edge.edge.connections('ws', '198.51.100.7')).toEqual({ limit: 10, open: 10 });
    // Each endpoint has its own limit, and closing a connection frees its slot.
    await edge.connect('/api-ws');
    await edge.connect('/ws-rtds');
    clients[0]?.socket.close();
    await clients[0]?.closed();
    await expect.poll(() => edge.edge.connections('ws', '198.51.100.7').open).toBe(9);
    await edge.connect('/ws');
  });

  test('handshakes are not limited if limits are disabled', async () => {
    edge = await TestEdge.start(WS_LIMITS_OFF);
    for (let index = 0; index < 12; index++) await edge.connect('/ws');
    expect(edge.edge.stats.connections.ws).toBe(12);
  });

  test('a handshake on an unknown path is refused', async () => {
    edge = await TestEdge.start();
    const refused = await refusedHandshake('/info');
    expect(refused.statusCode).toBe(404);
    expect(JSON.parse(refused.body)).toEqual({ message: 'Not found' });
  });

  test('a handshake with a query string is accepted', async () => {
    edge = await TestEdge.start();
    await edge.connect('/ws?from=page');
  });

  test('a handshake without the required headers is refused', async () => {
    edge = await TestEdge.start();
    const request = get({
      host: '127.0.0.1',
      port: edge.port,
      path: '/ws',
      headers: { Connection: 'Upgrade', Upgrade: 'websocket' },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(400);
    expect(edge.edge.stats.connections.ws).toBe(0);
  });
});

describe('clients can send pings', () => {
  test('JSON pings are answered on /ws and /api-ws', async () => {
    edge = await TestEdge.start();
    for (const path of ['/ws', '/api-ws']) {
      const client = await edge.connect(path);
      client.send({ method: 'ping' });
      expect(await client.text()).toBe('{"method":"PONG"}');
    }
  });

  test('pings on /ws-rtds are plain text', async () => {
    edge = await TestEdge.start();
    const client = await edge.connect('/ws-rtds');
    for (const word of ['PING', 'ping']) {
      client.send(word);
      expect(await client.text()).toBe('PONG');
    }
  });

  test('WebSocket protocol pings are answered with their payload', async () => {
    edge = await TestEdge.start();
    const client = await edge.connect();
    client.socket.ping('here?');
    const [data] = (await once(client.socket, 'pong')) as [Buffer];
    expect(data.toString()).toBe('here?');
  });

  test('pings do not count towards the frame limit', async () => {
    edge = await TestEdge.start({}, new VirtualTiming());
    const client = await edge.connect();
    for (let index = 0; index < 200; index++) client.send({ method: 'ping' });
    for (let index = 0; index < 200; index++)
      expect(await client.next()).toEqual({ method: 'PONG' });
  });
});

describe('the number of frames per client is limited', () => {
  test('frames beyond the limit are dropped with an error in the format of the endpoint', async () => {
    const timing = new VirtualTiming();
    edge = await TestEdge.start({ framesBurst: 2 }, timing);
    const ws = await edge.connect('/ws');
    for (let index = 0; index < 3; index++) ws.subscribe({ type: 'trades', coin: '1' });
    const frames = await ws.settle();
    expect(frames[0].channel).toBe('subscriptionResponse');
    expect(frames[1].code).toBe('ALREADY_SUBSCRIBED');
    expect(frames[2]).toEqual({
      type: 'error',
      code: 'RISK_RATE_LIMITED',
      message: 'rate limit exceeded',
      subscription: { type: 'trades', coin: '1' },
    });
    timing.advance(50);
    ws.send({ method: 'unsubscribe', subscription: { type: 'trades', coin: '1' } });
    expect((await ws.next()).data.method).toBe('unsubscribe');

    const api = await edge.connect('/api-ws');
    for (let index = 0; index < 3; index++) api.send('nonsense');
    expect((await api.settle())[2]).toEqual({
      channel: 'error',
      data: { code: 'RISK_RATE_LIMITED', message: 'rate limit exceeded' },
    });

    const rtds = await edge.connect('/ws-rtds');
    for (let index = 0; index < 3; index++) rtds.send('nonsense');
    await rtds.next();
    await rtds.next();
    expect(await rtds.next()).toEqual({
      topic: '',
      type: 'error',
      payload: { code: 'RISK_RATE_LIMITED', message: 'rate limit exceeded' },
    });
  });
});

describe('invalid frames are rejected', () => {
  test('an invalid frame is answered with an error and changes nothing', async () => {
    edge = await TestEdge.start();
    const client = await edge.connect();
    const codes: string[] = [];
    const bad = [
      'nonsense',
      '[]',
      'null',
      '{}',
      '{"method":1}',
      '{"method":"dance"}',
      '{"method":"ping","method":"ping"}',
      `{"method":"subscribe","subscription":${'['.repeat(200)}${']'.repeat(200)}}`,
    ];
    for (const frame of bad) {
      client.send(frame);
      const error = await client.next();
      expect(error).toMatchObject({ type: 'error', message: expect.any(String) });
      codes.push(error.code);
    }
    expect(new Set(codes)).toEqual(new Set(['INVALID_FRAME']));
    client.socket.send(Buffer.from('{"method":"ping"}'), { binary: true });
    expect((await client.next()).code).toBe('INVALID_FRAME');
    expect(await client.settle()).toEqual([]);
  });

  test('a frame that is too large closes the connection', async () => {
    edge = await TestEdge.start({ frameBytesMax: 1000 });
    const client = await edge.connect();
    client.send('x'.repeat(1001));
    expect((await client.closed()).code).toBe(1009);
  });

  test('an error includes the refused subscription, if the frame has one', async () => {
    edge = await TestEdge.start();
    const ws = await edge.connect('/ws');
    for (const type of ['nothing', 'candle', 'userFills']) {
      const subscription = { type, coin: '1', extra: [1] };
      ws.subscribe(subscription);
      const error = { type: 'error', code: 'UNKNOWN_CHANNEL', subscription };
      expect(await ws.next()).toMatchObject(error);
      ws.send({ method: 'unsubscribe', subscription });
      expect(await ws.next()).toMatchObject(error);
    }
    ws.send({ method: 'subscribe' });
    expect(await ws.next()).not.toHaveProperty('subscription');
    ws.send({ method: 'moon', subscription: { type: 'trades' } });
    expect(await ws.next()).not.toHaveProperty('subscription');
    const api = await edge.connect('/api-ws');
    api.subscribe({ type: 'orderUpdates', user: ALICE });
    expect(await api.next()).toMatchObject({ channel: 'error', data: { code: 'UNKNOWN_CHANNEL' } });
    const subscription = { type: 'candle', coin: 'BTC', interval: '1m' };
    api.subscribe(subscription);
    expect(await api.next()).toMatchObject({
      channel: 'error',
      data: { code: 'INVALID_PARAMS', subscription },
    });
    const rtds = await edge.connect('/ws-rtds');
    const subscriptions = [{ topic: 'comments', type: 'update' }];
    rtds.send({ action: 'subscribe', subscriptions });
    expect(await rtds.next()).toMatchObject({
      topic: 'comments',
      type: 'error',
      payload: { message: 'topic not found' },
    });
  });
});

describe('connections are closed in an orderly way', () => {
  test('a connection is closed after a minute without any frames', async () => {
    const timing = new VirtualTiming();
    edge = await TestEdge.start({}, timing);
    const silent = await edge.connect('/ws', { autoPong: false });
    const alive = await edge.connect('/api-ws');
    const pinging = await edge.connect('/ws-rtds');
    timing.advance(45_000);
    await alive.settle();
    pinging.socket.ping();
    await once(pinging.socket, 'pong');
    const closed = silent.closed();
    timing.advance(16_000);
    expect((await closed).code).toBe(1000);
    expect(await alive.settle()).toEqual([]);
    expect(pinging.socket.readyState).toBe(WebSocket.OPEN);
  });

  test.each(['/ws', '/api-ws', '/ws-rtds'])(
    'a client of %s that only answers pings stays connected',
    async (path) => {
      const timing = new VirtualTiming();
      edge = await TestEdge.start({}, timing);
      const client = await edge.connect(path);
      let pings = 0;
      client.socket.on('ping', () => (pings += 1));
      for (let round = 1; round <= 9; round++) {
        const pinged = once(client.socket, 'ping');
        timing.advance(21_000);
        await pinged;
        // Waits until the server has read the pong, before the next timer runs.
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(pings).toBe(round);
      }
      expect(client.socket.readyState).toBe(WebSocket.OPEN);
    },
  );

  test('on shutdown, connections are closed and further handshakes are refused', async () => {
    edge = await TestEdge.start();
    const client = await edge.connect();
    const closed = client.closed();
    const drained = edge.edge.drain();
    expect(await closed).toEqual({ code: 1001, reason: 'server shutting down' });
    await drained;
    expect(edge.edge.stats.connections.ws).toBe(0);
    expect((await refusedHandshake('/ws')).statusCode).toBe(503);
  });

  test('when a replica shuts down, the close code directs its clients to another replica', async () => {
    edge = await TestEdge.start();
    const paths = ['/ws', '/api-ws', '/ws-rtds'];
    const clients = await Promise.all(paths.map((path) => edge.connect(path)));
    const closed = Promise.all(clients.map((client) => client.closed()));
    await edge.edge.drain('elsewhere');
    for (const each of await closed)
      expect(each).toEqual({ code: 1012, reason: 'reconnect to another replica' });
  });

  test('a connection is closed if its client does not read', async () => {
    edge = await TestEdge.start({ bufferedBytesMax: 100_000, bookIntervalMs: 0 });
    const slow = await edge.connect();
    await slow.follow({ type: 'l2Book', coin: '1' });
    slow.socket.pause();
    for (let level = 0; level < 20; level++) {
      edge.venue.order(ALICE, { buy: true, price: 80 + level / 2, size: 0.2 });
      edge.venue.order(BOB, { sell: true, price: 101 + level / 2, size: 0.2 });
    }
    // The frames must exceed the kernel buffers on both sides.
    for (let round = 0; round < 10_000 && edge.edge.stats.slowClosed === 0; round++) {
      const { outcomes } = edge.venue.order(ALICE, { buy: true, price: 95, size: 0.2 }, 1);
      edge.venue.cancel(ALICE, outcomes[0]?.entries?.[0]?.orderId ?? 0);
      if (round % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(edge.edge.stats.slowClosed).toBe(1);
    slow.socket.resume();
    const { code, reason } = await slow.closed();
    expect(code).toBe(1013);
    expect(reason).toMatch(/slowly/);
  });
});
