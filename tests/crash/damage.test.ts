import { cp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Actor, cloidOf, fund, order } from '../support/actors.ts';
import { Client, eventually, type Json } from '../support/client.ts';
import { readMarket, type Market } from '../support/market.ts';
import {
  FIXED_PRICE_FLAGS,
  removeTemporaryData,
  temporaryData,
  Venue,
  VenueRun,
} from '../support/venue-process.ts';
import { keyOf, type Signed } from '../support/wallet.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';

/**
 * Goal: the venue repairs what a crash leaves behind, rejects damaged files, and loses no
 * acknowledged action in either case. Method: a killed venue's files are cut, overwritten or
 * changed, as by a torn write or a bad disk, before the venue starts on them. The test assumes only
 * the names of the files, and that a journal is written from front to back and followed by zeros.
 */

const SEED = freshSeed('CRASH_SEED');
const random = seededRandom(SEED);

const WITHOUT_SNAPSHOTS = [...FIXED_PRICE_FLAGS, '--snapshot-every-blocks', '1000000'];
const WITH_SNAPSHOTS = [...FIXED_PRICE_FLAGS, '--snapshot-every-blocks', '4'];

type Placed = { readonly signed: Signed; readonly reply: Json };

let market: Market;
const venues: Venue[] = [];
const alice = new Actor('alice', keyOf('alice of the damage'), () => client);
let client: Client;

afterAll(async () => {
  for (const venue of venues) await venue.kill();
  await removeTemporaryData();
});

async function started(data: string, flags: readonly string[]): Promise<Venue> {
  const venue = await Venue.start(flags, data);
  venues.push(venue);
  client = new Client(venue.url);
  return venue;
}

/** Places a batch of three resting orders and stores the reply. */
async function place(label: string): Promise<Placed> {
  const orders = [0, 1, 2].map((index) =>
    order({
      market,
      side: 'buy',
      price: market.ticks(market.at(-2000), -index),
      size: market.worth(20),
      cloid: cloidOf(`${label} ${index}`),
    }),
  );
  const signed = await alice.sign({ type: 'order', grouping: 'na', orders });
  const { json, text } = await client.executed(signed);
  expect(json, text).toMatchObject({ status: 'ok', data: { data: { statuses: ['success'] } } });
  return { signed, reply: json };
}

/**
 * Checks that all acknowledged actions exist: there are receipts with the same results, and orders
 * with the same ids.
 */
async function expectAll(acknowledged: readonly Placed[]): Promise<void> {
  const open = new Set((await alice.openOrders()).map((row) => row.oid));
  for (const { signed, reply } of acknowledged) {
    const receipt = await client.data({ type: 'actionStatus', txHash: signed.txHash });
    expect(receipt).toMatchObject({ status: 'executed', block: { height: reply.height } });
    for (const entry of reply.data.data.orders) expect(open.has(entry.oid)).toBe(true);
    const again = await client.executed(signed);
    expect(again.json).toEqual(reply);
  }
  expect((await alice.openOrders()).length).toBe(open.size);
}

async function copyOf(data: string): Promise<string> {
  const copy = await temporaryData();
  await cp(data, copy, { recursive: true });
  return copy;
}

/** Returns the path and the bytes of the newest journal file, and where the written bytes end. */
async function journalOf(data: string): Promise<{ path: string; bytes: Buffer; end: number }> {
  const folder = join(data, 'journal');
  const names = (await readdir(folder)).filter((name) => /^journal-.*\.log$/.test(name)).toSorted();
  const path = join(folder, names.at(-1)!);
  const bytes = await readFile(path);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return { path, bytes, end };
}

async function snapshotsOf(data: string): Promise<string[]> {
  const folder = join(data, 'snapshots');
  const names = (await readdir(folder)).filter((name) => /^snapshot-.*\.bin$/.test(name));
  return names.toSorted().map((name) => join(folder, name));
}

async function overwrite(path: string, bytes: Uint8Array, at: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, at);
  await file.close();
}

async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  await overwrite(path, new Uint8Array([bytes[at]! ^ (1 << random.below(8))]), at);
}

/**
 * Starts a venue that must exit with a message before it serves requests, and returns its stderr.
 */
async function expectRefusedStart(data: string, flags: readonly string[]): Promise<string> {
  const run = new VenueRun(data, flags);
  const outcome = await Promise.race([
    run.serving().then(
      () => 'serves' as const,
      () => 'ended' as const,
    ),
    run.ended.then(() => 'ended' as const),
  ]);
  const ending = await run.end('SIGKILL');
  expect(outcome, run.stderr).toBe('ended');
  expect(ending.code, run.stderr).toBeGreaterThan(0);
  expect(run.stdout).not.toMatch(/is serving/);
  expect(run.stderr.trim()).not.toBe('');
  return run.stderr;
}

/**
 * `killed` has the data of a venue that acknowledged twelve batches and was killed, with and
 * without its snapshots. `after` has the data after the next run.
 */
let killed: { data: string; withSnapshots: string; acknowledged: Placed[] };
let after: { data: string; extra: Placed; shown: Json };

/** Returns Alice's account state without the time of the query. */
async function shown(): Promise<Json> {
  const { time: _time, ...state } = await alice.state();
  return { state, orders: await alice.openOrders() };
}

beforeAll(async () => {
  const venue = await started(await temporaryData(), WITH_SNAPSHOTS);
  await fund(client, alice.address);
  market = await readMarket(client, 'BTC-USDC', alice.address);
  const acknowledged: Placed[] = [];
  for (let index = 0; index < 12; index++) acknowledged.push(await place(`killed ${index}`));
  // Snapshots are written in the background, so the last reply may arrive before the first
  // snapshot.
  await eventually(async () => expect((await snapshotsOf(venue.data)).length).toBeGreaterThan(1));
  await venue.kill();
  const data = await copyOf(venue.data);
  for (const path of await snapshotsOf(data)) await rm(path);
  killed = { data, withSnapshots: venue.data, acknowledged };
  const next = await started(await copyOf(data), WITHOUT_SNAPSHOTS);
  const replayed = await shown();
  const extra = await place('extra');
  await next.kill();
  after = { data: next.data, extra, shown: replayed };
});

/** The bytes after a partial last record. */
const TORN = ['nothing', 'zeros', 'garbage', 'a word instead'];

/**
 * The tests share one folder, because a start that rejects or repairs the folder leaves it usable.
 */
describe.each(sampledCases(TORN, 1, random))(
  `damage to a journal loses no acknowledged action, CRASH_SEED=${SEED}`,
  (kind) => {
    let data: string;
    let venue: Venue;
    let more: Placed;

    beforeAll(async () => {
      data = await copyOf(killed.data);
    });

    test('a flipped bit in the middle of the journal prevents the start', async () => {
      const { path, bytes, end } = await journalOf(data);
      // The byte is after the first page and before the last third, so that many acknowledged records
      // follow it.
      let at = 0;
      while (bytes[at] === 0 || at < 4096)
        at = 4096 + random.below(Math.floor((end - 4096) * 0.66));
      await flip(path, at);
      const words = await expectRefusedStart(data, WITHOUT_SNAPSHOTS);
      expect(words).toMatch(/journal/i);
      expect(words).toMatch(/damage|corrupt|checksum/i);
      // A rejected start changes no file, so repairing the byte restores the original journal.
      await overwrite(path, bytes.subarray(at, at + 1), at);
      expect((await readFile(path)).equals(bytes)).toBe(true);
    });

    test('a missing journal record prevents the start', async () => {
      const { path, bytes, end } = await journalOf(data);
      const middle = 4096 + Math.floor((end - 4096) / 2);
      await overwrite(path, Buffer.alloc(600), middle);
      expect(bytes.length).toBeGreaterThan(middle);
      await expectRefusedStart(data, WITHOUT_SNAPSHOTS);
      await overwrite(path, bytes.subarray(middle, middle + 600), middle);
      expect((await readFile(path)).equals(bytes)).toBe(true);
    });

    test(`the journal is truncated at a torn last record followed by ${kind}`, async () => {
      await tear(data, kind);
      venue = await started(data, WITHOUT_SNAPSHOTS);
      await expectAll(killed.acknowledged);
      const receipt = await client.data({
        type: 'actionStatus',
        txHash: after.extra.signed.txHash,
      });
      const cloids = (await alice.openOrders()).map((row) => row.cloid);
      const extras = [0, 1, 2].filter((index) => cloids.includes(cloidOf(`extra ${index}`)));
      expect(extras).toHaveLength(receipt.status === 'unknown' ? 0 : 3);
      more = await place('more');
    });

    test("a second venue does not start on a running venue's journal and does not change it", async () => {
      await expectRefusedStart(data, WITHOUT_SNAPSHOTS);
      await expectAll([...killed.acknowledged, more]);
    });

    test('a repaired journal survives the next kill', async () => {
      await venue.kill();
      await venue.startAgain();
      client = new Client(venue.url);
      await expectAll([...killed.acknowledged, more]);
    });

    test('a journal whose end is lost after a clean stop is treated as damaged, not torn', async () => {
      await place('last words');
      await venue.stop();
      const { path, end } = await journalOf(data);
      await overwrite(path, Buffer.alloc(200), end - 200);
      await expectRefusedStart(data, WITHOUT_SNAPSHOTS);
    });
  },
);

/** Cuts off the first write of the next run, as a crash would. */
async function tear(data: string, kind: string): Promise<void> {
  const { path, bytes, end } = await journalOf(data);
  expect(bytes.length).toBeGreaterThan(end);
  if (kind === 'a word instead') return overwrite(path, Buffer.from('torn'), end);
  const later = await journalOf(after.data);
  const length = 1 + random.below(later.end - end - 1);
  await overwrite(path, later.bytes.subarray(end, end + length), end);
  if (kind === 'nothing') await truncate(path, end + length);
  if (kind === 'garbage') {
    const garbage = Buffer.from(Array.from({ length: 300 }, () => random.below(256)));
    await overwrite(path, garbage, end + length);
  }
}

describe(`damaged snapshots lose no acknowledged action, CRASH_SEED=${SEED}`, () => {
  const damages: [string, (path: string) => Promise<void>][] = [
    ['has a flipped bit', async (path) => flip(path, random.below((await readFile(path)).length))],
    [
      'is cut in half',
      async (path) => truncate(path, Math.floor((await readFile(path)).length / 2)),
    ],
    ['is empty', async (path) => truncate(path, 0)],
    ['is a word', async (path) => writeFile(path, 'snapshot')],
    ['is JSON of something else', async (path) => writeFile(path, '{"height":1}')],
  ];

  test.each(sampledCases(damages, 1, random))(
    'if the newest snapshot %s, the venue starts with all actions',
    async (_what, damage) => {
      const data = await copyOf(killed.withSnapshots);
      await damage((await snapshotsOf(data)).at(-1)!);
      const venue = await started(data, WITH_SNAPSHOTS);
      await expectAll(killed.acknowledged);
      await venue.kill();
    },
  );

  test('starting next to half a snapshot gives the same state as a replay from the first record', async () => {
    const data = await copyOf(killed.withSnapshots);
    const snapshots = await snapshotsOf(data);
    expect(snapshots.length).toBeGreaterThanOrEqual(2);
    const newest = snapshots.at(-1)!;
    await writeFile(`${newest}.tmp`, (await readFile(newest)).subarray(0, 500));
    const venue = await started(data, WITH_SNAPSHOTS);
    expect(await shown()).toEqual(after.shown);
    await expectAll(killed.acknowledged);
    await venue.kill();
  });
});
