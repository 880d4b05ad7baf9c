import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createLogger } from '../operate/log.ts';
import { Metrics } from '../operate/metrics.ts';
import { HttpEdge, type HttpEdgeOptions } from './http-edge.ts';
import { RateLimiter } from './rate-limiter.ts';
import { infoRefusal, type Reply } from './reply.ts';

const edges: HttpEdge[] = [];
afterAll(() => Promise.all(edges.map((edge) => edge.drain())));

const BODY_BYTES_MAX = 200;
const log = createLogger({ level: 'silent' });
const metrics = new Metrics({ processMetrics: false });

/** Opens a port whose responses quote the request. */
async function anEdge(options: Partial<HttpEdgeOptions> = {}) {
  const limits = { info: 50, exchange: 10, explainSignature: 5, simulate: 10 };
  const limiter = new RateLimiter({ limits, now: () => performance.now(), enabled: false });
  const quote = async (text: string, isForwarded: boolean | undefined): Promise<Reply> => {
    await sleep(0);
    const status = text.includes('400') ? 400 : text.includes('503') ? 503 : 200;
    return { status, body: text === '' ? '' : JSON.stringify({ text, isForwarded }) };
  };
  const edge = new HttpEdge({
    endpoints: {
      '/exchange': {
        surface: 'exchange',
        refuse: infoRefusal,
        handleText: ({ isForwarded, text }) => quote(text, isForwarded),
      },
      '/info': {
        surface: 'info',
        refuse: infoRefusal,
        handle: async ({ isForwarded, text }) => {
          const { body, status } = await quote(text, isForwarded);
          return { status, body, bytes: Buffer.from(body) };
        },
      },
    },
    limiter,
    log,
    metrics,
    clientIp: (peer) => peer ?? '',
    visitors: 'any',
    bodyBytesMax: BODY_BYTES_MAX,
    ...options,
  });
  edges.push(edge);
  let parsed = 0;
  edge.server.prependListener('request', () => (parsed += 1));
  const port = await edge.listen(0, '127.0.0.1');
  return { edge, port, parsed: () => parsed };
}

function open(port: number): { socket: Socket; answers: () => string } {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString('latin1')));
  socket.on('error', () => undefined);
  const answers = (): string => text.replaceAll(/^Date: .*$/gm, 'Date: now');
  return { socket, answers };
}

const FIRST = 'GET /first HTTP/1.1\r\nHost: x\r\n\r\n';
const LAST = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
/** A request with a header unknown to the direct reader is parsed by the runtime. */
const UNKNOWN = 'x-unknown: 1\r\n';

const post = (headers: string, body: string, line = 'POST /exchange HTTP/1.1'): string =>
  `${line}\r\nhost: x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;

/** Returns all responses to successive requests on one connection. */
async function answersTo(
  port: number,
  bytes: Buffer,
  sizes: readonly number[] = [],
): Promise<string> {
  const { answers, socket } = open(port);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(FIRST);
  await once(socket, 'data');
  for (let at = 0, step = 0; at < bytes.length && !socket.destroyed; step++) {
    const size = sizes[step % sizes.length] ?? bytes.length;
    socket.write(bytes.subarray(at, at + size));
    at += size;
    if (step % 2 === 0) await sleep(0);
  }
  await closed;
  return answers();
}

describe('requests from common clients are read directly', () => {
  test('the runtime parses only the first request of a connection', async () => {
    const { parsed, port } = await anEdge();
    const { answers, socket } = open(port);
    socket.write(post('', '{"n":0}'));
    await once(socket, 'data');
    for (let n = 1; n <= 20; n++) {
      socket.write(post('content-type: application/json\r\nuser-agent: a b\r\n', `{"n":${n}}`));
      await once(socket, 'data');
    }
    socket.destroy();
    expect(answers().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(21);
    expect(answers()).toContain(String.raw`{\"n\":20}`);
    expect(parsed()).toBe(1);
  });

  test("for any request, the response is byte for byte the same as the runtime's", async () => {
    const { parsed, port } = await anEdge();
    const name = (text: string): fc.Arbitrary<string> =>
      fc.constantFrom(
        text,
        text.toUpperCase(),
        text.replace(/^./, (first) => first.toUpperCase()),
      );
    const header = (text: string, ...values: string[]): fc.Arbitrary<string> =>
      fc
        .tuple(name(text), fc.constantFrom(': ', ':', ':  ', ' : '), fc.constantFrom(...values))
        .map((parts) => `${parts.join('')}\r\n`);
    const usual = fc.oneof(
      header('content-type', 'application/json', 'application/json; charset=utf-8', 'text/plain'),
      header('connection', 'keep-alive', 'Keep-Alive', 'close', 'upgrade'),
      header('user-agent', 'node', 'a (b; c) d/1.0', 'é', ''),
      header('accept', '*/*', 'application/json ', '\t*/*'),
      header('accept-encoding', 'gzip, deflate', 'a\r\n b'),
      header('x-api-version', '2026-08-16', '1'),
    );
    const unusual = fc.oneof(
      header('host', 'x', 'y', ''),
      header('content-length', '2', '+2', '0x2', '2, 2', '-1', '99999999', '201'),
      header('transfer-encoding', 'chunked', 'identity'),
      header('expect', '100-continue', 'else'),
      header('origin', 'https://x.test', 'null'),
      header('x-forwarded-for', '1.2.3.4'),
      header('upgrade', 'websocket'),
      fc.constantFrom(' folded\r\n', 'no colon\r\n', '\r\n', '\n', 'a b: c\r\n', '\u0000: x\r\n'),
    );
    const headers = fc
      .array(fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: unusual }), {
        maxLength: 5,
      })
      .map((lines) => lines.join(''));
    const body = fc.oneof(
      fc.constantFrom('', '{}', '{"a":400}', '{"a":"503"}', '"\\u00e9é"', '\r\n\r\n', FIRST, '{'),
      fc
        .integer({ min: BODY_BYTES_MAX - 2, max: BODY_BYTES_MAX + 2 })
        .map((n) => `"${'x'.repeat(n - 2)}"`),
    );
    const line = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('POST /exchange HTTP/1.1', 'POST /info HTTP/1.1') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'POST /info?a=1 HTTP/1.1',
          'POST /none HTTP/1.1',
          'post /info HTTP/1.1',
          'POST  /info HTTP/1.1',
          'POST /info HTTP/1.0',
          'PUT /info HTTP/1.1',
          'POST http://x/info HTTP/1.1',
        ),
      },
    );
    const request = fc.record({
      line,
      headers,
      body,
      isUtf8: fc.nat({ max: 9 }).map((n) => n > 0),
    });
    const bytesOf = (
      requests: readonly { line: string; headers: string; body: string; isUtf8: boolean }[],
      marker: string,
    ): Buffer =>
      Buffer.concat([
        ...requests.map((each) =>
          Buffer.from(
            post(marker + each.headers, each.body, each.line),
            each.isUtf8 ? 'utf8' : 'latin1',
          ),
        ),
        Buffer.from(LAST),
      ]);
    let direct = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 3 }),
        fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 3 }),
        async (requests, sizes) => {
          const bytes = bytesOf(requests, '');
          const before = parsed();
          const got = await answersTo(port, bytes);
          const between = parsed();
          const expected = await answersTo(port, bytesOf(requests, UNKNOWN));
          direct += parsed() - between - (between - before);
          expect(got).toBe(expected);
          // If a response closes the connection early, the bytes sent after it can destroy
          // responses.
          const count = expected.match(/HTTP\/1\.1 \d/g)?.length;
          if (count !== requests.length + 2) return;
          expect(await answersTo(port, bytes, sizes)).toBe(expected);
        },
      ),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 150) },
    );
    expect(direct).toBeGreaterThan(0);
  });
});

describe('requests read directly have the usual limits', () => {
  test('requests from pages of another site are refused', async () => {
    const pages = { ports: new Set([1]), origins: new Set<string>() };
    const { parsed, port } = await anEdge({ visitors: { pages, names: new Set() } });
    const { answers, socket } = open(port);
    socket.write(post('', '{}'));
    await once(socket, 'data');
    socket.write(post('', '{}'));
    await once(socket, 'data');
    expect(parsed()).toBe(1);
    socket.write(post('', '{}').replace('host: x', 'host: x.test'));
    await once(socket, 'close');
    expect(answers().match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 403',
    ]);
  });

  test("a request is refused if its client's bodies take up all available memory", async () => {
    const bodyLimits = {
      bodiesMax: 9,
      bodiesPerClientMax: 9,
      bytesMax: 999,
      bytesPerClientMax: 20,
    };
    const { edge, parsed, port } = await anEdge({ bodyLimits });
    const { answers, socket } = open(port);
    socket.write(post('', '{}'));
    await once(socket, 'data');
    socket.write(post('', `"${'x'.repeat(50)}"`));
    await once(socket, 'close');
    expect(answers().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 429']);
    expect(parsed()).toBe(1);
    expect(edge.bodies).toEqual({ bodies: 0, bytes: 0 });
    expect(edge.inFlight).toBe(0);
  });

  test('an unread response waits, and its memory is released when its client disconnects', async () => {
    const { edge, port } = await anEdge({ bodyBytesMax: 4_000_000 });
    const { socket } = open(port);
    socket.write(post('', '{}'));
    await once(socket, 'data');
    socket.pause();
    const large = post('', `"${'x'.repeat(60_000)}"`);
    let sent = 0;
    while (edge.unreadBytes === 0 && sent < 2_000) {
      socket.write(large);
      sent += 1;
      await sleep(1);
    }
    expect(edge.unreadBytes).toBeGreaterThan(60_000);
    expect(edge.inFlight).toBe(1);
    socket.destroy();
    await expect.poll(() => edge.inFlight).toBe(0);
    expect(edge.unreadBytes).toBe(0);
  });

  test('a drain completes the current request and closes its connection', async () => {
    const { edge, parsed, port } = await anEdge();
    const { answers, socket } = open(port);
    socket.write(post('', '{}'));
    await once(socket, 'data');
    const closed = once(socket, 'close');
    socket.write(post('', '"current"'));
    await expect.poll(() => edge.inFlight, { interval: 0 }).toBe(1);
    await edge.drain();
    await closed;
    expect(parsed()).toBe(1);
    expect(answers()).toMatch(/connection: close\r\n[^]*current/);
  });
});
