import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import {
  startEdge,
  type TestEdge,
  type TestEdgeOptions,
} from '@oddlot/testing/venue/http/test-edge';
import { ADMIN_KEY_BYTE } from '@oddlot/testing/venue/http/test-replica';
import { withoutSpace } from '../read-request.ts';

const alice = testKey(1);
const admin = testKey(ADMIN_KEY_BYTE);
const KIB = 1024;

let edge: TestEdge;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await edge.close();
});

async function start(options: TestEdgeOptions = {}): Promise<TestEdge> {
  edge = await startEdge(options);
  edge.replica.credit(alice.address);
  return edge;
}

/** Pads a request with spaces to a given number of bytes. */
const padded = (body: string, bytes: number): string => {
  const space = ' '.repeat(bytes - Buffer.byteLength(body));
  return body.replace('"action":', `"action":${space}`);
};

describe('R-requests: the size of a request body is limited', () => {
  const halt = { type: 'venueAdmin', setPerp: { instrumentId: 1, haltTrading: true } };

  test('any client can send 64 KiB, but not one byte more', async () => {
    const { replica, send } = await start();
    const body = (bytes: number, nonce: number): string =>
      padded(signed(orderAction(), { key: alice, nonce: replica.nowMs + nonce }), bytes);
    expect((await send('/exchange', body(64 * KIB, 1))).json).toMatchObject({ status: 'ok' });
    const large = await send('/exchange', body(64 * KIB + 1, 2));
    expect(large).toMatchObject({ status: 413, json: { status: 'err', code: 10002 } });
    const query = `{"type":"perpMeta"}`.padEnd(64 * KIB);
    expect((await send('/info', query)).status).toBe(200);
    expect((await send('/info', `${query} `)).status).toBe(413);
  });

  test('a listed signer can send 256 KiB in a permissioned action', async () => {
    const { replica, send } = await start();
    const body = (bytes: number): string =>
      padded(signed(halt, { key: admin, nonce: replica.nowMs }), bytes);
    expect((await send('/exchange', body(256 * KIB + 1))).status).toBe(413);
    expect((await send('/exchange', body(256 * KIB))).json).toMatchObject({ status: 'ok' });
  });

  test('a body without an action is also rejected if it is too large', async () => {
    const { send } = await start();
    for (const body of [
      { nonce: 1, pad: '' },
      { action: 'x', pad: '' },
      { action: {}, pad: '' },
    ]) {
      const large = JSON.stringify({ ...body, pad: 'x'.repeat(70 * KIB) });
      expect(await send('/exchange', large)).toMatchObject({ status: 413, json: { code: 10002 } });
    }
  });

  test('a large body of an unlisted signer is rejected without a log entry', async () => {
    const { replica, send } = await start();
    const body = padded(signed(halt, { key: alice, nonce: replica.nowMs }), 100 * KIB);
    const { proposed } = replica;
    expect(await send('/exchange', body)).toMatchObject({ status: 413, json: { code: 10002 } });
    expect(replica.proposed).toBe(proposed);
  });

  test('the name of a permissioned action alone does not raise the limit', async () => {
    const { counts, replica, send } = await start();
    const action = { ...orderAction(), note: 'venueAdmin' };
    const body = padded(signed(action, { key: admin, nonce: replica.nowMs }), 100 * KIB);
    expect((await send('/exchange', body)).status).toBe(413);
    // The request was rejected before its signer was recovered.
    expect(counts.recovered).toBe(0);
  });

  test('unknown fields beyond 1,024 bytes are rejected without a log entry', async () => {
    const { replica, send } = await start();
    const { proposed } = replica;
    const body = signed(
      { ...orderAction(), junk: 'x'.repeat(1100) },
      { key: alice, nonce: replica.nowMs },
    );
    const reply = await send('/exchange', body);
    expect(reply).toMatchObject({
      status: 400,
      json: { status: 'err', code: 10002, message: 'Unknown fields exceed 1024 bytes' },
    });
    const info = await send('/info', { type: 'perpMeta', junk: 'x'.repeat(1100) });
    expect(info).toMatchObject({ status: 400, json: { success: false, code: 10002 } });
    const fund = await send('/request-fund', { user: alice.address, junk: 'x'.repeat(1100) });
    expect(fund).toMatchObject({ status: 400, json: { success: false, code: 10002 } });
    expect(replica.proposed).toBe(proposed);
  });

  test('requests are logged without insignificant whitespace', () => {
    const body = signed(orderAction(), { key: alice, nonce: 1 });
    expect(withoutSpace(padded(body, 60 * KIB))).toBe(body);
    expect(withoutSpace('{ "a b" : "c \\" d" ,\t"e":\r\n[ 1 , "\\\\" ] }')).toBe(
      '{"a b":"c \\" d","e":[1,"\\\\"]}',
    );
  });
});

describe('R-requests: the number of request bodies in flight is limited', () => {
  const limits = {
    bodiesMax: 8,
    bodiesPerClientMax: 3,
    bytesMax: 400 * KIB,
    bytesPerClientMax: 100 * KIB,
  };

  const hold = async (from: string, bytes = 10): Promise<Socket> => {
    const socket = connect({ port: edge.port, host: '127.0.0.1', localAddress: from });
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write(`POST /info HTTP/1.1\r\nHost: x\r\nContent-Length: ${60 * KIB}\r\n\r\n`);
    socket.write('x'.repeat(bytes));
    await once(socket, 'connect');
    return socket;
  };
  const heldBodies = async (count: number): Promise<void> => {
    for (let tries = 0; edge.edge.bodies.bodies !== count && tries < 500; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(edge.edge.bodies.bodies).toBe(count);
  };

  test('a client with too many bodies in flight is rejected immediately, and others are served', async () => {
    await start({ edge: { bodyLimits: limits } });
    for (let index = 0; index < 3; index++) await hold('127.0.0.2');
    await heldBodies(3);
    const [answer] = (await once(await hold('127.0.0.2'), 'data')) as [Buffer];
    expect(answer.toString()).toContain('HTTP/1.1 429');
    expect(answer.toString()).toContain('rate limit exceeded');
    expect(answer.toString().toLowerCase()).toContain('connection: close');
    expect((await edge.send('/info', { type: 'perpMeta' })).status).toBe(200);
  });

  test('when the total body limit is reached, all clients are asked to retry', async () => {
    await start({ edge: { bodyLimits: limits } });
    for (let index = 2; index < 10; index++) await hold(`127.0.0.${index}`);
    await heldBodies(8);
    const refused = await edge.send('/info', { type: 'perpMeta' });
    expect(refused).toMatchObject({ status: 503, json: { success: false, code: 10503 } });
    expect(refused.headers['retry-after']).toBe('1');
    for (const socket of sockets.splice(0)) socket.destroy();
    await heldBodies(0);
    expect(edge.edge.bodies).toEqual({ bodies: 0, bytes: 0 });
    expect((await edge.send('/info', { type: 'perpMeta' })).status).toBe(200);
  });

  test('bytes are counted as they arrive, and a body sent in single bytes counts as one body', async () => {
    await start({ edge: { bodyLimits: limits } });
    const one = await hold('127.0.0.2', 50 * KIB);
    await heldBodies(1);
    const [answer] = (await once(await hold('127.0.0.2', 59 * KIB), 'data')) as [Buffer];
    expect(answer.toString()).toContain('HTTP/1.1 429');
    one.destroy();
    const body = JSON.stringify({ type: 'perpMeta' });
    const slow = connect({ port: edge.port, host: '127.0.0.1' });
    sockets.push(slow);
    slow.setNoDelay(true);
    slow.write(`POST /info HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`);
    for (const character of body) {
      slow.write(character);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const [reply] = (await once(slow, 'data')) as [Buffer];
    expect(reply.toString()).toContain('200 OK');
    expect(edge.edge.bodies).toEqual({ bodies: 0, bytes: 0 });
  });

  test('a few clients sending endless bodies do not block others', async () => {
    await start({ edge: { bodyLimits: { ...limits, bodiesMax: 24, bodiesPerClientMax: 12 } } });
    for (const from of ['127.0.0.2', '127.0.0.3']) {
      for (let index = 0; index < 12; index++) await hold(from);
    }
    await heldBodies(24);
    for (let index = 0; index < 3; index++) {
      expect((await edge.send('/info', { type: 'perpMeta' })).status).toBe(200);
    }
    // One connection was closed to make room for the new client, and its slot is free again.
    await heldBodies(23);
  });
});
