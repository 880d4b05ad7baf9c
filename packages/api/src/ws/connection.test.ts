import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { Connection, Outbox } from './connection.ts';
import { VirtualTiming } from '@oddlot/testing/venue/ws/test-edge';
import { WS_LIMITS, type WsLimits } from '../ws-limits.ts';

/** Creates a connection over a pipe that is read only on request. */
function connect(bufferedBytesMax: number, more: Partial<WsLimits> = {}, outbox = new Outbox()) {
  const wire = new PassThrough({ highWaterMark: 0 });
  const closes: number[] = [];
  const socket = {
    readyState: 1,
    close: (code: number) => closes.push(code),
    terminate: () => closes.push(1006),
  };
  const connection = new Connection({
    socket: socket as unknown as WebSocket,
    wire,
    ip: '192.0.2.1',
    outbox,
    limits: { ...WS_LIMITS, bufferedBytesMax, ...more },
    timing: new VirtualTiming(),
  });
  const writes: number[] = [];
  const write = wire.write.bind(wire);
  wire.write = ((chunk: Buffer, written: () => void) => {
    // An empty write carries no data; it only has its callback run after the earlier writes.
    if (chunk.length > 0) writes.push(chunk.length);
    return write(chunk, written);
  }) as never;
  return { connection, outbox, wire, closes, writes };
}

describe('a client connection limits the bytes waiting for its client', () => {
  test('a connection writes all frames of a turn at once', async () => {
    const { connection, writes, outbox } = connect(1000);
    connection.send(Buffer.alloc(3));
    connection.send(Buffer.alloc(4));
    expect(writes).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(writes).toEqual([7]);
    expect(outbox.framesSent).toBe(2);
  });

  test('a connection is closed when too many bytes are waiting for its client', () => {
    const { connection, closes, outbox } = connect(1000);
    connection.send(Buffer.alloc(900));
    connection.flush();
    connection.send(Buffer.alloc(200));
    connection.flush();
    expect(closes).toEqual([1013]);
    expect(outbox.slowClosed).toBe(1);
  });

  test('a connection is closed when too many small frames are waiting, because each counts with its overhead', () => {
    const { connection, closes } = connect(10_000);
    let sent = 0;
    for (; closes.length === 0 && sent < 10_000; sent++) {
      connection.send(Buffer.alloc(2));
      connection.flush();
    }
    expect(closes).toEqual([1013]);
    expect(sent).toBeLessThan(200);
  });

  test('a connection is closed if the total limit is exceeded and its own share is large', async () => {
    const outbox = new Outbox();
    const limits = { bufferedBytesTotalMax: 1_000_000 };
    const [greedy, modest] = [1, 2].map(() => connect(4_000_000, limits, outbox));
    greedy?.connection.send(Buffer.alloc(900_000));
    greedy?.connection.flush();
    modest?.connection.send(Buffer.alloc(200_000));
    modest?.connection.flush();
    expect(modest?.closes).toEqual([]);
    greedy?.connection.send(Buffer.alloc(10));
    greedy?.connection.flush();
    expect(greedy?.closes).toEqual([1006]);
    greedy?.connection.release();
    expect(outbox.heldBytes).toBe(200_064);
    modest?.wire.resume();
    await expect.poll(() => outbox.heldBytes).toBe(0);
  });

  test('frames that the client has requested again do not count towards its limit', async () => {
    const { connection, closes, wire } = connect(1000);
    connection.send(Buffer.alloc(600));
    connection.sendMissed(Buffer.alloc(5000));
    connection.flush();
    expect(connection.canWrite).toBe(false);
    connection.send(Buffer.alloc(300));
    connection.flush();
    expect(closes).toEqual([]);
    connection.send(Buffer.alloc(200));
    connection.flush();
    expect(closes).toEqual([1013]);
    expect(connection.bytesTaken).toBe(0);
    wire.resume();
    await expect.poll(() => connection.bytesTaken).toBe(5900);
  });

  test('bytes of requested frames are no longer exempt once the client has read them', async () => {
    const { connection, closes, wire } = connect(1000);
    connection.sendMissed(Buffer.alloc(5000));
    connection.flush();
    const drained = new Promise<void>((resolve) => connection.onceDrained(resolve));
    wire.resume();
    await drained;
    wire.pause();
    expect(connection.canWrite).toBe(true);
    for (const bytes of [900, 200]) {
      connection.send(Buffer.alloc(bytes));
      connection.flush();
    }
    expect(closes).toEqual([1013]);
  });
});
