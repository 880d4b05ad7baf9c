import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { Connection, Outbox } from './connection.ts';
import { FrameRing } from './frame-ring.ts';
import { Replays } from './replays.ts';
import { Stream } from './stream.ts';
import { VirtualTiming } from '@oddlot/testing/venue/ws/test-edge';
import { WS_LIMITS } from '../ws-limits.ts';

const FRAME_BYTES = 10_000;
const BUDGET = { bytes: 0, bytesMax: Infinity, plainBytes: 0, plainBytesMax: Infinity };

/** Creates a client that reads from a pipe on request, and records the frames it has read. */
function client() {
  const wire = new PassThrough({ highWaterMark: 64 * 1024 });
  const timing = new VirtualTiming();
  const closes: number[] = [];
  const socket = { readyState: 1, close: (code: number) => closes.push(code) };
  const connection = new Connection({
    socket: socket as unknown as WebSocket,
    wire,
    ip: '192.0.2.1',
    outbox: new Outbox(),
    limits: { ...WS_LIMITS, bufferedBytesMax: 300_000 },
    timing,
  });
  let text = '';
  const read = (): void => {
    wire.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  };
  /** Returns the channel, number and subscription of each frame. */
  const frames = (): string[] =>
    [...text.matchAll(/"channel":"(\w+)".*?"seq":(\d+),"sub":(\d+)/g)].map(
      ([, channel, seq, sub]) => `${channel} ${seq} ${sub}`,
    );
  return { closes, connection, frames, read, replays: new Replays(connection), timing, wire };
}

function stream(channel: string, { retainedFramesMax = 10_000 } = {}): Stream {
  const ring = new FrameRing({ retainedFramesMax, retentionMsMax: Infinity }, { ...BUDGET });
  return new Stream({ key: channel, channel, epoch: 'e', ring, timing: new VirtualTiming() });
}

function publish(to: Stream, count: number): void {
  for (let index = 0; index < count; index++) to.publish(JSON.stringify('x'.repeat(FRAME_BYTES)));
}

function numbered(channel: string, sub: number, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${channel} ${from + index} ${sub}`);
}

const never = (): void => expect.unreachable('the frames are there');

describe("missed frames are replayed at the client's reading speed", () => {
  test('a replay waits for the client to read, stream by stream, and continues with live frames', async () => {
    const { closes, connection, frames, read, replays, wire } = client();
    const [one, two] = [stream('one'), stream('two')];
    publish(one, 200);
    publish(two, 200);
    replays.add({ stream: one, sub: 1, seq: 50, resync: never });
    replays.add({ stream: two, sub: 2, seq: 0, resync: never });
    expect(wire.writableLength + wire.readableLength).toBeLessThan(300_000);
    expect([one.subscriberCount, two.subscriberCount]).toEqual([1, 1]);
    // The replay includes frames published while it is running.
    publish(one, 100);
    publish(two, 100);
    read();
    const expected = [...numbered('one', 1, 51, 300), ...numbered('two', 2, 1, 300)];
    await expect.poll(() => frames().length).toBe(expected.length);
    expect(frames()).toEqual(expected);
    publish(two, 1);
    connection.flush();
    await expect.poll(() => frames().at(-1)).toBe('two 301 2');
    expect(closes).toEqual([]);
  });

  test('a replay ends with a resync if frames expire before the client reads them', async () => {
    const { frames, read, replays } = client();
    const slow = stream('slow', { retainedFramesMax: 50 });
    publish(slow, 50);
    const resyncs: number[] = [];
    replays.add({ stream: slow, sub: 1, seq: 0, resync: () => resyncs.push(slow.seq) });
    publish(slow, 100);
    read();
    await expect.poll(() => resyncs).toEqual([150]);
    expect(frames().length).toBeLessThan(50);
    expect(frames()).toEqual(numbered('slow', 1, 1, frames().length));
  });

  test('the connection is closed if the client reads nothing for 30 seconds during a replay', async () => {
    const { closes, replays, timing, wire } = client();
    const some = stream('some');
    publish(some, 1000);
    replays.add({ stream: some, sub: 1, seq: 0, resync: never });
    timing.advance(20_000);
    wire.read();
    await new Promise((resolve) => setImmediate(resolve));
    timing.advance(29_000);
    expect(closes).toEqual([]);
    timing.advance(31_000);
    expect(closes).toEqual([1013]);
  });

  test('a replay stops when the client unsubscribes', async () => {
    const { connection, frames, read, replays } = client();
    const [left, other] = [stream('left'), stream('kept')];
    publish(left, 500);
    publish(other, 3);
    replays.add({ stream: left, sub: 1, seq: 0, resync: never });
    replays.add({ stream: other, sub: 2, seq: 0, resync: never });
    replays.drop(left);
    left.remove(connection);
    expect(left.subscriberCount).toBe(0);
    read();
    await expect.poll(() => frames().filter((frame) => frame.startsWith('kept'))).toHaveLength(3);
    expect(frames().length).toBeLessThan(100);
  });
});
