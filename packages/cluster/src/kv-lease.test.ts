import { randomUUID } from 'node:crypto';
import { Kvm, type KV } from '@nats-io/kv';
import { jetstream } from '@nats-io/jetstream';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Term } from '@oddlot/replica/lease';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import { KvLease } from './kv-lease.ts';
import { madeMsOf } from './buckets.ts';

const nats = withNatsServer();
let kv: KV;

const freshBucket = (): Promise<KV> =>
  new Kvm(jetstream(nats.connection)).create(randomUUID(), { allow_direct: false });

beforeAll(async () => {
  if (hasNatsServer) kv = await freshBucket();
});

/** Records which processes run a task under its lease, and how many ran it at the same time. */
function actors() {
  const running = new Set<string>();
  const terms: number[] = [];
  let most = 0;
  const actor = (name: string) => ({
    start: (term: Term): void => {
      running.add(name);
      terms.push(term.number);
      most = Math.max(most, running.size);
    },
    stop: (): void => void running.delete(name),
  });
  return { running, terms, actor, most: () => most };
}

/** Returns a bucket that a process can be cut off from. */
function cuttable() {
  let isCut = false;
  const away = <T>(ask: () => Promise<T>): Promise<T> =>
    isCut ? Promise.reject(new Error('no way')) : ask();
  return {
    cut: (): void => void (isCut = true),
    restore: (): void => void (isCut = false),
    kv: {
      get: (key: string) => away(() => kv.get(key)),
      create: (key: string, value: string) => away(() => kv.create(key, value)),
      update: (key: string, value: string, revision: number) =>
        away(() => kv.update(key, value, revision)),
      delete: (key: string, options?: object) => away(() => kv.delete(key, options)),
    } as Pick<KV, 'create' | 'delete' | 'get' | 'update'>,
  };
}

function blockFor(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

const fail = (error: unknown): never => {
  throw error;
};

describe.skipIf(!hasNatsServer)('the leases of a cluster', () => {
  test('a name has one holder, and another process acquires it immediately after its release', async () => {
    const name = `a name ${randomUUID()}`;
    const { actor, most, running, terms } = actors();
    const leases = ['a', 'b', 'c'].map(
      (replica) => new KvLease({ kv, madeMs: 0, replica, onFatal: fail }),
    );
    const held = await Promise.all(
      leases.map((lease, index) => {
        const { start, stop } = actor(`${index}`);
        return lease.hold(name, start, stop);
      }),
    );
    await expect.poll(() => running.size).toBe(1);
    const [first] = running;
    await held[Number(first)]?.release();
    await expect.poll(() => running.size, { timeout: 1_500 }).toBe(1);
    expect([...running]).not.toEqual([first]);
    expect(most()).toBe(1);
    expect(terms[1]).toBeGreaterThan(terms[0]!);
    await Promise.all(held.map(({ release }) => release()));
    expect(running.size).toBe(0);
  });

  test("while a task's holder is still starting it, no other process starts it", async () => {
    const name = randomUUID();
    const { actor, most, running, terms } = actors();
    const slow = actor('slow');
    const started = Promise.withResolvers<void>();
    const first = new KvLease({ kv, madeMs: 0, replica: 'slow', onFatal: fail }).hold(
      name,
      async (term) => {
        slow.start(term);
        await started.promise;
      },
      slow.stop,
    );
    await expect.poll(() => running.size).toBe(1);
    const quick = actor('quick');
    const second = await new KvLease({ kv, madeMs: 0, replica: 'quick', onFatal: fail }).hold(
      name,
      quick.start,
      quick.stop,
    );
    // This takes longer than other processes wait before taking over from a silent holder.
    const { revision } = (await kv.get(name))!;
    await expect.poll(async () => (await kv.get(name))!.revision).toBeGreaterThan(revision + 8);
    started.resolve();
    expect([[...running], most(), terms.length]).toEqual([['slow'], 1, 1]);
    await (await first).release();
    await second.release();
  });

  test('a holder without a connection stops automatically before another process starts', async () => {
    const name = randomUUID();
    const { actor, most, running } = actors();
    const bucket = cuttable();
    const lonely = actor('lonely');
    const other = actor('other');
    const held = await new KvLease({ kv: bucket.kv, madeMs: 0, replica: 'a', onFatal: fail }).hold(
      name,
      lonely.start,
      lonely.stop,
    );
    const second = await new KvLease({ kv, madeMs: 0, replica: 'b', onFatal: fail }).hold(
      name,
      other.start,
      other.stop,
    );
    expect([...running]).toEqual(['lonely']);
    bucket.cut();
    await expect.poll(() => [...running], { timeout: 5_000 }).toEqual(['other']);
    expect(most()).toBe(1);
    bucket.restore();
    await second.release();
    await expect.poll(() => [...running], { timeout: 5_000 }).toEqual(['lonely']);
    await held.release();
  });

  test('if a process is suspended for too long, its term has ended when it resumes', async () => {
    const name = randomUUID();
    let own: Term | undefined;
    const lease = new KvLease({ kv, madeMs: 0, replica: 'a', onFatal: fail });
    const held = await lease.hold(
      name,
      (term) => void (own = term),
      () => undefined,
    );
    expect(own?.isOver()).toBe(false);
    const until = performance.now() + 1_500;
    // Blocks the event loop, as if the process were suspended.
    while (performance.now() < until);
    expect(own?.isOver()).toBe(true);
    await held.release();
  });

  test('a term reported as ended does not continue, even if the next renewal succeeds', async () => {
    const name = randomUUID();
    const line = cuttable();
    const lease = new KvLease({ kv: line.kv, madeMs: 0, replica: 'slow', onFatal: fail });
    const terms: Term[] = [];
    const { release } = await lease.hold(
      name,
      (term) => void terms.push(term),
      () => undefined,
    );
    const [first] = terms;
    // The event loop is blocked between two renewals, so the next renewal succeeds and the lease
    // does not seem lost.
    blockFor(1_250);
    expect(first!.isOver()).toBe(true);
    await expect.poll(() => terms.length, { timeout: 5_000 }).toBe(2);
    expect(terms.map((term) => term.isOver())).toEqual([true, false]);
    expect(terms[1]!.number).toBeGreaterThan(first!.number);
    await release();
  });

  test('a term in a bucket that was lost and recreated is greater than all earlier terms', async () => {
    const name = `a name ${randomUUID()}`;
    const numbers: number[] = [];
    for (const bucket of [kv, await freshBucket()]) {
      const madeMs = await madeMsOf(bucket);
      const lease = new KvLease({ kv: bucket, madeMs, replica: 'a', onFatal: fail });
      const { release } = await lease.hold(
        name,
        ({ number }) => void numbers.push(number),
        () => undefined,
      );
      await release();
    }
    expect(numbers[1]).toBeGreaterThan(numbers[0]!);
  });

  test('R-terms: a holder stops if the log has ended its term, and begins a new term', async () => {
    const name = `a name ${randomUUID()}`;
    const held: Term[] = [];
    let stops = 0;
    const lease = new KvLease({ kv, madeMs: 0, replica: 'a', onFatal: fail });
    const { release } = await lease.hold(
      name,
      (term) => void held.push(term),
      () => void (stops += 1),
    );
    held[0]?.end();
    expect(held[0]?.isOver()).toBe(true);
    await expect.poll(() => held.length, { timeout: 5_000 }).toBe(2);
    expect(stops).toBe(1);
    expect(held[1]?.isOver()).toBe(false);
    await release();
  });

  test('a failed start is reported to the caller and frees the name', async () => {
    const name = randomUUID();
    const lease = new KvLease({ kv, madeMs: 0, replica: 'a', onFatal: fail });
    await expect(
      lease.hold(
        name,
        () => fail(new Error('no disk')),
        () => undefined,
      ),
    ).rejects.toThrow('no disk');
  });
});
