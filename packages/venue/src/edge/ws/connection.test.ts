import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { Connection } from './connection.ts';
import { Outbox } from './outbox.ts';
import { VirtualTiming } from '../../testing/ws/test-edge.ts';
import { WS_LIMITS } from './ws-limits.ts';

/** A connection over a pipe that nobody reads until told to. */
function connect(bufferedBytesMax: number) {
  const wire = new PassThrough({ highWaterMark: 0 });
  const closes: number[] = [];
  const socket = { readyState: 1, close: (code: number) => closes.push(code) };
  const outbox = new Outbox();
  const connection = new Connection({
    socket: socket as unknown as WebSocket,
    wire,
    ip: '192.0.2.1',
    outbox,
    limits: { ...WS_LIMITS, bufferedBytesMax },
    timing: new VirtualTiming(),
  });
  const writes: number[] = [];
  const write = wire.write.bind(wire);
  wire.write = ((chunk: Buffer) => {
    writes.push(chunk.length);
    return write(chunk);
  }) as never;
  return { connection, outbox, wire, closes, writes };
}

describe('a connection', () => {
  test('writes what one turn brought at once', async () => {
    const { connection, writes, outbox } = connect(1000);
    connection.send(Buffer.alloc(3));
    connection.send(Buffer.alloc(4));
    expect(writes).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(writes).toEqual([7]);
    expect(outbox.framesSent).toBe(2);
  });

  test('is closed when too much waits for its client', () => {
    const { connection, closes, outbox } = connect(1000);
    connection.send(Buffer.alloc(900));
    connection.flush();
    connection.send(Buffer.alloc(200));
    connection.flush();
    expect(closes).toEqual([1013]);
    expect(outbox.slowClosed).toBe(1);
  });

  test('may have one replay waiting beyond that, until it is read', async () => {
    const { connection, closes, wire } = connect(1000);
    const replay = Array.from({ length: 5 }, () => Buffer.alloc(1000));
    expect(connection.replay(replay)).toBe(true);
    connection.flush();
    connection.send(Buffer.alloc(10));
    connection.flush();
    expect(closes).toEqual([]);
    expect(connection.replay(replay)).toBe(false);
    wire.resume();
    await expect.poll(() => wire.writableLength).toBe(0);
    connection.send(Buffer.alloc(10));
    connection.flush();
    expect(connection.replay(replay)).toBe(true);
    connection.flush();
    expect(closes).toEqual([]);
  });
});
