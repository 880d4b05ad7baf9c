import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  startEdge,
  type TestEdge,
  type TestEdgeOptions,
} from '@oddlot/testing/venue/http/test-edge';

let edge: TestEdge;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await edge.close();
});

async function start(options: TestEdgeOptions['edge']): Promise<void> {
  edge = await startEdge({ edge: options ?? {} });
}

async function open(from: string): Promise<Socket> {
  const socket = connect({ port: edge.port, host: '127.0.0.1', localAddress: from });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function isServed(from: string): Promise<boolean> {
  const socket = await open(from);
  socket.write('POST /info HTTP/1.1\r\nHost: x\r\nContent-Length: 19\r\n\r\n{"type":"perpMeta"}');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString().startsWith('HTTP/1.1 200');
}

const limits = { connectionsMax: 6, connectionsPerClientMax: 4 };

describe('R-requests: the number of connections is limited', () => {
  test('a client at its connection limit gets a 429', async () => {
    await start({ connectionLimits: limits });
    for (let index = 0; index < 4; index++) await open('127.0.0.2');
    await expect.poll(() => edge.edge.connections.open).toBe(4);
    const [answer] = (await once(await open('127.0.0.2'), 'data')) as [Buffer];
    expect(answer.toString()).toContain('429');
    expect(answer.toString()).toContain('too many connections from 127.0.0.2');
    expect(await isServed('127.0.0.3')).toBe(true);
    expect(edge.edge.connections.refused).toBe(1);
  });

  test('a client at its connection limit has an idle connection closed to admit a new one', async () => {
    await start({ connectionLimits: limits });
    const idle: Socket[] = [];
    for (let index = 0; index < 4; index++) idle.push(await open('127.0.0.2'));
    await expect.poll(() => edge.edge.connections.open).toBe(4);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const closed = once(idle[0] as Socket, 'close');
    expect(await isServed('127.0.0.2')).toBe(true);
    await closed;
    expect(edge.edge.connections).toMatchObject({ open: 4, evicted: 1, refused: 0 });
  });

  test('at the total limit, the client with the most connections loses one, idle ones first', async () => {
    await start({ connectionLimits: limits });
    const idle: Socket[] = [];
    for (let index = 0; index < 4; index++) idle.push(await open('127.0.0.2'));
    for (let index = 0; index < 2; index++) await open('127.0.0.3');
    await expect.poll(() => edge.edge.connections.open).toBe(6);
    const closed = once(idle[0] as Socket, 'close');
    expect(await isServed('127.0.0.4')).toBe(true);
    await closed;
    expect(edge.edge.connections).toMatchObject({ open: 6, evicted: 1, refused: 0 });
    // A client with as many connections as the others cannot displace any of theirs.
    expect(await isServed('127.0.0.3')).toBe(false);
  });

  test('a connection with a pending response is not closed', async () => {
    await start({ connectionLimits: { connectionsMax: 2, connectionsPerClientMax: 4 } });
    const release = edge.replica.hold();
    const user = `0x${'1'.repeat(40)}`;
    const body = JSON.stringify({ user });
    const working = await open('127.0.0.2');
    working.write(
      `POST /request-fund HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    working.write(body);
    const second = await open('127.0.0.2');
    await expect.poll(() => edge.replica.proposed).toBeGreaterThan(0);
    expect(await isServed('127.0.0.3')).toBe(true);
    expect(second.closed || second.readableEnded || (await once(second, 'close'))).toBeTruthy();
    release();
    const [answer] = (await once(working, 'data')) as [Buffer];
    expect(answer.toString()).toContain('HTTP/1.1 200');
  });

  test('connections from a trusted proxy do not count as connections of a single client', async () => {
    await start({ connectionLimits: limits, isProxy: (ip) => ip === '127.0.0.2' });
    for (let index = 0; index < 6; index++) await open('127.0.0.2');
    await expect.poll(() => edge.edge.connections.open).toBe(6);
  });

  test('a connection that sends no headers is closed after the timeout', async () => {
    await start({ headersTimeoutMs: 100, requestTimeoutMs: 200 });
    const silent = await open('127.0.0.2');
    silent.resume();
    await once(silent, 'close');
    expect(edge.edge.connections.open).toBe(0);
  });
});
