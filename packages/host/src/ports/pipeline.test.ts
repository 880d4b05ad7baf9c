import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { HttpPort, type HttpPortOptions, type PortCall } from './http-port.ts';
import { NO_PACE } from './client-turns.ts';
import { FairQueue } from './fair-queue.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Served = { readonly url: string; readonly text: string };

/** Opens a port that echoes each request after one turn of the event loop. */
async function aPort(options: Partial<HttpPortOptions> = {}, bodyBytes = 0) {
  const served: Served[] = [];
  const most = { inWork: 0 };
  let inWork = 0;
  const serve = (call: PortCall): void => {
    inWork += 1;
    most.inWork = Math.max(most.inWork, inWork);
    port.read(call, { bytesMax: 1_000_000 }, (read) => {
      const text = typeof read === 'string' ? read : read.text;
      served.push({ url: call.request.url ?? '', text });
      setImmediate(() => {
        inWork -= 1;
        call.response.end(`${call.request.url} ${text}${'x'.repeat(bodyBytes)}\n`);
      });
    });
  };
  const clientIp = (peer: string | undefined): string => peer ?? '';
  const port: HttpPort = new HttpPort({
    serve,
    clientIp,
    visitors: 'any',
    queue: new FairQueue(NO_PACE),
    ...options,
  });
  const number = await port.listen(0, '127.0.0.1');
  ends.push(() => port.drain());
  return { port, number, served, most };
}

function open(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  ends.push(() => socket.destroy());
  return socket;
}

const get = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`;
const post = (url: string, body: string): string =>
  `POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const chunked = (url: string, parts: readonly string[]): string => {
  const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  return `POST ${url} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`;
};

describe('pipelined requests wait for each other', () => {
  test('pipelined requests are processed one by one and in order, and each gets a response', async () => {
    const { most, number, port, served } = await aPort();
    const socket = open(number);
    const urls = Array.from({ length: 2_000 }, (_, index) => `/${index}`);
    socket.write(urls.map(get).join(''));
    socket.resume();
    await expect.poll(() => served.length, { timeout: 60_000 }).toBe(2_000);
    expect(served.map(({ url }) => url)).toEqual(urls);
    expect(most.inWork).toBe(1);
    await expect.poll(() => port.inFlight).toBe(0);
  });

  test('pipelined requests wait while the client is not reading its responses, and so does the sender', async () => {
    const { number, port, served } = await aPort({}, 50_000);
    const socket = open(number);
    socket.pause();
    const many = get('/').repeat(40_000);
    for (let index = 0; index < 8; index++) socket.write(many);
    await expect.poll(() => port.unreadBytes + served.length).toBeGreaterThan(0);
    // The responses fill the system's buffers; after that, no further request is processed.
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = served.length === before;
          before = served.length;
          return isStill;
        },
        { interval: 200, timeout: 60_000 },
      )
      .toBe(true);
    expect(port.inFlight).toBe(1);
    expect(served.length).toBeLessThan(1_000);
    expect(socket.writableLength).toBeGreaterThan(100_000);
    socket.destroy();
    await expect.poll(() => port.inFlight).toBe(0);
  });

  test('pipelined requests are parsed identically, no matter how the bytes are split', async () => {
    const { most, number, served } = await aPort();
    const body = fc.constantFrom('', 'a', '\r\n\r\n', 'x\r\n\r\nGET / HTTP/1.1\r\n\r\n', '{"a":1}');
    const request = fc.oneof(
      fc.constant({ kind: 'get', parts: [''] }),
      body.map((text) => ({ kind: 'post', parts: [text] })),
      fc
        .array(
          body.filter((text) => text !== ''),
          { maxLength: 3 },
        )
        .map((parts) => ({
          kind: 'chunked',
          parts,
        })),
    );
    const text = (
      { kind, parts }: { kind: string; parts: readonly string[] },
      at: number,
    ): string =>
      kind === 'get'
        ? get(`/${at}`)
        : kind === 'post'
          ? post(`/${at}`, parts.join(''))
          : chunked(`/${at}`, parts);
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
        async (requests, sizes) => {
          served.length = 0;
          const socket = open(number).setNoDelay(true);
          socket.resume();
          const bytes = requests.map(text).join('');
          for (let at = 0, step = 0; at < bytes.length; step++) {
            const size = sizes[step % sizes.length] ?? 1;
            socket.write(bytes.slice(at, at + size));
            at += size;
            if (step % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
          }
          await expect.poll(() => served.length, { interval: 1 }).toBe(requests.length);
          expect(served).toEqual(
            requests.map(({ parts }, at) => ({ url: `/${at}`, text: parts.join('') })),
          );
          socket.destroy();
        },
      ),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 40) },
    );
    expect(most.inWork).toBe(1);
  });
});

describe('a pipelined connection can be upgraded or closed', () => {
  test("the bytes after a WebSocket handshake are passed to the connection's stream", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { number } = await aPort({
      accepts: () => true,
      upgrade: (_request, socket, head) => {
        let text = head.toString();
        socket.on('data', (part: Buffer) => {
          text += part.toString();
          if (text.endsWith('end')) resolve(text);
        });
        socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
        ends.push(() => socket.destroy());
      },
    });
    const socket = open(number);
    const head = 'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    socket.write(`${get('/before')}${head}first\r\n\r\nsecond`);
    await once(socket, 'data');
    socket.write('end');
    expect(await promise).toBe('first\r\n\r\nsecondend');
  });

  test.each([
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400],
    ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n', 417],
  ])(
    'a connection is closed after the error response to a request with %s',
    async (_name, request, status) => {
      const { number, served } = await aPort();
      const socket = open(number);
      let text = '';
      socket.on('data', (part: Buffer) => (text += part.toString()));
      socket.write(`${request}${get('/next')}`);
      await once(socket, 'close');
      expect(text.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
      expect(served).toEqual([]);
    },
  );
});

describe('malformed HTTP requests are rejected', () => {
  const answerOf = async (port: number): Promise<string> => {
    const socket = open(port);
    socket.write(get('/fine'));
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    return bytes.toString().split('\r\n')[0] ?? '';
  };

  test.each([
    ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['nonsense', 'X\r\n\r\n'],
    ['a head with two ends', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n'],
  ])('%s followed by more requests closes only its own connection', async (_, bytes) => {
    const { number } = await aPort();
    for (const behind of [get('/behind'), bytes, post('/behind', 'body').repeat(100)]) {
      const socket = open(number);
      socket.resume();
      const closed = once(socket, 'close');
      socket.write(bytes + behind + behind);
      await closed;
    }
    expect(await answerOf(number)).toBe('HTTP/1.1 200 OK');
  });

  test('a CONNECT request is refused with a status line', async () => {
    const { number } = await aPort();
    const socket = open(number);
    socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 405 /);
  });

  test.each([
    ['between requests', ''],
    ['in a body', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4000\r\n'],
  ])('a flood of empty lines %s takes turns like requests', async (_, before) => {
    const queue = new FairQueue(NO_PACE);
    const taken = vi.spyOn(queue, 'take');
    const { number, served } = await aPort({ queue });
    const socket = open(number);
    socket.resume();
    socket.write(before + '\r\n\r\n'.repeat(4_096) + get('/behind'));
    // The flood is passed on in batches of 32 parts.
    await expect.poll(() => taken.mock.calls.length).toBeGreaterThanOrEqual(4_096 / 32);
    expect(served.length).toBeLessThanOrEqual(1);
  });

  test('a few empty lines between requests are ignored', async () => {
    const { number, served } = await aPort();
    const socket = open(number);
    socket.resume();
    socket.write(get('/1') + '\r\n\r\n'.repeat(1_000) + get('/2'));
    await expect.poll(() => served.map(({ url }) => url)).toEqual(['/1', '/2']);
  });
});
