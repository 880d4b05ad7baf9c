import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { TestEdge } from '@oddlot/testing/venue/ws/test-edge';

const MASKED = 0x80;
const FIN = 0x80;
const BYTES_MAX = 32 * 1024 * 1024;

let edge: TestEdge;
let socket: Socket;
afterEach(async () => {
  socket.destroy();
  await edge.stop();
});

/** Opens a WebSocket by hand on a socket that is never read from afterwards. */
async function unread(path: string): Promise<void> {
  socket = connect({ port: edge.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await once(socket, 'data');
  socket.pause();
}

/**
 * Waits until the socket can be written to again or has closed, in which case the next write fails.
 */
async function drained(): Promise<void> {
  await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
}

/** Builds a client frame masked with zeros. */
function frame(opcode: number, payload: string): Buffer {
  return Buffer.concat([
    Buffer.from([FIN | opcode, MASKED | payload.length, 0, 0, 0, 0]),
    Buffer.from(payload),
  ]);
}

describe('R-requests: a client that never reads is disconnected', () => {
  test.each<[string, string, Buffer]>([
    ['protocol pings', '/ws', frame(9, 'x'.repeat(125))],
    ['protocol pings', '/ws-rtds', frame(9, 'x'.repeat(125))],
    ['frames that are refused', '/api-ws', frame(1, 'x')],
  ])('a client that never reads is closed after many %s on %s', async (_, path, sent) => {
    edge = await TestEdge.start({ bufferedBytesMax: 64 * 1024 });
    await unread(path);
    const batch = Buffer.concat(Array.from({ length: 500 }, () => sent));
    let bytes = 0;
    while (!socket.destroyed && edge.edge.stats.slowClosed === 0 && bytes < BYTES_MAX) {
      if (!socket.write(batch)) await drained();
      bytes += batch.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    // The operating system can hold megabytes that the venue has not read yet.
    await expect.poll(() => edge.edge.stats.slowClosed).toBe(1);
    expect(edge.edge.stats.heldBytes).toBeLessThan(256 * 1024);
  });

  test('an endless fragmented message closes the connection', async () => {
    edge = await TestEdge.start();
    await unread('/ws');
    socket.resume();
    socket.write(frame(1, 'x').fill(0x01, 0, 1));
    for (let piece = 0; piece < 1000; piece++) socket.write(frame(0, 'x').fill(0x00, 0, 1));
    await once(socket, 'close');
    await expect.poll(() => edge.edge.stats.connections.ws).toBe(0);
  });
});

test('R-requests: the number of streams with subscribers is limited across all clients', async () => {
  edge = await TestEdge.start({ streamsMax: 3 });
  await unread('/ws');
  const client = await edge.connect('/ws');
  const follow = (index: number): object => ({
    type: 'orderUpdates',
    user: `0x${String(index).padStart(40, '0')}`,
  });
  for (let index = 0; index < 3; index++) await client.follow(follow(index));
  client.send({ method: 'subscribe', subscription: follow(3) });
  expect(await client.next()).toMatchObject({
    type: 'error',
    code: 'TOO_MANY_SUBSCRIPTIONS',
    message: 'Too many streams: 3',
  });
  // Other clients can join an existing stream, and a stream without subscribers makes way for a new
  // one.
  await (await edge.connect('/ws')).follow(follow(0));
  client.send({ method: 'unsubscribe', subscription: follow(1) });
  await client.next();
  await client.follow(follow(3));
});

test('R-requests: the connection with the most streams is closed to make room for a client with few', async () => {
  edge = await TestEdge.start({ streamsMax: 18 });
  await unread('/ws');
  const follow = (index: number): object => ({
    type: 'orderUpdates',
    user: `0x${String(index).padStart(40, '0')}`,
  });
  const greedy = [await edge.connect('/ws'), await edge.connect('/ws')];
  for (let index = 0; index < 10; index++) await greedy[0]!.follow(follow(index));
  for (let index = 10; index < 18; index++) await greedy[1]!.follow(follow(index));
  const closed = once(greedy[0]!.socket, 'close');
  const other = await edge.connect('/ws', { from: '198.51.100.8' });
  await other.follow(follow(20));
  const [code, reason] = (await closed) as [number, Buffer];
  expect([code, reason.toString()]).toEqual([
    1013,
    'too many streams: the capacity is shared with other clients',
  ]);
  for (let index = 21; index < 30; index++) await other.follow(follow(index));
  // The other client has ten streams, more than the eight of the remaining connection, so nothing
  // is closed for it.
  other.send({ method: 'subscribe', subscription: follow(30) });
  expect(await other.next()).toMatchObject({ code: 'TOO_MANY_SUBSCRIPTIONS' });
});
