import { randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { describe, expect, test } from 'vitest';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import { type BoardEntry, ReplicaBoard } from './replica-board.ts';

const nats = withNatsServer();

const entry = (replica: string, height: number): BoardEntry => ({
  replica,
  url: `http://${replica}`,
  version: '1',
  rules: 3,
  height,
  hash: `0x${replica}`,
  clockMs: Date.now(),
});

const bucket = (): Promise<KV> => new Kvm(jetstream(nats.connection)).create(randomUUID());

async function board(kv: KV): Promise<ReplicaBoard> {
  const opened = new ReplicaBoard(kv);
  await opened.start();
  return opened;
}

const heights = (seen: ReplicaBoard): unknown =>
  Object.fromEntries(seen.present.map((each) => [each.replica, each.height]));

describe.skipIf(!hasNatsServer)('the status reports of replicas', () => {
  test('every replica tracks the progress of the others and detects which of them have ended', async () => {
    const kv = await bucket();
    let height = 7;
    const [a, b] = [await board(kv), await board(kv)];
    await a.report(() => entry('a', height));
    await b.report(() => entry('b', 3));
    await expect.poll(() => heights(b), { timeout: 10_000 }).toEqual({ a: 7, b: 3 });
    height = 9;
    await expect.poll(() => heights(b), { timeout: 10_000 }).toEqual({ a: 9, b: 3 });
    expect(b.highest).toMatchObject({ replica: 'a', height: 9 });
    a.stop();
    await expect.poll(() => heights(b), { timeout: 10_000 }).toEqual({ b: 3 });
    // The last report is available even to a replica that joins later, but its sender does not
    // count as present.
    const joined = await board(kv);
    expect(joined.highest?.height).toBe(9);
    expect(joined.entryOf('a')?.height).toBe(9);
    expect(joined.entries.find(({ replica }) => replica === 'a')?.silentMs).toBe(Infinity);
    for (const each of [b, joined]) each.stop();
  });

  test('a report is remembered while the same stream is followed, even if servers have lost it', async () => {
    const kv = await bucket();
    const a = await board(kv);
    const report = (era: string, height: number, more: object = {}): Promise<number> =>
      kv.put('b', JSON.stringify({ ...entry('b', height), era, ...more }));
    await report('first', 90);
    await expect.poll(() => a.highest?.height, { timeout: 10_000 }).toBe(90);
    // A new watch can return an older entry from servers that lost the last ones.
    await report('first', 70);
    await expect.poll(() => a.entryOf('b')?.height, { timeout: 10_000 }).toBe(70);
    expect(a.highestIn('first')).toMatchObject({ replica: 'b', height: 90 });
    expect(a.highestIn('second')).toBeUndefined();
    await kv.put('c', JSON.stringify({ ...entry('c', 95), era: 'first' }));
    await report('first', 90, { replacedFrom: 80 });
    await expect.poll(() => a.entryOf('b')?.replacedFrom, { timeout: 10_000 }).toBe(80);
    expect(a.highestIn('first')).toEqual({ replica: 'b', height: 90, replacedFrom: 80 });
    // A replica that has reported disputed blocks takes precedence over one with more blocks, but
    // not over one whose blocks were replaced.
    const disputed = { from: 70, to: 75 };
    await kv.put('c', JSON.stringify({ ...entry('c', 95), era: 'first', disputed }));
    await kv.put('d', JSON.stringify({ ...entry('d', 99), era: 'first' }));
    await expect.poll(() => a.entryOf('d'), { timeout: 10_000 }).toBeDefined();
    expect(a.highestIn('first')).toMatchObject({ replica: 'b', replacedFrom: 80 });
    await report('first', 90);
    await expect.poll(() => a.entryOf('b')?.replacedFrom, { timeout: 10_000 }).toBeUndefined();
    expect(a.highestIn('first')).toMatchObject({ replica: 'c', disputed });
    // Once the stream has been rewritten, the earlier blocks count as discarded.
    await report('second', 60);
    await expect.poll(() => a.highestIn('second')?.height, { timeout: 10_000 }).toBe(60);
    a.stop();
  });

  test('a joining replica immediately has the list of current and former replicas', async () => {
    const kv = await bucket();
    const a = await board(kv);
    await kv.put('gone', JSON.stringify(entry('gone', 5)));
    await expect.poll(() => a.entryOf('gone'), { timeout: 10_000 }).toBeDefined();
    await a.report(() => entry('a', 4));
    await expect.poll(() => heights(a), { timeout: 10_000 }).toEqual({ a: 4 });
    const b = await board(kv);
    await b.report(() => entry('b', 3));
    expect(heights(b)).toEqual({ a: 4, b: 3 });
    for (const each of [a, b]) each.stop();
  });

  test('a leaving replica removes its address immediately', async () => {
    const kv = await bucket();
    const [a, b] = [await board(kv), await board(kv)];
    let isServing = true;
    await a.report(() => (isServing ? entry('a', 1) : { ...entry('a', 1), url: undefined }));
    await expect.poll(() => b.entryOf('a')?.url, { timeout: 10_000 }).toBe('http://a');
    isServing = false;
    await a.leave();
    await expect.poll(() => b.entryOf('a')?.url, { timeout: 10_000 }).toBeUndefined();
    b.stop();
  });

  test("replicas' clocks are compared with the servers' clock", async () => {
    const kv = await bucket();
    const [a, b] = [await board(kv), await board(kv)];
    await a.report(() => ({ ...entry('a', 1), clockMs: Date.now() + 60_000 }));
    await b.report(() => entry('b', 1));
    const ahead = (replica: string): number =>
      Math.round((b.present.find((each) => each.replica === replica)?.aheadMs ?? 0) / 10_000) || 0;
    await expect.poll(() => [ahead('a'), ahead('b')], { timeout: 10_000 }).toEqual([6, 0]);
    for (const each of [a, b]) each.stop();
  });

  test('old replica names are forgotten, except that of the replica with the highest block', async () => {
    const kv = await bucket();
    await kv.put('highest', JSON.stringify(entry('highest', 900)));
    for (let at = 0; at < 100; at += 1) await kv.put(`c${at}`, JSON.stringify(entry(`c${at}`, at)));
    const a = await board(kv);
    await a.report(() => entry('a', 1));
    await expect.poll(() => a.entries.length, { timeout: 10_000 }).toBe(64);
    expect(a.highest?.replica).toBe('highest');
    expect(a.entryOf('c99')).toBeDefined();
    expect(a.entryOf('c0')).toBeUndefined();
    await a.clear();
    const b = await board(kv);
    expect(b.entries.filter(({ replica }) => replica !== 'a')).toEqual([]);
    for (const each of [a, b]) each.stop();
  });
});
