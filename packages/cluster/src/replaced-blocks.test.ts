import { randomUUID } from 'node:crypto';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { FileJournal } from '@oddlot/replica/log/file-journal';
import { crashImage } from '@oddlot/testing/venue/journal';
import { cutStream } from '@oddlot/testing/venue/nats/cut-stream';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import {
  all,
  type LoggedReplica,
  note,
  noted,
  openClusterLog,
  openTestStream,
} from '@oddlot/testing/venue/nats/open-cluster-log';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import { FollowedStream, type KnownBlock, noteStandalone } from './followed-stream.ts';
import { restoreStream, compareWithCopy } from './agree-on-stream.ts';

const nats = withNatsServer();

type Options = Omit<Parameters<typeof openClusterLog>[0], 'urls'>;

const open = (options: Options): Promise<LoggedReplica> =>
  openClusterLog({ ...options, urls: nats.urls });

/** Restores a stream from the folder of a replica, as an operator would. */
async function restoreFrom(directory: string, cluster: string, giveUpFrom?: number): Promise<void> {
  const journal = await FileJournal.open({ directory, clock: { nowMs: () => 1_000 } });
  const stream = await openTestStream(nats.urls, cluster);
  const reopen = () => openTestStream(nats.urls, cluster);
  const parts = { journal, stream, reopen, serviceNetwork: 'Test', nowMs: 1_000 };
  const followedEra = new FollowedStream(`${directory}-of`).era;
  await restoreStream({ ...parts, followedEra, giveUpFrom });
  await journal.close();
}

describe.skipIf(!hasNatsServer)(
  'a stream that has lost blocks and contains others in their place',
  () => {
    test('the replica with the lost blocks detects the replacement, and notified replicas accept no more requests', () =>
      inDirectory(async (folder) => {
        const cluster = randomUUID();
        const [a, b] = [join(folder, 'a'), join(folder, 'b')];
        const one = await open({ cluster, directory: a });
        for (const text of ['1', '2']) await one.log.append(note(text));
        await (await open({ cluster, directory: b })).close();
        for (const text of ['3', '4']) await one.log.append(note(text));
        await one.close();
        // The servers return without the last two blocks, and the replica that had read them is
        // unavailable.
        await cutStream({ cluster, url: nats.urls[0]! }, 3);
        let known: KnownBlock | undefined;
        const other = await open({ cluster, directory: b, known: () => known });
        for (const text of ['x', 'y', 'z']) await other.log.append(note(text));
        const back = await open({ cluster, directory: a });
        expect(back.lost).toMatchObject([{ name: 'StreamReplacedError', from: 3, to: 4 }]);
        expect(back.log.replaced).toMatchObject({
          from: 3,
          era: new FollowedStream(`${b}-of`).era,
        });
        expect(back.entries.map(noted)).toEqual(['1', '2', '3', '4']);
        await expect(back.log.append(note('5'))).rejects.toThrow(
          'The stream lost blocks 3 to 4, which this replica has: the stream contains different blocks in their place',
        );
        expect(other.log.replaced).toBeUndefined();
        known = { replica: 'a', height: 4, replacedFrom: 3 };
        await expect.poll(() => other.lost.length, { timeout: 10_000 }).toBe(1);
        await expect(other.log.append(note('w'))).rejects.toThrow(
          'The stream lost blocks 3 to 4, which replica a reported: the stream contains different blocks in their place',
        );
        known = undefined;
        await expect.poll(() => other.log.trouble(), { timeout: 10_000 }).toBeUndefined();
        await other.log.append(note('w'));
        for (const each of [back, other]) await each.close();
        // No replica lacks the blocks that were added by a separate venue.
        noteStandalone(`${a}-of`, 3);
        await expect(open({ cluster, directory: a })).rejects.toThrow(
          'This folder is not a copy of the stream: the blocks differ starting with block 3',
        );
      }));

    test('a replacement is also detected after a restore, unless the blocks were discarded in the restore', () =>
      inDirectory(async (folder) => {
        const cluster = randomUUID();
        const [a, b] = [join(folder, 'a'), join(folder, 'b')];
        const one = await open({ cluster, directory: a });
        await one.log.append(note('1'));
        await (await open({ cluster, directory: b })).close();
        for (const text of ['2', '3']) await one.log.append(note(text));
        await one.close();
        const { era } = new FollowedStream(`${b}-of`);
        // The stream is lost, no running replica has a record of the last blocks, and the shorter
        // copy is used.
        const stream = await openTestStream(nats.urls, cluster);
        await stream.remove();
        await stream.close();
        await restoreFrom(b, cluster);
        const other = await open({ cluster, directory: b });
        for (const text of ['x', 'y', 'z']) await other.log.append(note(text));
        await other.close();
        const back = await open({ cluster, directory: a });
        expect(back.lost).toMatchObject([{ name: 'StreamReplacedError', from: 2, to: 3 }]);
        // The report names the stream followed by the other replicas.
        expect(back.log.replaced?.era).toBe(new FollowedStream(`${b}-of`).era);
        expect(back.log.replaced?.era).not.toBe(era);
        await back.close();
        await restoreFrom(b, cluster, 2);
        await expect(open({ cluster, directory: a })).rejects.toThrow(
          'the blocks differ starting with block 2',
        );
        const restarted = await open({ cluster, directory: b });
        expect(restarted.entries.map(noted)).toEqual(['1', 'x', 'y', 'z']);
        expect(restarted.lost).toEqual([]);
        await restarted.close();
      }));

    test('blocks added to a folder by a separate venue do not count as replaced', () =>
      inDirectory(async (folder) => {
        const cluster = randomUUID();
        const a = join(folder, 'a');
        const one = await open({ cluster, directory: a });
        for (const text of ['1', '2']) await one.log.append(note(text));
        await one.close();
        const clock = { nowMs: () => 2_000 };
        const standalone = await FileJournal.open({ directory: a, clock });
        noteStandalone(`${a}-of`, standalone.lastSeq + 1);
        for (const text of ['3', '4']) await standalone.append(note(text));
        await standalone.close();
        await expect(open({ cluster, directory: a })).rejects.toThrow(
          'This folder is not a copy of the stream: the blocks differ starting with block 3',
        );
        // Without a record of their source, the blocks may have been acknowledged.
        await rm(`${a}-of`, { recursive: true });
        const unknown = await open({ cluster, directory: a });
        expect(unknown.lost).toMatchObject([{ name: 'StreamLostError', from: 3, to: 4 }]);
        await unknown.close();
      }));

    test('a replica detects a replacement while reading the stream', () =>
      inDirectory(async (folder) => {
        const cluster = randomUUID();
        let isAway = false;
        const one = await open({
          cluster,
          directory: join(folder, 'a'),
          wrap: (stream) => {
            const end = stream.end.bind(stream);
            // Without this, the replica would detect the replacement by querying the end of the
            // stream.
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
        expect(one.lost).toMatchObject([{ name: 'StreamDisputedError' }]);
        isAway = false;
        await expect.poll(() => one.log.replaced?.from, { timeout: 20_000 }).toBe(2);
        expect(one.entries.map(noted)).toEqual(['1', '2', '3']);
        for (const each of [one, other]) await each.close();
        // The copied folder has no record of the stream that its blocks are from.
        await expect(open({ cluster, directory: b })).rejects.toThrow(
          'the blocks differ starting with block 2',
        );
      }));

    /**
     * Returns a replica that has read three blocks, of which the servers have lost the last one and
     * accepted a different one. Its client automatically resumes after that position, so for a
     * while the replica assumes that the old block is still there.
     */
    async function misled(folder: string, rest: Partial<Options> = {}) {
      const cluster = randomUUID();
      const a = join(folder, 'a');
      const before = await open({ cluster, directory: a });
      for (const text of ['1', '2', '3']) await before.log.append(note(text));
      await before.close();
      const whole = await openTestStream(nats.urls, cluster);
      const old = (await whole.messageAt(4))!;
      await whole.close();
      await cutStream({ cluster, url: nats.urls[0]! }, 3);
      const other = await open({ cluster, directory: join(folder, 'b') });
      await other.log.append(note('x'));
      let isDeceived = true;
      const one = await open({
        cluster,
        directory: a,
        ...rest,
        wrap: (stream) => {
          const real = stream.messageAt.bind(stream);
          stream.messageAt = async (place) => (isDeceived && place === 4 ? old : real(place));
          return rest.wrap?.(stream) ?? stream;
        },
      });
      expect(one.lost).toEqual([]);
      return { cluster, one, other, reveal: () => void (isDeceived = false) };
    }

    test('a replica that continued after a replaced block detects the replacement at the next block', () =>
      inDirectory(async (folder) => {
        const { one, other, reveal } = await misled(folder);
        await other.log.append(note('y'));
        await expect.poll(() => one.lost.length, { timeout: 10_000 }).toBe(1);
        expect(one.lost).toMatchObject([{ name: 'StreamDisputedError', from: 1, to: 3 }]);
        expect(one.log.disputed?.blocks).toEqual({ from: 1, to: 3 });
        reveal();
        await expect.poll(() => one.log.replaced?.from, { timeout: 10_000 }).toBe(3);
        await expect(one.log.append(note('4'))).rejects.toThrow(
          'The stream lost blocks 3 to 3, which this replica has: the stream contains different blocks in their place',
        );
        expect(one.entries.map(noted)).toEqual(['1', '2', '3']);
        expect(other.lost).toEqual([]);
        for (const each of [one, other]) await each.close();
      }));

    test('all readers of a block detect that its proposer had read other blocks, until an operator decides', () =>
      inDirectory(async (folder) => {
        const reports: KnownBlock[] = [];
        const known = (): KnownBlock | undefined => reports.at(-1);
        const { cluster, one, other, reveal } = await misled(folder, { known });
        await one.log.append(note('4'));
        await expect.poll(() => other.lost.length, { timeout: 10_000 }).toBe(1);
        expect(one.lost).toEqual([]);
        reveal();
        // The remembered height is greater than that of the replica that has stopped.
        reports.push({ replica: 'a', height: 4 });
        const rememberedHeight = () =>
          new FollowedStream(`${join(folder, 'a')}-of`).knownIn(undefined)?.height;
        await expect.poll(rememberedHeight, { timeout: 10_000 }).toBe(4);
        // The replica with the other blocks learns of the dispute from those that detected it.
        reports.push({ replica: 'b', height: 3, disputed: other.log.disputed?.blocks });
        await expect.poll(() => one.log.replaced?.from, { timeout: 10_000 }).toBe(3);
        const third = await open({ cluster, directory: join(folder, 'c') });
        for (const each of [other, third]) {
          await expect.poll(() => each.log.trouble()?.kind, { timeout: 10_000 }).toBe('lost');
          await expect(each.log.append(note('w'))).rejects.toThrow(
            'The stream lost blocks 1 to 3, which another replica has read, at least in part: the stream contains different blocks in their place',
          );
          expect(each.entries.map(noted)).toEqual(['1', '2', 'x']);
          expect(each.log.replaced).toBeUndefined();
        }
        for (const each of [one, other, third]) await each.close();
        // A restarted replica also detects the dispute.
        const again = await open({ cluster, directory: join(folder, 'b') });
        await expect.poll(() => again.lost.length, { timeout: 10_000 }).toBe(1);
        await again.close();
        // An operator copies the stream's blocks into this folder and decides that they are valid.
        const fetched = await open({ cluster, directory: join(folder, 'b'), readsAsItIs: true });
        expect(fetched.entries.map(noted)).toEqual(['1', '2', 'x', '4']);
        expect(fetched.lost).toEqual([]);
        await fetched.close();
        await restoreFrom(join(folder, 'b'), cluster, 3);
        const settled = await open({ cluster, directory: join(folder, 'b') });
        await settled.log.append(note('y'));
        expect(settled.entries.map(noted)).toEqual(['1', '2', 'x', '4', 'y']);
        expect(settled.lost).toEqual([]);
        await settled.close();
      }));

    test('a replica detects a replacement when it starts, even though the newest blocks match again', () =>
      inDirectory(async (folder) => {
        // Reads like a release that does not evaluate the read positions in blocks.
        const wrap: Options['wrap'] = (stream) => {
          const follow = stream.follow.bind(stream);
          stream.follow = (place, { take, ...rest }) =>
            follow(place, {
              ...rest,
              take: ({ readPosition: _readPosition, ...message }) => take(message),
            });
          return stream;
        };
        const { cluster, one, other } = await misled(folder, { wrap });
        await other.log.append(note('y'));
        await all(one, 4);
        await one.close();
        const back = await open({ cluster, directory: join(folder, 'a') });
        expect(back.lost).toMatchObject([{ name: 'StreamReplacedError', from: 3, to: 4 }]);
        for (const each of [back, other]) await each.close();
        // An operator command finds the difference, because replicas have reported which blocks to
        // compare.
        const clock = { nowMs: () => 1_000 };
        const journal = await FileJournal.open({ directory: join(folder, 'a'), clock });
        const stream = await openTestStream(nats.urls, cluster);
        const parts = { journal, stream, serviceNetwork: 'Test', nowMs: 1_000 };
        const doubted = { from: 1, to: 4 };
        expect(await compareWithCopy({ ...parts, doubted })).toEqual({ kind: 'forked', from: 3 });
        await stream.close();
        await journal.close();
        await restoreFrom(join(folder, 'b'), cluster, 3);
        await expect(open({ cluster, directory: join(folder, 'a') })).rejects.toThrow(
          'This folder is not a copy of the stream: the blocks differ starting with block 3',
        );
        const settled = await open({ cluster, directory: join(folder, 'b') });
        expect(settled.lost).toEqual([]);
        await settled.close();
      }));

    test('a replica does not follow a stream that lacks blocks in its record, even if servers and other replicas have forgotten them', () =>
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
        // The copy ends before the lost blocks, like the copy of a replica that was frozen when
        // they arrived.
        await cp(`${b}-of`, `${early}-of`, { recursive: true });
        const back = await open({ cluster, directory: early });
        expect(back.lost).toMatchObject([{ name: 'StreamLostError', from: 2, to: 3 }]);
        await expect(back.log.append(note('x'))).rejects.toThrow(
          'The stream lost blocks 2 to 3, which replica a reported: the stream ends at block 1',
        );
        await back.close();
      }));
  },
);

test('the known block is remembered for one stream only, and an unreadable record is ignored', () =>
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
