import { randomUUID } from 'node:crypto';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/host/testing';
import { describe, expect, test } from 'vitest';
import { FileJournal } from '../log/file-journal.ts';
import { crashImage } from '../testing/journal.ts';
import { cutStream } from '../testing/nats/cut-stream.ts';
import { hasNatsServer } from '../testing/nats/has-nats-server.ts';
import {
  all,
  type LoggedReplica,
  note,
  noted,
  openClusterLog,
  openTestStream,
} from '../testing/nats/open-cluster-log.ts';
import { withNatsServer } from '../testing/nats/with-nats-server.ts';
import { FollowedStream, noteAlone } from './followed-stream.ts';
import type { KnownBlock } from './known-block.ts';
import { restoreStream } from './restore-stream.ts';

const nats = withNatsServer();

type Options = Omit<Parameters<typeof openClusterLog>[0], 'urls'>;

const open = (options: Options): Promise<LoggedReplica> =>
  openClusterLog({ ...options, urls: nats.urls });

describe.skipIf(!hasNatsServer)('a stream that lost blocks and has others in their place', () => {
  test('is noticed by who has them, and whoever hears of it takes nothing either', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const [a, b] = [join(folder, 'a'), join(folder, 'b')];
      const one = await open({ cluster, directory: a });
      for (const text of ['1', '2']) await one.log.append(note(text));
      await (await open({ cluster, directory: b })).close();
      for (const text of ['3', '4']) await one.log.append(note(text));
      await one.close();
      // The servers come back without the last two, and the one who had them is away.
      await cutStream({ cluster, url: nats.urls[0]! }, 3);
      let known: KnownBlock | undefined;
      const other = await open({ cluster, directory: b, known: () => known });
      for (const text of ['x', 'y', 'z']) await other.log.append(note(text));
      const back = await open({ cluster, directory: a });
      expect(back.lost).toMatchObject([{ name: 'StreamReplacedError', from: 3, to: 4 }]);
      expect(back.log.replaced).toMatchObject({ from: 3, era: new FollowedStream(`${b}-of`).era });
      expect(back.entries.map(noted)).toEqual(['1', '2', '3', '4']);
      await expect(back.log.append(note('5'))).rejects.toThrow(
        'the stream lost blocks 3 to 4, which this replica has: it has others in their place',
      );
      expect(other.log.replaced).toBeUndefined();
      known = { replica: 'a', height: 4, replacedFrom: 3 };
      await expect.poll(() => other.lost.length, { timeout: 10_000 }).toBe(1);
      await expect(other.log.append(note('w'))).rejects.toThrow(
        'the stream lost blocks 3 to 4, which replica a has told of: it has others in their place',
      );
      known = undefined;
      await expect.poll(() => other.log.trouble(), { timeout: 10_000 }).toBeUndefined();
      await other.log.append(note('w'));
      for (const each of [back, other]) await each.close();
      // One that went on by itself has nothing that anybody waits for.
      noteAlone(`${a}-of`, 3);
      await expect(open({ cluster, directory: a })).rejects.toThrow(
        'this folder is not a copy of this stream: they differ from block 3 on',
      );
    }));

  test('is so after it was restored too, unless they were given up then', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const [a, b] = [join(folder, 'a'), join(folder, 'b')];
      const one = await open({ cluster, directory: a });
      await one.log.append(note('1'));
      await (await open({ cluster, directory: b })).close();
      for (const text of ['2', '3']) await one.log.append(note(text));
      await one.close();
      const era = new FollowedStream(`${b}-of`).era;
      const restore = async (giveUpFrom?: number): Promise<void> => {
        const journal = await FileJournal.open({ directory: b, clock: { nowMs: () => 1_000 } });
        const stream = await openTestStream(nats.urls, cluster);
        const reopen = () => openTestStream(nats.urls, cluster);
        const parts = { journal, stream, reopen, serviceNetwork: 'Test', nowMs: 1_000 };
        await restoreStream({ ...parts, followedEra: era, giveUpFrom });
        await journal.close();
      };
      // Everything is lost, nobody knows of more, and the shorter copy is taken.
      const stream = await openTestStream(nats.urls, cluster);
      await stream.remove();
      await stream.close();
      await restore();
      const other = await open({ cluster, directory: b });
      for (const text of ['x', 'y', 'z']) await other.log.append(note(text));
      await other.close();
      const back = await open({ cluster, directory: a });
      expect(back.lost).toMatchObject([{ name: 'StreamReplacedError', from: 2, to: 3 }]);
      // Told of the stream that the others follow.
      expect(back.log.replaced?.era).toBe(new FollowedStream(`${b}-of`).era);
      expect(back.log.replaced?.era).not.toBe(era);
      await back.close();
      await restore(2);
      await expect(open({ cluster, directory: a })).rejects.toThrow('they differ from block 2 on');
      const kept = await open({ cluster, directory: b });
      expect(kept.entries.map(noted)).toEqual(['1', 'x', 'y', 'z']);
      expect(kept.lost).toEqual([]);
      await kept.close();
    }));

  test('is not what a folder has beyond it that went on by itself', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const a = join(folder, 'a');
      const one = await open({ cluster, directory: a });
      for (const text of ['1', '2']) await one.log.append(note(text));
      await one.close();
      const clock = { nowMs: () => 2_000 };
      const alone = await FileJournal.open({ directory: a, clock });
      noteAlone(`${a}-of`, alone.lastSeq + 1);
      for (const text of ['3', '4']) await alone.append(note(text));
      await alone.close();
      await expect(open({ cluster, directory: a })).rejects.toThrow(
        'this folder is not a copy of this stream: they differ from block 3 on',
      );
      // Without a word of where it has them from they may have been acknowledged.
      await rm(`${a}-of`, { recursive: true });
      const unknown = await open({ cluster, directory: a });
      expect(unknown.lost).toMatchObject([{ name: 'StreamLostError', from: 3, to: 4 }]);
      await unknown.close();
    }));

  test('is noticed by who reads it', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      let isAway = false;
      const one = await open({
        cluster,
        directory: join(folder, 'a'),
        wrap: (stream) => {
          const end = stream.end.bind(stream);
          // What it would notice by asking how far the stream goes.
          stream.end = () => (isAway ? Promise.reject(new Error('no answer')) : end());
          return stream;
        },
      });
      for (const text of ['1', '2', '3']) await one.log.append(note(text));
      const b = await crashImage(join(folder, 'a'));
      isAway = true;
      await cutStream({ cluster, url: nats.urls[0]! }, 2);
      const other = await open({ cluster, directory: join(folder, 'c') });
      for (const text of ['x', 'y', 'z']) await other.log.append(note(text));
      await expect.poll(() => one.lost.length, { timeout: 20_000 }).toBe(1);
      expect(one.lost).toMatchObject([{ name: 'StreamReplacedError' }]);
      isAway = false;
      await expect.poll(() => one.log.replaced?.from, { timeout: 20_000 }).toBe(2);
      expect(one.entries.map(noted)).toEqual(['1', '2', '3']);
      for (const each of [one, other]) await each.close();
      // A copy of the folder alone is of nobody knows what.
      await expect(open({ cluster, directory: b })).rejects.toThrow('they differ from block 2 on');
    }));

  test('is not begun by who has heard of them, though servers and others have forgotten it', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const [a, b] = [join(folder, 'a'), join(folder, 'b')];
      const one = await open({ cluster, directory: a });
      await one.log.append(note('1'));
      const other = await open({
        cluster,
        directory: b,
        known: () => ({ replica: 'a', height: one.log.lastSeq }),
      });
      const early = await crashImage(b);
      for (const text of ['2', '3']) await one.log.append(note(text));
      await all(other, 3);
      const known = () => new FollowedStream(`${b}-of`).knownIn(undefined);
      await expect.poll(known, { timeout: 10_000 }).toEqual({ replica: 'a', height: 3 });
      for (const each of [one, other]) await each.close();
      await cutStream({ cluster, url: nats.urls[0]! }, 2);
      // With a copy that ends before them, as of one that was frozen when they came.
      await cp(`${b}-of`, `${early}-of`, { recursive: true });
      const back = await open({ cluster, directory: early });
      expect(back.lost).toMatchObject([{ name: 'StreamLostError', from: 2, to: 3 }]);
      await expect(back.log.append(note('x'))).rejects.toThrow(
        'the stream lost blocks 2 to 3, which replica a has told of: it ends at 1',
      );
      await back.close();
    }));
});

test('what is remembered of a stream is of that one alone, and what can not be read says nothing', () =>
  inDirectory(async (folder) => {
    const followed = new FollowedStream(folder);
    followed.note({ replica: 'a', height: 5 });
    expect(followed.knownIn(undefined)).toBeUndefined();
    followed.follow('first');
    followed.note({ replica: 'a', height: 5 });
    await followed.close();
    followed.note({ replica: 'b', height: 4 });
    await followed.close();
    const again = new FollowedStream(folder);
    expect(again.era).toBe('first');
    expect(again.knownIn('first')).toEqual({ replica: 'a', height: 5 });
    expect(again.knownIn('second')).toBeUndefined();
    again.follow('second');
    expect(new FollowedStream(folder).knownIn(undefined)).toBeUndefined();
    await writeFile(join(folder, 'followed-stream.json'), '{"era": 7');
    expect(new FollowedStream(folder).era).toBeUndefined();
  }));
