import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { FileJournal } from '@oddlot/replica/log/file-journal';
import { crashImage } from '@oddlot/testing/venue/journal';
import { cutStream } from '@oddlot/testing/venue/nats/cut-stream';
import {
  all,
  type LoggedReplica,
  note,
  noted,
  openClusterLog,
  openTestStream,
} from '@oddlot/testing/venue/nats/open-cluster-log';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import { BlockStream } from './block-stream.ts';
import { restoreStream } from './agree-on-stream.ts';
import { writeStream } from './write-stream.ts';
import { ForeignStreamError, WeakStreamError } from './stream-error.ts';

const nats = withNatsServer();

type Options = Omit<Parameters<typeof openClusterLog>[0], 'urls'>;

const open = (options: Options): Promise<LoggedReplica> =>
  openClusterLog({ ...options, urls: nats.urls });
const openStream = (cluster: string): Promise<BlockStream> => openTestStream(nats.urls, cluster);

describe.skipIf(!hasNatsServer)('the log of a cluster', () => {
  test("all replicas receive blocks in the same order, and each replica's blocks in the order it sent them", () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const replicas = await Promise.all(
        ['a', 'b', 'c'].map((name) => open({ cluster, directory: join(folder, name) })),
      );
      const names = replicas.map(() => randomUUID());
      await Promise.all(
        replicas.flatMap(({ log }, index) =>
          Array.from({ length: 50 }, (_, at) =>
            log.append(note(`${index}:${at}`), `${names[index]}:${at + 1}`),
          ),
        ),
      );
      for (const replica of replicas) await all(replica, 150);
      const [first, ...others] = replicas.map(({ entries }) =>
        entries.map((entry) => [entry.seq, entry.timeMs, entry.proposal, noted(entry)]),
      );
      for (const other of others) expect(other).toEqual(first);
      for (const index of [0, 1, 2]) {
        const own = first!
          .map(([, , , text]) => String(text))
          .filter((text) => text.startsWith(`${index}:`));
        expect(own).toEqual(Array.from({ length: 50 }, (_, at) => `${index}:${at}`));
      }
      for (const replica of replicas) await replica.close();
    }));

  test('a replica continues from its own files and reads only the rest of the stream', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const one = await open({ cluster, directory: join(folder, 'a') });
      await one.log.append(note('first'));
      const other = await open({ cluster, directory: join(folder, 'b') });
      expect(other.entries.map(noted)).toEqual(['first']);
      await other.close();
      await one.log.append(note('second'));
      await one.close();
      const again = await open({ cluster, directory: join(folder, 'b') });
      expect(again.entries.map(noted)).toEqual(['first', 'second']);
      expect(again.log.lastSeq).toBe(2);
      await again.close();
    }));

  test('a replica treats its state as old after an interruption until it has read all blocks written in the meantime', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      let thaw: (() => void) | undefined;
      let frozen = Promise.resolve();
      const one = await open({
        cluster,
        directory: join(folder, 'a'),
        wrap: (stream) => delayed(stream, () => frozen),
      });
      const other = await open({ cluster, directory: join(folder, 'b') });
      await other.log.append(note('before'));
      await all(one, 1);
      expect(await one.log.age.current()).toBe(true);
      frozen = new Promise((resolve) => (thaw = resolve));
      await other.log.append(note('meanwhile'));
      await expect.poll(() => one.log.age.isOld(), { timeout: 10_000 }).toBe(true);
      expect(one.entries.map(noted)).toEqual(['before']);
      const current = one.log.age.current();
      thaw?.();
      expect(await current).toBe(true);
      expect(one.entries.map(noted)).toEqual(['before', 'meanwhile']);
      await expect.poll(() => one.log.age.isOld(), { timeout: 10_000 }).toBe(false);
      for (const each of [one, other]) await each.close();
    }));

  test('blocks written while the end of the stream is being queried are not reported as lost', () =>
    inDirectory(async (folder) => {
      let asked = 0;
      let append: (() => Promise<unknown>) | undefined;
      const one = await open({
        cluster: randomUUID(),
        directory: join(folder, 'a'),
        wrap: (stream) =>
          withEnd(stream, async () => {
            const end = await stream.end();
            await append?.();
            asked += 1;
            return end;
          }),
      });
      append = () => one.log.append(note('meanwhile'));
      asked = 0;
      await expect.poll(() => asked, { timeout: 20_000 }).toBe(4);
      append = undefined;
      expect(one.lost).toEqual([]);
      await one.close();
    }));

  test('a block lost in transit is ordered before those sent after it', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const name = randomUUID();
      const swallowed = new Set([`${name}:2:0`]);
      const one = await open({
        cluster,
        directory: join(folder, 'a'),
        wrap: (stream) => lossy(stream, swallowed),
      });
      const numbers = [1, 2, 3, 4, 5];
      await Promise.all(
        numbers.map((number) => one.log.append(note(`${number}`), `${name}:${number}`)),
      );
      expect(swallowed.size).toBe(0);
      expect(one.entries.map(noted).filter((text) => text !== '')).toEqual(numbers.map(String));
      // Blocks that arrived too early are stored as empty blocks with their own numbers.
      expect(one.entries.length).toBeGreaterThan(numbers.length);
      const other = await open({ cluster, directory: join(folder, 'b') });
      expect(other.entries).toEqual(one.entries.map((entry) => ({ ...entry })));
      await other.close();
      await one.close();
    }));

  test('a block is stored in the log only once, even if its acknowledgement is lost', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const name = randomUUID();
      const unacknowledged = new Set([`${name}:1:0`]);
      const one = await open({
        cluster,
        directory: join(folder, 'a'),
        wrap: (stream) => withLostAcks(stream, unacknowledged),
      });
      await one.log.append(note('1'), `${name}:1`);
      await one.log.append(note('2'), `${name}:2`);
      expect(one.entries.map(noted)).toEqual(['1', '2']);
      await one.close();
    }));

  test('a block has the time of its proposer, but never an earlier time than the previous block', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const ahead = await open({ cluster, directory: join(folder, 'a'), now: () => 5_000 });
      const behind = await open({ cluster, directory: join(folder, 'b'), now: () => 3_000 });
      await behind.log.append(note('b'));
      await ahead.log.append(note('a'));
      await behind.log.append(note('c'));
      await all(ahead, 3);
      expect(ahead.entries.map(({ timeMs }) => timeMs)).toEqual([3_000, 5_000, 5_000]);
      expect(behind.entries.map(({ timeMs }) => timeMs)).toEqual([3_000, 5_000, 5_000]);
      await behind.close();
      await ahead.close();
    }));

  test('of several concurrent replicas, only one opens the log', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const replicas = await Promise.all(
        ['a', 'b', 'c'].map((name) => open({ cluster, directory: join(folder, name) })),
      );
      const opened = await Promise.all(
        replicas.map(({ log }, index) => log.appendBehind(0, note(`genesis ${index}`))),
      );
      expect(opened.filter(Boolean)).toHaveLength(1);
      for (const { entries } of replicas)
        expect(entries.map(noted)).toEqual([`genesis ${opened.indexOf(true)}`]);
      for (const replica of replicas) await replica.close();
    }));

  test('a stream that has lost blocks of this replica is reported with the first missing number', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const one = await open({ cluster, directory: join(folder, 'a') });
      for (const text of ['1', '2', '3']) await one.log.append(note(text));
      await one.close();
      const stream = await openStream(cluster);
      await stream.remove();
      await stream.close();
      const empty = await open({ cluster, directory: join(folder, 'a') });
      expect(empty.lost).toMatchObject([{ from: 1, to: 3 }]);
      await expect(empty.log.append(note('4'))).rejects.toThrow('lost blocks 1 to 3');
      await empty.close();
      // Another replica without a copy treats the removed stream as a new one.
      const other = await open({ cluster, directory: join(folder, 'b') });
      for (const text of ['x', 'y', 'z', 'w']) await other.log.append(note(text));
      const forked = open({ cluster, directory: join(folder, 'a') });
      await expect(forked).rejects.toThrow(
        'This folder is not a copy of the stream: the blocks differ starting with block 1',
      );
      await other.close();
    }));

  test('a copy that has diverged is reported with its first differing block, not as a longer copy', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const one = await open({ cluster, directory: join(folder, 'a') });
      for (const text of ['1', '2', '3', '4', '5']) await one.log.append(note(text));
      const directory = await crashImage(join(folder, 'a'));
      // The contents are equal but the times differ, because all venues append similar empty
      // blocks.
      const standalone = await FileJournal.open({ directory, clock: { nowMs: () => 2_000 } });
      for (const text of ['6', '7', '8', '9', '10']) await standalone.append(note(text));
      for (const text of ['6', '7']) await one.log.append(note(text));
      const sentence =
        'This folder is not a copy of the stream: the blocks differ starting with block 6';
      await standalone.close();
      await expect(open({ cluster, directory })).rejects.toThrow(sentence);
      // A restore from this copy is also refused unless the blocks of the stream are discarded.
      const journal = await FileJournal.open({ directory, clock });
      const restore = async (giveUpFrom?: number): Promise<unknown> =>
        restoreStream({
          ...restored(cluster, journal),
          stream: await openStream(cluster),
          giveUpFrom,
        });
      await expect(restore()).rejects.toThrow(sentence);
      await one.log.append(note('8'));
      expect(one.lost).toEqual([]);
      await one.close();
      await restore(6);
      await journal.close();
      const given = open({ cluster, directory: join(folder, 'a') });
      await expect(given).rejects.toThrow(sentence);
      const went = await open({ cluster, directory });
      expect(went.entries.map(noted)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
      await went.close();
    }));

  test('blocks reported by another replica but missing from the stream are reported as missing, and are not replaced', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const known = () => ({ replica: 'b', height: 5 });
      const empty = open({ cluster, directory: join(folder, 'a'), known });
      await expect(empty).rejects.toThrow(
        'The stream lost blocks 1 to 5, which replica b reported: the stream is empty',
      );
      const one = await open({ cluster, directory: join(folder, 'c') });
      await one.log.append(note('1'));
      const behind = await open({ cluster, directory: join(folder, 'd') });
      await behind.close();
      for (const text of ['2', '3']) await one.log.append(note(text));
      // One folder has no copy, and the other a copy that ends before the remaining stream.
      for (const directory of ['a', 'd']) {
        const short = open({ cluster, directory: join(folder, directory), known });
        await expect(short).rejects.toThrow('lost blocks 4 to 5, which replica b reported');
      }
      await one.close();
      // A replica with some of the blocks serves them, and continues when the stream is complete
      // again.
      let height = 4;
      const some = await open({
        cluster,
        directory: join(folder, 'c'),
        known: () => ({ replica: 'b', height }),
      });
      expect(some.lost).toMatchObject([{ from: 4, to: 4 }]);
      await expect(some.log.append(note('4'))).rejects.toThrow('lost blocks 4 to 4');
      height = 3;
      await expect.poll(() => some.log.trouble(), { timeout: 10_000 }).toBeUndefined();
      await some.log.append(note('4'));
      // While this replica is reading, another one reports a block beyond the end of the stream.
      height = 9;
      await expect.poll(() => some.lost.length, { timeout: 10_000 }).toBe(2);
      expect(some.lost[1]).toMatchObject({ from: 5, to: 9 });
      await some.close();
    }));

  test('the log is restored from the longest copy, and all replicas continue automatically', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const name = randomUUID();
      const [one, other] = await Promise.all(
        ['a', 'b'].map((each) => open({ cluster, directory: join(folder, each) })),
      );
      for (const number of [1, 2, 3]) await one!.log.append(note(`${number}`), `${name}:${number}`);
      await all(other!, 3);
      await other!.close();
      await one!.log.append(note('4'), `${name}:4`);
      const longest = await FileJournal.open({
        directory: await crashImage(join(folder, 'a')),
        clock,
      });
      const stream = await openStream(cluster);
      await expect(restoreStream({ ...restored(cluster, longest), stream })).rejects.toThrow(
        'Nothing to restore: the stream already has all 4 blocks',
      );
      await stream.close();
      await cutStream({ cluster, url: nats.urls[0]! }, 3);
      await expect.poll(() => one!.lost.length, { timeout: 20_000 }).toBe(1);
      expect(one!.lost).toMatchObject([{ from: 3, to: 4 }]);
      const steps: number[] = [];
      const short = await openStream(cluster);
      await restoreStream({
        ...restored(cluster, longest),
        stream: short,
        onProgress: (seq) => steps.push(seq),
      });
      expect(steps.at(-1)).toBe(4);
      await expect.poll(() => one!.log.trouble(), { timeout: 10_000 }).toBeUndefined();
      await one!.log.append(note('5'), `${name}:5`);
      const again = await open({ cluster, directory: join(folder, 'b') });
      expect(again.entries.map(noted)).toEqual(['1', '2', '3', '4', '5']);
      expect(again.lost).toEqual([]);
      for (const each of [one!, again]) await each.close();
      await longest.close();
    }));

  test('a stream that lacks blocks of an imported folder is not continued', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const directory = join(folder, 'standalone');
      const journal = await FileJournal.open({ directory, clock });
      for (const text of ['1', '2', '3', '4']) await journal.append(note(text));
      const stream = await openStream(cluster);
      await writeStream({ stream, journal, serviceNetwork: 'Test', nowMs: 1_000 });
      await stream.close();
      const one = await open({ cluster, directory: join(folder, 'a') });
      await cutStream({ cluster, url: nats.urls[0]! }, 3);
      await journal.close();
      // The first folder has no blocks, and the second one has all of them.
      for (const each of [join(folder, 'b'), directory]) {
        await expect(open({ cluster, directory: each })).rejects.toThrow(
          'The stream is incomplete: 2 of the 4',
        );
      }
      // A running replica waits, and continues once the stream is rewritten.
      await expect.poll(() => one.lost.length, { timeout: 20_000 }).toBe(1);
      const whole = await FileJournal.open({ directory, clock });
      await restoreStream({
        ...restored(cluster, whole),
        stream: await openStream(cluster),
      });
      await whole.close();
      await expect.poll(() => one.log.trouble(), { timeout: 20_000 }).toBeUndefined();
      await one.log.append(note('5'));
      const again = await open({ cluster, directory: join(folder, 'b') });
      expect(again.entries.map(noted)).toEqual(['1', '2', '3', '4', '5']);
      for (const each of [one, again]) await each.close();
    }));

  test("another venue's stream, or one that could lose blocks, is refused", () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const one = await open({ cluster, directory: join(folder, 'a') });
      await one.close();
      const foreign = open({ cluster, directory: join(folder, 'b'), serviceNetwork: 'Other' });
      await expect(foreign).rejects.toThrow(ForeignStreamError);
      const options = { servers: nats.urls, cluster, clientName: 'test', replicas: 3 };
      await expect(BlockStream.open(options)).rejects.toThrow(WeakStreamError);
      await expect(BlockStream.open(options)).rejects.toThrow(
        'stored on 1 servers, but --stream-replicas requires 3',
      );
      const faults: string[] = [];
      const weak = await BlockStream.open({ ...options, onWeak: (each) => faults.push(...each) });
      expect(faults).toHaveLength(1);
      await weak.close();
    }));
});

const clock = { nowMs: () => 1_000 };

function restored(cluster: string, journal: FileJournal) {
  const reopen = (): Promise<BlockStream> => openStream(cluster);
  return { journal, serviceNetwork: 'Test', nowMs: 1_000, reopen };
}

function withEnd(stream: BlockStream, end: BlockStream['end']): BlockStream {
  return new Proxy(stream, {
    get: (target, key) => {
      if (key === 'end') return end;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Delays everything from the servers, as if the process were frozen. */
function delayed(stream: BlockStream, thawed: () => Promise<void>): BlockStream {
  const { end, follow } = { end: stream.end.bind(stream), follow: stream.follow.bind(stream) };
  stream.end = async () => {
    await thawed();
    const found = await end();
    await thawed();
    return found;
  };
  stream.follow = (fromPlace, { take, ...follower }) =>
    follow(fromPlace, { ...follower, take: (message) => thawed().then(() => take(message)) });
  return stream;
}

function lossy(stream: BlockStream, ids: Set<string>): BlockStream {
  const publish = stream.publish.bind(stream);
  stream.publish = (id, data) => {
    if (!ids.delete(id)) return publish(id, data);
    return Promise.reject(new Error('no answer'));
  };
  return stream;
}

function withLostAcks(stream: BlockStream, ids: Set<string>): BlockStream {
  const publish = stream.publish.bind(stream);
  stream.publish = async (id, data) => {
    await publish(id, data);
    if (ids.delete(id)) throw new Error('no answer');
  };
  return stream;
}
