import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from '@oddlot/units';
import { afterAll, describe, expect, test } from 'vitest';
import { SEGMENT_HEADER_BYTES } from '@oddlot/replica/log/journal-format';
import { ReplicaDivergedError } from '@oddlot/replica/replica';
import {
  alice,
  AMOUNTS,
  amounts,
  indexedVenues,
  bob,
  credit,
  microOf,
  WAIT,
  upTo,
} from '@oddlot/testing/venue/indexed-ledger';
import { temporaryFolder } from '@oddlot/testing/venue/indexed-venue';
import { HistoryBehindError, type WatchedRows } from '../history.ts';
import { BLOCK_WAIT_MS } from './indexer.ts';
import { decodeSnapshot } from '@oddlot/replica/snapshot-codec';

const venues = indexedVenues();
const { start, stop } = venues;

describe('the indexer stores and serves the rows of the history', () => {
  test('the rows of an action are available after its execution has been reported', async () => {
    const venue = await start();
    for (let amount = 1; amount <= 30; amount += 1) {
      await venue.propose(credit(amount));
      const { answer, asOf } = await venue.indexer.ask('ledger', AMOUNTS);
      expect(answer.rows).toHaveLength(amount);
      expect(asOf.height).toBe(venue.replica.head.height);
      expect(asOf.timeMs).toBe(venue.replica.head.timeMs);
    }
    expect(await amounts(venue)).toEqual(upTo(30));
    expect(venue.failures).toEqual([]);
  });

  test('a query waits for its minimum height and fails if the height is not reached in time', async () => {
    const venue = await start();
    const { indexer, replica } = venue;
    const minHeight = replica.head.height + 1;
    const waiting = indexer.ask('ledger', AMOUNTS, { minHeight });
    await venue.propose(credit(1));
    expect((await waiting).answer.rows).toHaveLength(1);
    const asked = indexer.ask('ledger', AMOUNTS, { minHeight: minHeight + 1 });
    await expect(asked).rejects.toThrow(HistoryBehindError);
  });

  test('a query waits for its block as long as the venue is configured to', async () => {
    const { indexer, replica } = await start({ indexer: { blockWaitMs: 1 } });
    const minHeight = replica.head.height + 1;
    const startedMs = performance.now();
    const asked = indexer.ask('ledger', AMOUNTS, { minHeight });
    await expect(asked).rejects.toThrow(HistoryBehindError);
    expect(performance.now() - startedMs).toBeLessThan(BLOCK_WAIT_MS);
  });

  test('the venue stops if the state differs between its two threads (R-determinism)', async () => {
    const venue = await start();
    await venue.propose(credit(1));
    await amounts(venue);
    await expect.poll(() => venue.indexer.stats.compared, WAIT).toBeGreaterThan(0);
    expect(venue.failures).toEqual([]);
    await venue.propose(credit(2));
    // Reports a state hash that differs from the one the indexer computes.
    venue.indexer.follow({ ...venue.replica.head, stateHash: hash(`0x${'1'.repeat(64)}`) });
    await expect.poll(() => venue.failures, WAIT).toHaveLength(1);
    expect(venue.failures[0]).toBeInstanceOf(ReplicaDivergedError);
  });

  test('watchers receive later rows once and in order, and responses include the earlier rows', async () => {
    const venue = await start();
    const reported: [height: number, amounts: number[]][] = [];
    const onRows = (height: number, rows: WatchedRows['ledger']): void => {
      const of = rows.map(({ row }) => microOf(row.delta));
      reported.push([height, of]);
    };
    await venue.propose(credit(1));
    const end = venue.indexer.watch(alice, 'ledger', { onRows });
    const { answer, asOf } = await venue.indexer.ask('ledger', AMOUNTS);
    expect(answer.rows).toHaveLength(1);
    const { replica } = venue;
    await Promise.all([2, 3, 4].map((amount) => replica.propose(credit(amount))));
    await venue.propose(credit(5, bob), credit(6));
    await amounts(venue);
    const later = reported.filter(([height]) => height > asOf.height);
    expect(later.flatMap(([, of]) => of)).toEqual([2, 3, 4, 6]);
    expect(later.map(([height]) => height)).toEqual(
      later.map(([height]) => height).toSorted((a, b) => a - b),
    );
    end();
    await venue.propose(credit(7));
    await amounts(venue);
    expect(reported.at(-1)?.[1]).toEqual([6]);
  });

  test('after a crash, the rows continue with the log, and no row is stored twice', async () => {
    let venue = await start();
    for (const amount of upTo(10)) await venue.propose(credit(amount));
    await stop(venue, 'crash');
    venue = await start();
    expect(await amounts(venue)).toEqual(upTo(10));
    await venue.propose(credit(11));
    await stop(venue);
    venue = await start();
    await venue.propose(credit(12));
    expect(venue.snapshotHeight).toBeGreaterThan(10);
    expect(await amounts(venue)).toEqual(upTo(12));
    expect(venue.messages).toEqual([]);
  });

  test('the indexer accepts queries, blocks and a request to stop before it follows the log', async () => {
    let venue = await start({ settings: { snapshotEveryBlocks: 5 } });
    for (const amount of upTo(12)) await venue.propose(credit(amount));
    await stop(venue, 'crash');
    venue = await start({ isEarly: true });
    const early = amounts(venue);
    await venue.propose(credit(13));
    expect((await early).slice(0, 12)).toEqual(upTo(12));
    expect(await amounts(venue)).toEqual(upTo(13));
    await stop(venue);
    await stop(await start({ isEarly: true }));
    venue = await start();
    expect(await amounts(venue)).toEqual(upTo(13));
    expect(venue.failures).toEqual([]);
  });
});

describe('protection of the files in a data folder', () => {
  test('only the owner can read the files in the data folder, regardless of the umask', async () => {
    const venue = await start();
    for (const amount of upTo(5)) await venue.propose(credit(amount));
    await venue.indexer.snapshot();
    const entries = await readdir(venues.folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const { name, parentPath } of files) {
      expect((await stat(join(parentPath, name))).mode & 0o777, name).toBe(0o600);
    }
  });
});

describe('the indexer writes snapshots', () => {
  test("the indexer's snapshots equal the main thread's", async () => {
    const venue = await start();
    for (const amount of upTo(5)) await venue.propose(credit(amount));
    const own = venue.replica.payload();
    await stop(venue);
    const newest = await venue.snapshots.newestValid();
    const payload = decodeSnapshot(newest!.payload);
    expect(payload.head).toEqual(own.head);
    expect(payload.heads).toEqual(own.heads);
    const { orders, ...rest } = payload.state;
    const { orders: ownOrders, ...ownRest } = own.state;
    expect([...orders]).toEqual([...ownOrders]);
    expect(rest).toEqual(JSON.parse(JSON.stringify(ownRest)));
    expect(payload.companions).toMatchObject(JSON.parse(JSON.stringify(own.companions)));
    expect(Object.keys(payload.companions)).toContain('history');
  });

  test('a requested snapshot is of the block current at the time of the request', async () => {
    const venue = await start();
    for (const amount of upTo(5)) await venue.propose(credit(amount));
    const { height } = venue.replica.head;
    const heights = await Promise.all([venue.indexer.snapshot(), venue.indexer.snapshot()]);
    expect(heights).toEqual([height, height]);
    expect((await venue.snapshots.list()).map((each) => each.height)).toEqual([height]);
    await venue.propose(credit(6));
    expect(await venue.indexer.snapshot()).toBe(height + 1);
    await stop(venue);
    await expect(venue.indexer.snapshot()).rejects.toThrow('the venue is stopping');
  });

  test('snapshots are written every few blocks, and the log before the oldest snapshot is not needed', async () => {
    const needed: number[] = [];
    const venue = await start({
      settings: { snapshotEveryBlocks: 10 },
      indexer: { onSnapshot: ({ neededFrom }) => needed.push(neededFrom) },
    });
    for (const amount of upTo(60)) {
      await venue.propose(credit(amount));
      if (amount % 10 === 0) await amounts(venue);
    }
    await expect.poll(() => needed.length, WAIT).toBeGreaterThanOrEqual(4);
    const heights = (await venue.snapshots.list()).map(({ height }) => height);
    expect(heights).toHaveLength(3);
    await expect.poll(() => needed.at(-1), WAIT).toBe(heights.at(-1)! + 1);
  });

  test('a snapshot that could not be written is retried later', async () => {
    let nowMs = 1_767_225_600_000;
    const venue = await start({
      clock: { nowMs: () => (nowMs += 1) },
      settings: { snapshotEveryBlocks: 2 },
    });
    const directory = join(venues.folder, 'snapshots');
    await writeFile(directory, 'in the way');
    for (const amount of upTo(10)) await venue.propose(credit(amount));
    await expect.poll(() => venue.messages, WAIT).toEqual(['snapshotFailed']);
    await venue.propose(credit(11));
    await amounts(venue);
    await rm(directory);
    nowMs += 30_000;
    await venue.propose(credit(12));
    await expect.poll(() => readdir(directory).catch(() => []), WAIT).toHaveLength(1);
    await expect.poll(() => venue.messages, WAIT).toEqual(['snapshotFailed', 'snapshot']);
    expect(venue.failures).toEqual([]);
  });

  test('R-disk: neither snapshots nor rows are written while the disk is full', async () => {
    let hasSpace = false;
    const venue = await start({
      settings: { snapshotEveryBlocks: 5 },
      indexer: { hasSpace: () => hasSpace },
    });
    for (const amount of upTo(20)) await venue.propose(credit(amount));
    const without = await venue.indexer.ask('ledger', AMOUNTS, { minHeight: 0 });
    expect(without.asOf.height).toBeLessThan(3);
    await expect.poll(() => venue.indexer.stats.lag, WAIT).toBe(0);
    expect(venue.messages).toEqual([]);
    hasSpace = true;
    await venue.propose(credit(21));
    await expect.poll(() => amounts(venue), WAIT).toEqual(upTo(21));
    await expect.poll(() => venue.messages, WAIT).toEqual(['snapshot']);
  });
});

describe('rebuilding a lost history', () => {
  const settings = { snapshotEveryBlocks: 20, shortBlocks: 25 } as const;

  /**
   * A folder with a log of 100 blocks, with snapshots and without a store. Created once and copied
   * for each test.
   */
  let savedFolder: { readonly folder: string; readonly remove: () => Promise<void> } | undefined;
  afterAll(() => savedFolder?.remove());

  async function lost(): Promise<void> {
    if (savedFolder === undefined) {
      const venue = await start({ settings });
      for (const amount of upTo(100)) await venue.propose(credit(amount));
      await stop(venue);
      await venues.loseStore();
      savedFolder = await temporaryFolder();
      await cp(venues.folder, savedFolder.folder, { recursive: true });
    } else await cp(savedFolder.folder, venues.folder, { recursive: true });
  }

  test('a lost history is recomputed by a second thread, which then takes over the snapshots', async () => {
    await lost();
    const venue = await start({ settings });
    expect(venue.snapshotHeight).toBeGreaterThan(100);
    await expect.poll(() => venue.messages, WAIT).toContain('rebuilt');
    expect(await amounts(venue)).toEqual(upTo(100));
    expect(venue.indexer.stats.missing).toBe(0);
    for (let amount = 101; amount <= 130; amount += 1) await venue.propose(credit(amount));
    await expect.poll(() => venue.messages, WAIT).toContain('snapshot');
    expect(await amounts(venue)).toEqual(upTo(130));
    await stop(venue);
    const again = await start({ settings });
    expect(await amounts(again)).toEqual(upTo(130));
    expect(again.messages).toEqual([]);
  });

  test('queries that arrive before the loss is detected are served by the thread that recomputes the history', async () => {
    await lost();
    const venue = await start({ settings, isEarly: true });
    const early = amounts(venue);
    await expect.poll(() => venue.messages, WAIT).toContain('rebuilt');
    expect(await early).toEqual(upTo(100));
    expect(await amounts(venue)).toEqual(upTo(100));
  });

  test('during recomputation, a response is complete or is not given, and no receipt is reported as unknown', async () => {
    await lost();
    let hasSpace = false;
    const venue = await start({ settings, indexer: { hasSpace: () => hasSpace }, isEarly: true });
    // Rows are created but cannot be stored, so the history does not reach the head.
    await venue.propose(credit(101));
    await expect.poll(() => venue.messages, WAIT).toContain('rebuild');
    await expect(amounts(venue)).rejects.toThrow(HistoryBehindError);
    const sums = venue.indexer.ask('accountSums', { user: alice }, { minHeight: 0 });
    await expect(sums).rejects.toThrow(HistoryBehindError);
    const key = { by: 'txHash', txHash: hash(`0x${'1'.repeat(64)}`) } as const;
    await expect(venue.receipts.findForSure(key)).rejects.toThrow(HistoryBehindError);
    expect(venue.indexer.trouble).toContain('being recomputed');
    hasSpace = true;
    await venue.propose(credit(102));
    await expect.poll(() => venue.messages, WAIT).toContain('rebuilt');
    expect(await amounts(venue)).toEqual(upTo(102));
    expect(await venue.receipts.findForSure(key)).toBeUndefined();
    expect(venue.indexer.trouble).toBeUndefined();
  });

  test('stopping during recomputation loses no rows', async () => {
    await lost();
    await stop(await start({ settings, isEarly: true }));
    await stop(await start({ settings }));
    const venue = await start({ settings });
    await expect.poll(() => amounts(venue), WAIT).toEqual(upTo(100));
    expect(venue.failures).toEqual([]);
  });

  test('a lost history is recomputed immediately if the log is short', async () => {
    await lost();
    const venue = await start();
    expect(await amounts(venue)).toEqual(upTo(100));
    await expect.poll(() => venue.messages, WAIT).toEqual(['rebuild', 'rebuilt']);
    await stop(venue);
    expect((await start()).messages).toEqual([]);
  });

  test('a shutdown waits only a limited time for recomputation, which continues on the next startup', async () => {
    await lost();
    const hurried = await start({ isEarly: true, settings: { catchUpMs: 0 } });
    await stop(hurried);
    expect(hurried.indexer.storedHeight).toBeLessThan(hurried.replica.head.height);
    const venue = await start();
    await expect.poll(() => amounts(venue), WAIT).toEqual(upTo(100));
    expect([...hurried.failures, ...venue.failures]).toEqual([]);
  });

  /** Small segments make it possible to delete or damage the first entries of the log. */
  const SMALL = { segmentBytes: 5_000 } as const;

  test('a lost history is recomputed from the oldest snapshot if the first block is no longer in the log', async () => {
    const before = await start({ ...SMALL, settings });
    for (const amount of upTo(200)) {
      await before.propose(credit(amount));
      if (amount % 10 === 0) await amounts(before);
    }
    const saved = await before.snapshots.list();
    const oldest = Math.min(...saved.map(({ height }) => height));
    await before.journal.compact({ belowSeq: oldest + 1, dropBeforeMs: Infinity });
    await stop(before);
    await venues.loseStore();
    const venue = await start({ ...SMALL, settings });
    expect(venue.journal.firstSeq).toBeGreaterThan(1);
    const bases = (await venue.snapshots.list()).map(({ height }) => height);
    const base = Math.min(...bases.filter((height) => height >= venue.journal.firstSeq - 1));
    await expect.poll(() => venue.messages, WAIT).toEqual(['rebuild', 'rebuilt']);
    await venue.propose(credit(201));
    // Block 1 contains no deposit.
    expect(await amounts(venue)).toEqual(upTo(201).slice(base - 1));
    expect(venue.failures).toEqual([]);
    await stop(venue);
    const again = await start({ ...SMALL, settings });
    expect(await amounts(again)).toEqual(upTo(201).slice(base - 1));
    expect(again.messages).toEqual([]);
    // The responses state the first block with rows, because earlier rows are missing.
    for (const { indexer } of [venue, again]) {
      expect(indexer.asOf.since).toMatchObject({ height: base + 1 });
    }
  });

  test('a lost history that cannot be recomputed is reported and does not stop trading', async () => {
    const before = await start({ ...SMALL, settings });
    for (const amount of upTo(200)) await before.propose(credit(amount));
    await stop(before);
    await venues.loseStore();
    const journal = join(venues.folder, 'journal');
    const [, , old = ''] = (await readdir(journal)).toSorted();
    const bytes = await readFile(join(journal, old));
    // These bytes are inside the first entry of the segment.
    bytes.fill(0xff, SEGMENT_HEADER_BYTES + 40, SEGMENT_HEADER_BYTES + 48);
    await writeFile(join(journal, old), bytes);
    const failed: unknown[] = [];
    const venue = await start({
      ...SMALL,
      settings,
      indexer: { onRebuildFailed: (error) => failed.push(error) },
    });
    await expect.poll(() => failed, WAIT).toHaveLength(1);
    expect(String(failed[0])).toContain(old);
    expect(venue.indexer.isLost).toBe(true);
    await expect(amounts(venue)).rejects.toThrow('the history cannot be recomputed');
    const { accounts } = venue.replica.state;
    const balance = accounts.at(-1)?.perpBalance ?? 0n;
    for (const amount of upTo(30)) await venue.propose(credit(amount));
    expect(accounts.at(-1)?.perpBalance).toBe(balance + 465n);
    // The receipt of this request existed only in the lost history.
    const txHash = hash(`0x${'1'.repeat(64)}`);
    expect(await venue.receipts.find({ by: 'txHash', txHash })).toBeUndefined();
    await expect.poll(() => venue.messages, WAIT).toContain('snapshot');
    expect(venue.failures).toEqual([]);
  });
});
