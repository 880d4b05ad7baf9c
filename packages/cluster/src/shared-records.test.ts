import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, test } from 'vitest';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import { RecordsLostError, RecordStream } from './shared-records.ts';
import { WeakStreamError } from './stream-error.ts';

const server = withNatsServer();
let clusters = 0;

/** Opens records. By default, each call uses a separate cluster. */
async function records(replica = 'a', cluster = `c${(clusters += 1)}`) {
  const stream = await RecordStream.open(server.connection, { cluster, replica, replicas: 1 });
  return { cluster, stream };
}

function termOf(number: number) {
  const term = { number, isEnded: false, isOver: () => term.isEnded };
  return term;
}

const ignore = { onLost: () => undefined };

async function messagesOf(cluster: string): Promise<number> {
  const manager = await jetstreamManager(server.connection);
  return (await manager.streams.info(`oddlot-${cluster}-records`)).state.messages;
}

describe.skipIf(!hasNatsServer)('records that replicas share', () => {
  test('the next holder reads all records in order, separately for each name', async () => {
    const { stream } = await records();
    const first = await stream.take('payouts', { term: termOf(1), ...ignore });
    expect(first.read()).toEqual({ records: [], damaged: [] });
    await first.append([{ n: 1 }, { n: 2 }]);
    await first.append([]);
    await first.append([{ n: 3 }]);
    const other = await stream.take('relayer', { term: termOf(1), ...ignore });
    await other.append(['another']);
    const next = await stream.take('payouts', { term: termOf(2), ...ignore });
    expect(next.read()).toEqual({ records: [{ n: 1 }, { n: 2 }, { n: 3 }], damaged: [] });
  });

  test('a former holder cannot append records and is notified', async () => {
    const { stream } = await records();
    const errors: unknown[] = [];
    const zombie = await stream.take('relayer', {
      term: termOf(1),
      onLost: (error) => errors.push(error),
    });
    await zombie.append(['before']);
    const holder = await stream.take('relayer', { term: termOf(2), ...ignore });
    await expect(zombie.append(['late'])).rejects.toThrow(RecordsLostError);
    await expect(zombie.append(['again'])).rejects.toThrow(RecordsLostError);
    expect(errors).toHaveLength(1);
    await holder.append(['after']);
    const next = await stream.take('relayer', { term: termOf(3), ...ignore });
    expect(next.read().records).toEqual(['before', 'after']);
  });

  test('if several holders take over records at once, only the last one can write', async () => {
    const { stream } = await records();
    const taken = await Promise.all(
      [1, 2, 3, 4].map((number) => stream.take('relayer', { term: termOf(number), ...ignore })),
    );
    const written = await Promise.allSettled(taken.map((each, at) => each.append([at])));
    expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const next = await stream.take('relayer', { term: termOf(9), ...ignore });
    expect(next.read().records).toHaveLength(1);
  });

  test('no holder can write records in a term that has ended', async () => {
    const { stream } = await records();
    const term = termOf(1);
    const store = await stream.take('relayer', { term, ...ignore });
    term.isEnded = true;
    await expect(store.append(['late'])).rejects.toThrow('this replica may no longer write');
    await expect(stream.take('relayer', { term, ...ignore })).rejects.toThrow(RecordsLostError);
  });

  test('large records are written in pieces, and count only once the last piece is stored', async () => {
    const { stream } = await records();
    const large = Array.from({ length: 10 }, (_, n) => ({ n, text: 'x'.repeat(100_000) }));
    const store = await stream.take('watched', { term: termOf(1), ...ignore });
    await store.append(['small']);
    await store.append(large);
    const whole = await stream.take('watched', { term: termOf(2), ...ignore });
    expect(whole.read().records).toEqual(['small', ...large]);
    // The holder stops between two pieces, because the term is checked before each piece.
    let checks = -Infinity;
    const isOver = (): boolean => (checks += 1) > 2;
    const cut = await stream.take('watched', { term: { number: 3, isOver }, ...ignore });
    checks = 0;
    await expect(cut.append(large)).rejects.toThrow(RecordsLostError);
    const next = await stream.take('watched', { term: termOf(4), ...ignore });
    expect(next.read()).toEqual({ records: ['small', ...large], damaged: [] });
    await next.append(['more']);
    const last = await stream.take('watched', { term: termOf(5), ...ignore });
    expect(last.read().records).toEqual(['small', ...large, 'more']);
  });

  test('records are rewritten when most of them are obsolete, which shortens the stream', async () => {
    const { cluster, stream } = await records();
    const store = await stream.take('payouts', { term: termOf(1), ...ignore });
    const newest = new Map<number, number>();
    for (let round = 0; round < 50; round += 1) {
      const batch = Array.from({ length: 100 }, (_, id) => ({ id, round }));
      await store.append(batch);
      for (const { id, round: at } of batch) newest.set(id, at);
      const values = () => [...newest].map(([id, at]) => ({ id, round: at }));
      store.shorten({ size: newest.size, values });
    }
    await store.append(['last']);
    expect(await messagesOf(cluster)).toBeLessThan(15);
    const next = await stream.take('payouts', { term: termOf(2), ...ignore });
    const { damaged, records: read } = next.read();
    expect(damaged).toEqual([]);
    expect(read.length).toBeLessThan(1_100);
    expect(read.slice(-101, -1)).toEqual(
      Array.from({ length: 100 }, (_, id) => ({ id, round: 49 })),
    );
    expect(read.at(-1)).toBe('last');
  });

  test('all records are read, no matter how many there are', async () => {
    const { stream } = await records();
    const store = await stream.take('relayer', { term: termOf(1), ...ignore });
    const all = Array.from({ length: 1_000 }, (_, n) => n);
    await Promise.all(all.map((n) => store.append([n])));
    for (const number of [2, 3, 4]) {
      const next = await stream.take('relayer', { term: termOf(number), ...ignore });
      expect(next.read()).toEqual({ records: all, damaged: [] });
    }
  });

  test('if a holder stops before removing rewritten records, only the new ones count', async () => {
    const { cluster, stream } = await records();
    const store = await stream.take('payouts', { term: termOf(1), ...ignore });
    await store.append(['old 1', 'old 2']);
    const copy = await copyOf(cluster, 'payouts');
    store.replace(['new']);
    await store.append(['more']);
    await copy.restoreBefore();
    const next = await stream.take('payouts', { term: termOf(2), ...ignore });
    expect(next.read()).toEqual({ records: ['new', 'more'], damaged: [] });
  });

  test('a missing or altered message is reported as damage', async () => {
    const { cluster, stream } = await records();
    const store = await stream.take('relayer', { term: termOf(1), ...ignore });
    for (const n of [1, 2, 3]) await store.append([n]);
    const manager = await jetstreamManager(server.connection);
    const name = `oddlot-${cluster}-records`;
    const { config } = await manager.streams.info(name);
    expect(config.deny_delete).toBe(true);
    // Another client writes to the subject.
    await jetstream(server.connection).publish(`oddlot.${cluster}.records.relayer`, 'nonsense');
    const next = await stream.take('relayer', { term: termOf(2), ...ignore });
    expect(next.read().damaged).toEqual([1]);
    // After a rewrite, the records are valid again.
    next.replace([1, 2, 3]);
    await next.append([4]);
    const healed = await stream.take('relayer', { term: termOf(3), ...ignore });
    expect(healed.read()).toEqual({ records: [1, 2, 3, 4], damaged: [] });
  });

  test('a stream that could lose records is refused unless the operator accepts it', async () => {
    const cluster = `c${(clusters += 1)}`;
    const manager = await jetstreamManager(server.connection);
    await manager.streams.add({
      name: `oddlot-${cluster}-records`,
      subjects: [`oddlot.${cluster}.records.*`],
      max_msgs: 10,
    });
    await expect(records('a', cluster)).rejects.toThrow(WeakStreamError);
    const errors: (readonly string[])[] = [];
    await RecordStream.open(server.connection, {
      cluster,
      replica: 'a',
      replicas: 1,
      onWeak: (faults) => errors.push(faults),
    });
    expect(errors[0]?.join()).toContain('it is limited to 10 messages');
  });
});

/** Captures a subject's messages, in order to restore them as if they had never been removed. */
async function copyOf(cluster: string, name: string) {
  const manager = await jetstreamManager(server.connection);
  const stream = `oddlot-${cluster}-records`;
  const subject = `oddlot.${cluster}.records.${name}`;
  const old: Uint8Array[] = [];
  const { state } = await manager.streams.info(stream);
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const found = await manager.streams.getMessage(stream, { seq });
    if (found !== null) old.push(found.data);
  }
  return {
    async restoreBefore() {
      const now: Uint8Array[] = [];
      const { state: later } = await manager.streams.info(stream);
      for (let seq = later.first_seq; seq <= later.last_seq; seq += 1) {
        const found = await manager.streams.getMessage(stream, { seq });
        if (found !== null) now.push(found.data);
      }
      await manager.streams.purge(stream);
      // Messages contain their positions, so they must be restored to the same ones.
      await manager.streams.delete(stream);
      await RecordStream.open(server.connection, { cluster, replica: 'a', replicas: 1 });
      const client = jetstream(server.connection);
      for (const data of [...old, ...now]) await client.publish(subject, data);
    },
  };
}
