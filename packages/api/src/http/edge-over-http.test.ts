import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import {
  startEdge,
  type TestEdge,
  type TestEdgeOptions,
} from '@oddlot/testing/venue/http/test-edge';

const edges: TestEdge[] = [];
afterEach(() => Promise.all(edges.splice(0).map((edge) => edge.close())));

async function start(options?: TestEdgeOptions): Promise<TestEdge> {
  const edge = await startEdge(options);
  edges.push(edge);
  return edge;
}

const RATE_LIMIT = { type: 'rateLimit' };

describe('requests are routed by path and method', () => {
  test('an unknown path gets a 404', async () => {
    const { send } = await start();
    expect(await send('/nothing', {})).toMatchObject({
      status: 404,
      json: { message: 'Not found' },
    });
    expect(await send('/', undefined, { method: 'GET' })).toMatchObject({ status: 404 });
    expect(await send('/info/', RATE_LIMIT)).toMatchObject({ status: 404 });
  });

  test('a 404 for a GET is not cached, because the page may be served there later', async () => {
    const { send } = await start();
    for (const [path, status] of [
      ['/trade', 404],
      ['/account', 405],
      ['/ws', 426],
    ] as const) {
      const reply = await send(path, undefined, {
        method: 'GET',
        headers: { accept: 'application/json' },
      });
      expect(reply).toMatchObject({
        status,
        headers: { vary: 'accept', 'cache-control': 'no-store' },
      });
    }
  });

  test('R-requests: pipelined requests are processed one by one', async () => {
    const { edge, port } = await start();
    const body = '{"type":"perpMeta"}';
    const requests = [
      'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n',
      'PUT /info HTTP/1.1\r\nHost: x\r\n\r\n',
      `POST /info HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      'POST /exchange HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
    ];
    const socket = connect(port, '127.0.0.1');
    let [answers, most, isOver] = [0, 0, false];
    const look = (): void => {
      most = Math.max(most, edge.inFlight);
      if (!isOver) setImmediate(look);
    };
    look();
    socket.on('data', (part: Buffer) => {
      answers += part.toString('latin1').split('HTTP/1.1 ').length - 1;
    });
    socket.write(requests.join('').repeat(100));
    await expect.poll(() => answers, { timeout: 60_000 }).toBe(400);
    isOver = true;
    socket.destroy();
    expect(most).toBe(1);
  });

  test('a query string does not change the path', async () => {
    const { send } = await start();
    expect(await send('/info?x=1', RATE_LIMIT)).toMatchObject({ status: 200 });
  });

  test.each(['GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])(
    'the method %s on a POST path gets a 405',
    async (method) => {
      const { send } = await start();
      for (const path of ['/exchange', '/info', '/account-status', '/account', '/request-fund']) {
        const reply = await send(path, undefined, { method });
        expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST' } });
      }
    },
  );

  test.each(['/ws', '/api-ws', '/ws-rtds'])(
    'a plain GET on %s gets a 426, because the path requires an upgrade',
    async (path) => {
      const { send } = await start();
      const reply = await send(path, undefined, { method: 'GET' });
      expect(reply).toMatchObject({ status: 426, headers: { upgrade: 'websocket' } });
      expect(await send(path, {})).toMatchObject({ status: 405 });
    },
  );

  test('web pages of other origins may send POST requests', async () => {
    const { send } = await start();
    const headers = { origin: 'https://x.test', 'access-control-request-method': 'POST' };
    const preflight = await send('/exchange', undefined, { method: 'OPTIONS', headers });
    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type, x-api-version',
      },
    });
    const reply = await send('/info', RATE_LIMIT);
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    expect(reply.headers['access-control-expose-headers']).toContain('x-ratelimit-remaining');
    expect(reply.headers['access-control-expose-headers']).toContain('date');
    expect(reply.headers['access-control-expose-headers']).toContain('x-block-age-ms');
    expect(reply.headers['date']).toBeDefined();
  });

  test('WebSocket handshakes are passed on, and other upgrade requests are treated as plain requests', async () => {
    const paths: string[] = [];
    const { send, port } = await start({
      edge: {
        upgrade: (request, socket) => {
          paths.push(request.url ?? '');
          socket.end('HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\n\r\n');
        },
      },
    });
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'GET /ws?x=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toContain('429');
    expect(paths).toEqual(['/ws?x=1']);
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' };
    expect(await send('/info', RATE_LIMIT, { headers })).toMatchObject({ status: 200 });
  });
});

describe('request bodies are validated before they are parsed', () => {
  test('a content type other than JSON is rejected', async () => {
    const { send } = await start();
    const text = { headers: { 'content-type': 'text/plain' } };
    const got = await send('/exchange', '{}', text);
    expect(got).toMatchObject({ status: 415, json: { status: 'err', code: 10002 } });
    expect(got.json.response).toEqual(expect.any(String));
    expect(got.json).not.toHaveProperty('message');
    expect(await send('/info', '{}', text)).toMatchObject({
      status: 415,
      json: { success: false, code: 10002, name: 'BAD_REQUEST', message: expect.any(String) },
    });
    const json = { headers: { 'content-type': 'Application/JSON; charset=utf-8' } };
    expect((await send('/info', RATE_LIMIT, json)).status).toBe(200);
  });

  test('a missing content type is accepted', async () => {
    const { port } = await start();
    const body = JSON.stringify(RATE_LIMIT);
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST /info HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toContain('200 OK');
    socket.destroy();
  });

  test.each([
    ['', 400],
    ['{', 400],
    ['[]', 400],
    ['null', 400],
    ['"text"', 400],
    ['{"type":"rateLimit","type":"rateLimit"}', 400],
    ['{"type":"rateLimit","x":1.5}', 400],
  ])('the body %j is rejected as an invalid request', async (body, status) => {
    const { send } = await start();
    const info = await send('/info', body, { headers: { 'content-length': String(body.length) } });
    expect(info).toMatchObject({
      status,
      json: { success: false, code: 10002, name: 'BAD_REQUEST' },
    });
    expect(info.json).not.toHaveProperty('data');
  });

  test('/exchange reports an unreadable body in `response` and a missing field in `message`', async () => {
    const { send } = await start();
    const unreadable = await send('/exchange', '{"a":');
    expect(unreadable).toMatchObject({ status: 400, json: { status: 'err', code: 10002 } });
    expect(unreadable.json.response).toMatch(/^Malformed JSON: .* at \d+$/);
    expect(unreadable.json).not.toHaveProperty('message');
    const missing = await send('/exchange', {});
    expect(missing).toMatchObject({ status: 400, json: { message: 'Missing field: action' } });
    expect(missing.json).not.toHaveProperty('response');
  });

  test('a body with invalid UTF-8 is rejected', async () => {
    const { send } = await start();
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
    expect(await send('/info', bytes)).toMatchObject({ status: 400, json: { code: 10002 } });
  });

  test('R-requests: a body that is too large is rejected and the connection stays open', async () => {
    const { send } = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const large = `{"type":"rateLimit","x":"${'x'.repeat(1024 * 1024)}"}`;
    const refused = await send('/exchange', large, { agent });
    expect(refused).toMatchObject({
      status: 413,
      json: { code: 10002, response: expect.any(String) },
    });
    expect(refused.headers.connection).toBe('keep-alive');
    expect((await send('/info', RATE_LIMIT, { agent })).status).toBe(200);
    const exact = `{"type":"rateLimit"}${' '.repeat(64 * 1024 - 20)}`;
    expect((await send('/info', exact, { agent })).status).toBe(200);
    expect((await send('/info', `${exact} `, { agent })).status).toBe(413);
    agent.destroy();
  });

  test('an endless body gets a response while it is still being sent, and the connection is then closed', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /info HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const pump = setInterval(() => socket.write(chunk), 1);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toContain('413');
    expect(first.toString().toLowerCase()).toContain('connection: close');
    await once(socket, 'close');
    clearInterval(pump);
  });

  test('a client that sends Expect gets a response before it sends its body', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    const head = 'POST /info HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n';
    socket.write(`${head}Content-Length: 99999999\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toContain('HTTP/1.1 413');
    socket.destroy();
    const other = connect(port, '127.0.0.1');
    other.write(`${head}Content-Length: 20\r\n\r\n`);
    const [go] = (await once(other, 'data')) as [Buffer];
    expect(go.toString()).toContain('100 Continue');
    other.write(JSON.stringify(RATE_LIMIT));
    const [second] = (await once(other, 'data')) as [Buffer];
    expect(second.toString()).toContain('200 OK');
    other.destroy();
  });

  test('a client that sends its headers too slowly is disconnected', async () => {
    const { port } = await start({ edge: { headersTimeoutMs: 200, requestTimeoutMs: 400 } });
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /info HTTP/1.1\r\nHost: x\r\n');
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toContain('408');
  });

  test('a request with two Host headers is rejected', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /info HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString().split('\r\n', 1)).toEqual(['HTTP/1.1 400 Bad Request']);
    socket.destroy();
  });

  test('requests from other sites can be rejected', async () => {
    const pages = { ports: new Set([8690]), origins: new Set<string>() };
    const { send } = await start({ edge: { visitors: { pages, names: 'any' } } });
    const asked = (origin: string) => send('/info', RATE_LIMIT, { headers: { origin } });
    const own = 'http://localhost:8690';
    expect(await asked(own)).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': own },
    });
    const refused = await asked('https://evil.example');
    expect(refused.status).toBe(403);
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
    expect((await send('/info', RATE_LIMIT)).status).toBe(200);
  });

  test('an unsupported API version is rejected', async () => {
    const { send } = await start();
    const old = { headers: { 'x-api-version': '2025-01-01' } };
    const message = 'Unsupported x-api-version: 2025-01-01';
    const exchange = await send('/exchange', '{}', old);
    expect(exchange).toMatchObject({ status: 400, json: { status: 'err', code: 10013, message } });
    const info = await send('/info', RATE_LIMIT, old);
    expect(info).toMatchObject({ status: 400, json: { success: false, code: 10013, message } });
    const current = { headers: { 'x-api-version': '2026-08-16' } };
    expect((await send('/info', RATE_LIMIT, current)).status).toBe(200);
  });
});

describe('requests are limited per client', () => {
  test('/info requests over the limit get a 429', async () => {
    const { send, replica } = await start({ isLimited: true });
    for (let index = 0; index < 50; index++) {
      const reply = await send('/info', RATE_LIMIT);
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        'x-ratelimit-limit': '50',
        'x-ratelimit-remaining': String(49 - index),
        'x-ratelimit-reset': '1',
      });
      expect(reply.json.data.info.remaining).toBe(49 - index);
    }
    const refused = await send('/account-status', {});
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(refused.json).toEqual({
      success: false,
      code: 10000,
      message: 'rate limit exceeded',
      name: 'RATE_LIMITED',
    });
    expect((await send('/exchange', {})).status).toBe(400);
    replica.nowMs += 20;
    expect((await send('/info', RATE_LIMIT)).status).toBe(200);
  });

  test('/exchange requests over the limit are rejected before their body is read', async () => {
    const { send, counts } = await start({ isLimited: true });
    const body = signed(orderAction(), { key: testKey(1), nonce: 1_800_000_000_000 });
    for (let index = 0; index < 10; index++) await send('/exchange', body);
    const { recovered } = counts;
    const refused = await send('/exchange', body);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(refused.headers['x-ratelimit-remaining']).toBe('0');
    expect(refused.json).toEqual({
      status: 'err',
      code: 10029,
      response: 'rate limit exceeded',
      name: 'RATE_LIMITED',
    });
    expect(counts.recovered).toBe(recovered);
  });

  test('clients behind a trusted proxy are limited separately', async () => {
    const { send } = await start({ isLimited: true, trustedProxies: ['127.0.0.1'] });
    const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
    for (let index = 0; index < 50; index++) await send('/info', RATE_LIMIT, from('1.1.1.1'));
    expect((await send('/info', RATE_LIMIT, from('1.1.1.1'))).status).toBe(429);
    const other = await send('/info', RATE_LIMIT, from('6.6.6.6, 2.2.2.2'));
    expect(other).toMatchObject({ status: 200, json: { data: { ip: '2.2.2.2' } } });
  });
});

describe('error reporting and orderly shutdown', () => {
  test('an unexpected exception results in one error response and one log entry, and later requests are served', async () => {
    const { send, errors } = await start({
      edge: {
        endpoints: {
          '/info': {
            surface: 'info',
            refuse: (error) => ({ status: error.httpStatus, body: JSON.stringify(error) }),
            handle: ({ body }) => {
              if (body['type'] === 'ok') return { status: 200, body: '{}' };
              throw new Error('a bug');
            },
          },
        },
      },
    });
    expect(await send('/info', {})).toMatchObject({ status: 500, json: { code: 10500 } });
    expect(errors.filter((line) => line.includes('a bug'))).toHaveLength(1);
    expect((await send('/info', { type: 'ok' })).status).toBe(200);
  });

  test('requests get a 503 while the log is not writable', async () => {
    const { send, replica } = await start();
    const alice = testKey(1);
    replica.credit(alice.address);
    replica.failure = new Error('the disk is gone');
    const reply = await send(
      '/exchange',
      signed(orderAction(), { key: alice, nonce: replica.nowMs }),
    );
    expect(reply).toMatchObject({ status: 503, json: { status: 'err', code: 10503 } });
    expect(reply.json.message).toEqual(expect.any(String));
    const user = testKey(2).address;
    const fund = await send('/request-fund', { user });
    expect(fund).toMatchObject({ status: 503, json: { success: false, code: 10503 } });
    replica.failure = undefined;
    expect((await send('/request-fund', { user })).status).toBe(200);
  });

  test('draining completes pending requests and rejects new ones', async () => {
    const { send, replica, edge } = await start();
    const alice = testKey(1);
    replica.credit(alice.address);
    const other = new Agent({ keepAlive: true });
    await send('/info', RATE_LIMIT, { agent: other });
    const release = replica.hold();
    const confirm = 'executed' as const;
    const body = signed(orderAction(), { key: alice, nonce: replica.nowMs, confirm });
    const slow = send('/exchange', body);
    while (replica.proposed === 0) await sleep(1);
    const drained = edge.drain();
    const refused = await send('/info', RATE_LIMIT, { agent: other });
    expect(refused).toMatchObject({
      status: 503,
      headers: { connection: 'close' },
      json: { success: false, code: 10503 },
    });
    await expect(send('/info', RATE_LIMIT, { agent: new Agent() })).rejects.toThrow('ECONN');
    release();
    expect(await slow).toMatchObject({ status: 200, json: { confirm: 'executed' } });
    await drained;
    expect(edge.inFlight).toBe(0);
    other.destroy();
  });

  test('draining does not wait forever for a stalled body (R-requests)', async () => {
    const { edge, port } = await start({ edge: { drainMs: 50 } });
    const socket = connect(port, '127.0.0.1');
    const head = 'POST /exchange HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Length: 100\r\n\r\n{`);
    while (edge.inFlight === 0) await sleep(1);
    const cut = once(socket, 'close');
    await edge.drain();
    expect(edge.inFlight).toBe(0);
    await cut;
  });

  test('a request is executed even if its client disconnects, and is no longer counted as in flight', async () => {
    const { replica, edge, port } = await start();
    const alice = testKey(1);
    replica.credit(alice.address);
    const release = replica.hold();
    const body = signed(orderAction(), { key: alice, nonce: replica.nowMs });
    const socket = connect(port, '127.0.0.1');
    const length = Buffer.byteLength(body);
    socket.write(`POST /exchange HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${body}`);
    while (replica.proposed === 0) await sleep(1);
    socket.destroy();
    while (edge.inFlight > 0) await sleep(1);
    release();
    await sleep(5);
    expect(replica.state.nextOrderId).toBe(2);
  });

  test('requests are counted by path and status', async () => {
    const { send, metrics } = await start();
    await send('/info', RATE_LIMIT);
    await send('/secret/path', {});
    const { body } = await metrics.text();
    expect(body).toContain('oddlot_http_requests_total{path="/info",status="200"} 1');
    expect(body).toContain('oddlot_http_requests_total{path="other",status="404"} 1');
  });
});
