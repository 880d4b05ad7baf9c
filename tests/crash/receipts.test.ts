import { cp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dumpHistory } from '../../packages/history/src/store/dump-history.ts';
import { aVenue, order, orderAction } from '../support/actors.ts';
import { Client, eventually } from '../support/client.ts';
import { OPERATED } from '../support/perps.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { HOLDING, removeTemporaryData, temporaryData, Venue } from '../support/venue-process.ts';
import { Record } from './record.ts';

/**
 * Goal: receipts are derived from the log, so a lost store is recomputed byte for byte, and damage
 * to the store never stops the venue (R-tx). Method: accounts send every signable action, both
 * valid and failing. The store is then deleted, truncated or corrupted, the venue starts on it, and
 * all rows are compared with the earlier ones. `RECEIPTS_SEED=7 npx vitest run
 * tests/crash/receipts` corrupts different bytes.
 */

const SEED = freshSeed('RECEIPTS_SEED');
const random = seededRandom(SEED);
const ROUNDS = process.env['TEST_LONG'] === undefined ? 1 : 3;
const FLAGS = [
  ...OPERATED,
  ...HOLDING,
  '--oracle-every-ms',
  '1000',
  '--snapshot-every-blocks',
  '40',
];
const STORE = 'history.sqlite';

const world = aVenue(FLAGS);
let record: Record;
let killed: string;
let before: Row[];

/** A receipt and the block it is stored in. */
type Row = { readonly in: number; readonly body: string };

beforeAll(async () => {
  record = await Record.begin(world);
  await record.prepare();
  for (let number = 0; number < ROUNDS; number += 1) await record.round(number);
  await refusals();
  await allStored(world.venue.operations);
  await world.venue.kill();
  killed = world.venue.data;
  before = await rowsOf(killed);
});
afterAll(removeTemporaryData);

/**
 * Waits until the store has all requests that got a response, because the store lags behind the
 * log.
 */
async function allStored(operations: string): Promise<void> {
  const number = (text: string, name: string): number =>
    Number(new RegExp(`^oddlot_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  const read = async (): Promise<string> => (await fetch(`${operations}/metrics`)).text();
  const height = number(await read(), 'block_height');
  await eventually(async () => {
    expect(number(await read(), 'history_height')).toBeGreaterThanOrEqual(height);
  });
}

/**
 * Sends actions that pass admission and are rejected at execution, some of them with text as the
 * client spelled it.
 */
async function refusals(): Promise<void> {
  const { alice, bob } = record;
  const { btc: market } = world;
  const size = market.worth(50);
  // Four cancels of the same order arrive together. All but one are rejected at execution.
  for (const price of [market.at(100), market.at(101)]) {
    const offer = order({ market, side: 'sell', price, size, tif: 'Alo' });
    const { json } = await world.client.executed(await bob.sign(orderAction(offer)));
    const o = json.data.data.orders[0].oid;
    const twice = { type: 'cancel', cancels: [{ a: market.id, o }] };
    const sent = await Promise.all(
      [1, 2, 3, 4].map(async () => world.client.executed(await bob.sign(twice))),
    );
    expect(sent.filter(({ json }) => json.data?.data?.statuses?.[0] !== 'success')).not.toEqual([]);
  }
  const crossing = order({ market, side: 'buy', price: market.at(300), size, tif: 'Alo' });
  const spelt = { ...crossing, p: spelling(crossing['p'] as string) };
  const offer = order({ market, side: 'sell', price: market.at(200), size, tif: 'Alo' });
  // A bid must arrive before the offer rests and execute after it, so both are sent until they
  // share a block.
  for (let tries = 0; tries < 100; tries += 1) {
    const offered = await bob.sign(orderAction(offer));
    const bids = await Promise.all([1, 2, 3, 4].map(() => alice.sign(orderAction(spelt))));
    const replies = await Promise.all(
      [offered, ...bids].map((each) => world.client.executed(each)),
    );
    const cancelAll = { type: 'cancelAll', asset: market.id };
    for (const each of [alice, bob]) await world.client.executed(await each.sign(cancelAll));
    if (replies.some(({ text }) => text.includes('would have immediately matched'))) {
      const texts = replies.filter(({ json }) => json.status === 'ok').map(({ text }) => text);
      if (texts.some((text) => text.includes(`"got":"${spelt.p}"`))) return;
    }
  }
  throw new Error('no order was refused by its block');
}

function spelling(price: string): string {
  return price.includes('.') ? `${price}00` : `${price}.00`;
}

async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryData();
  await cp(folder, copy, { recursive: true });
  return copy;
}

/** Returns the receipts in a store that no venue has open. */
async function rowsOf(folder: string): Promise<Row[]> {
  const lines = await dumpHistory({ file: join(await copyOf(folder), STORE) });
  const prefix = 'receipts ';
  return lines
    .filter((line) => line.startsWith(prefix))
    .map((line) => JSON.parse(line.slice(prefix.length)) as Row);
}

async function nothingMissing({ operations }: Venue): Promise<void> {
  await eventually(async () => {
    const metrics = await (await fetch(`${operations}/metrics`)).text();
    expect(metrics).toMatch(/^oddlot_history_missing_blocks 0$/m);
  });
}

async function expectFirstReplies({ url }: Venue): Promise<void> {
  const client = new Client(url);
  for (const { kind, signed, first } of record.requests) {
    expect((await client.executed(signed)).json, kind).toEqual(first);
  }
}

/** Starts a venue on a folder, waits until the store is complete, and returns its content. */
async function startedOn(folder: string): Promise<{ rows: Row[] }> {
  const venue = await Venue.start(FLAGS, folder);
  await nothingMissing(venue);
  await expectFirstReplies(venue);
  expect(await venue.stop()).toEqual({ code: 0, signal: null });
  const last = Math.max(...before.map((row) => row.in));
  return { rows: (await rowsOf(folder)).filter((row) => row.in <= last) };
}

describe('R-tx: receipts are recomputed from the log', () => {
  test('receipts include rejections at execution, as the client spelled the request', () => {
    const texts = before.map(({ body }) => body).join('');
    expect(before.length).toBeGreaterThan(30 * ROUNDS);
    expect(texts).toMatch(/"got":"\d+\.\d*00"/);
  });

  const LOST: readonly (readonly [string, readonly string[]])[] = [
    ['the store was', []],
    ['store and snapshots were', ['snapshots']],
  ];
  test.each(sampledCases(LOST, 1, random))(
    'recomputed receipts equal the original ones byte for byte after %s deleted',
    async (_, folders) => {
      const folder = await copyOf(killed);
      for (const name of await readdir(folder)) {
        if (name.startsWith(STORE)) await rm(join(folder, name));
      }
      for (const name of folders) await rm(join(folder, name), { recursive: true });
      expect((await startedOn(folder)).rows).toEqual(before);
    },
  );
});

const DAMAGES: readonly [string, (bytes: Buffer) => Buffer][] = [
  // The format name in the header is also changed, because changed bits in a page's free space do
  // no harm.
  ['its first page', (bytes) => flipped(flipped(bytes, 0, 16, 1), 16, 4_096, 64)],
  ['bytes all over it', (bytes) => flipped(bytes, 4_096, bytes.length, 200)],
  ['a page of zeros', (bytes) => Buffer.from(bytes).fill(0, 8_192, 12_288)],
  ['its second half', (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))],
  ['everything', (bytes) => Buffer.alloc(bytes.length, 'no database ')],
];

describe(`a damaged receipt store is recomputed, RECEIPTS_SEED=${SEED}`, () => {
  test.each(sampledCases(DAMAGES, 1, random))(
    'a damaged receipt store is set aside and recomputed, even while in use: %s',
    async (_, damage) => {
      const folder = await copyOf(await folded());
      const file = join(folder, STORE);
      await writeFile(file, damage(await readFile(file)));
      const venue = await Venue.start(FLAGS, folder);
      await nothingMissing(venue);
      expect(venue.stderr).toMatch(/damaged history set aside/);
      const names = await readdir(folder);
      expect(names.some((name) => name.startsWith(`${STORE}.damaged-`))).toBe(true);
      await expectFirstReplies(venue);

      const handle = await open(file, 'r+');
      const { size } = await handle.stat();
      await handle.write(Buffer.alloc(size - 4_096, 0xa5), 0, size - 4_096, 4_096);
      await handle.close();
      await eventually(() => expectFirstReplies(venue));
      expect(await venue.stop()).toEqual({ code: 0, signal: null });
      expect((await startedOn(folder)).rows).toEqual(before);
    },
  );
});

let foldedFolder: Promise<string> | undefined;

/**
 * Returns the folder once the write-ahead log has been merged into the database, so that the pages
 * have all data.
 */
async function folded(): Promise<string> {
  foldedFolder ??= copyOf(killed).then((folder) => {
    const database = new DatabaseSync(join(folder, STORE));
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    return folder;
  });
  return foldedFolder;
}

function flipped(bytes: Buffer, from: number, until: number, count: number): Buffer {
  const copy = Buffer.from(bytes);
  for (let flips = 0; flips < count; flips += 1) {
    const at = from + random.below(until - from);
    copy[at] = copy[at]! ^ (1 + random.below(255));
  }
  return copy;
}
