import { WorkBudget } from '@oddlot/host/ports';
import { afterEach, expect, test } from 'vitest';
import { Connection, Outbox } from './connection.ts';
import { SnapshotCache, StreamHub } from './stream.ts';
import { VirtualTiming } from '@oddlot/testing/venue/ws/test-edge';
import { WS_LIMITS } from '../ws-limits.ts';

const timing = new VirtualTiming();
let built = 0;
afterEach(() => {
  built = 0;
});

function open(snapshots: SnapshotCache) {
  return new StreamHub({ ...WS_LIMITS, numbersBefore: 0 }, timing, { snapshots }).take({
    key: 'orders',
    channel: 'orderUpdates',
    source: () => ({
      snapshot: () => {
        built += 1;
        return { data: `[${built}]`, isSnapshot: true };
      },
      close: () => undefined,
    }),
  });
}

test('a snapshot is built once per block, occasion and frame number, however many clients request it', () => {
  const snapshots = new SnapshotCache();
  const stream = open(snapshots);
  const frames = Array.from({ length: 400 }, (_, sub) => stream.snapshotFrame('resync', sub));
  expect(built).toBe(1);
  expect(frames[7]?.toString()).toContain('"data":[1]');
  expect(frames[7]?.toString()).toContain('"sub":7}');
  // A frame published in the meantime changes the snapshot's number.
  stream.publish('[]');
  expect(stream.snapshotFrame('resync', 1)?.toString()).toContain(
    '"data":[2],"isSnapshot":true,"seq":1',
  );
  snapshots.clear();
  expect(stream.snapshotFrame('resync', 1)?.toString()).toContain('"data":[3]');
  expect(stream.snapshotFrame('subscribe', 1)?.toString()).toContain('"data":[4]');
});

test('the snapshot cache holds at most 16 MiB', () => {
  const snapshots = new SnapshotCache();
  for (let index = 0; index < 40; index++) {
    snapshots.body(`${index}`, () => Buffer.alloc(1024 * 1024));
    expect(snapshots.bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
  }
  expect(snapshots.body('none', () => undefined)).toBeUndefined();
});

test('frames are refused once the client has used up its CPU time', () => {
  const work = new WorkBudget({ msPerSecond: 100, msBurst: 500 }, () => 0);
  const connection = new Connection({
    socket: {} as never,
    wire: {} as never,
    ip: '192.0.2.1',
    outbox: new Outbox(),
    limits: WS_LIMITS,
    timing,
    work,
  });
  expect(connection.budget.take()).toBe(true);
  work.spend('192.0.2.1', 600);
  expect(connection.budget.take()).toBe(false);
});
