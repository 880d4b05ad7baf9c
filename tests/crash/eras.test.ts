import { cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { dump, DUMP_VERSION, RULES_VERSION } from '@oddlot/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FileJournal } from '../../packages/venue/src/log/file-journal.ts';
import type { LogEntry, LoggedCommand } from '../../packages/venue/src/block/log-entry.ts';
import { LaterReleaseError } from '../../packages/venue/src/replica/replica-error.ts';
import { unpackFolder } from '../fixtures/pack.ts';
import { FIXTURE_FLAGS } from '../fixtures/people.ts';
import { removeTemporaryData, temporaryData, VenueRun } from '../support/venue-process.ts';
import { ReplicaInHand } from './replica-in-hand.ts';

/**
 * Goal: a change of rules never rewrites what happened, and no crash while an era opens leaves a folder
 * that opens otherwise (R-era). Method: the folder of release 0.1.0, as a power cut left it, is opened
 * once; then copies of it, put into each state that a crash or a bad disk could leave, must give
 * the same venue: state, heads, and what is kept of markets.
 */

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'format-1');
const meta = JSON.parse(await readFile(join(FIXTURE, 'meta.json'), 'utf8'));

/** The folder of the earlier release, untouched. */
let old: string;
/** The same after this release has opened its era and was killed. */
let opened: string;
let first: Seen;

type Seen = {
  readonly height: number;
  readonly hash: string;
  readonly state: string;
  readonly markets: string;
};

beforeAll(async () => {
  old = await temporaryData();
  await unpackFolder(join(FIXTURE, 'killed.pack.br'), old);
  opened = await copyOf(old);
  first = await opening(opened);
});
afterAll(removeTemporaryData);

async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryData();
  await cp(folder, copy, { recursive: true });
  return copy;
}

/** Opens a folder at the moment at which it was left, and tells what came of it. */
async function opening(folder: string): Promise<Seen> {
  const hand = await ReplicaInHand.open({ folder, nowMs: meta.timeMs });
  hand.checkInvariants();
  const { hash, height } = hand.replica.head;
  const state = JSON.stringify(dump(hand.state));
  const markets = JSON.stringify(hand.markets.projections.map((each) => each.dump()));
  await hand.close();
  return { height, hash, state, markets };
}

async function eraFiles(folder: string): Promise<string[]> {
  return (await readdir(join(folder, 'eras')).catch(() => [])).sort();
}

async function entriesFrom(folder: string, fromSeq: number): Promise<LogEntry[]> {
  const clock = { nowMs: () => meta.timeMs };
  const journal = await FileJournal.open({ directory: join(folder, 'journal'), clock });
  const entries: LogEntry[] = [];
  await journal.replay(fromSeq, (entry) => entries.push(entry));
  await journal.close();
  return entries;
}

async function append(folder: string, commands: readonly LoggedCommand[]): Promise<void> {
  const clock = { nowMs: () => meta.timeMs };
  const journal = await FileJournal.open({ directory: join(folder, 'journal'), clock });
  await journal.append(commands);
  await journal.close();
}

describe('R-era: a change of rules', () => {
  test('opens an era behind the last block, with its rules, its start and its past', async () => {
    const [entry, ...more] = await entriesFrom(opened, meta.height + 1);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      seq: meta.height + 1,
      commands: [{ command: { type: 'openEra', rules: RULES_VERSION, previousHash: meta.hash } }],
    });
    expect(first.height).toBe(meta.height + 1);
    const name = `era-${String(meta.height).padStart(16, '0')}-rules-${RULES_VERSION}.json`;
    expect(await eraFiles(opened)).toEqual([name]);
  });

  test('is made once: the next start goes on in the era', async () => {
    const again = await copyOf(opened);
    expect(await opening(again)).toEqual(first);
    expect(await entriesFrom(again, meta.height + 1)).toHaveLength(1);
  });

  test('begins a new log too', async () => {
    const hand = await ReplicaInHand.open({ nowMs: meta.timeMs });
    await hand.close();
    const [entry] = await entriesFrom(hand.folder, 1);
    expect(entry?.commands.map(({ command }) => command.type).slice(0, 2)).toEqual([
      'openEra',
      'genesis',
    ]);
    expect(await eraFiles(hand.folder)).toEqual([]);
  });
});

describe('R-era: a crash while an era opens is harmless', () => {
  test('before the start of the era was whole', async () => {
    const folder = await copyOf(old);
    await cp(join(opened, 'eras'), join(folder, 'eras'), { recursive: true });
    const [name = ''] = await eraFiles(folder);
    const file = join(folder, 'eras', name);
    await rename(file, `${file}.new`);
    await truncate(`${file}.new`, 1_000);
    expect(await opening(folder)).toEqual(first);
    expect(await eraFiles(folder)).toEqual([name]);
  });

  test('when the start is kept and the log does not name it', async () => {
    const folder = await copyOf(old);
    await cp(join(opened, 'eras'), join(folder, 'eras'), { recursive: true });
    expect(await opening(folder)).toEqual(first);
    expect(await entriesFrom(folder, meta.height + 1)).toHaveLength(1);
  });

  test('and so is the earlier release going on after it', async () => {
    const folder = await copyOf(old);
    await append(folder, []);
    const went = await opening(await copyOf(folder));
    // The start of an era that never opened, at a block that has others behind it.
    await cp(join(opened, 'eras'), join(folder, 'eras'), { recursive: true });
    expect(await opening(folder)).toEqual(went);
    expect(went.height).toBe(first.height + 1);
  });
});

describe('R-era: what is derived can be lost', () => {
  test.each<[string, (folder: string) => Promise<void>]>([
    ['the snapshots', (folder) => rm(join(folder, 'snapshots'), { recursive: true })],
    ['the start of the era', (folder) => rm(join(folder, 'eras'), { recursive: true })],
    ['a byte of the start of the era', flipStart],
    [
      'both the snapshots and the start',
      async (folder) => {
        await rm(join(folder, 'snapshots'), { recursive: true });
        await rm(join(folder, 'eras'), { recursive: true });
      },
    ],
  ])('%s', async (_, lose) => {
    const folder = await copyOf(opened);
    await lose(folder);
    expect(await opening(folder)).toEqual(first);
    // What is kept for ever is there again.
    expect(await eraFiles(folder)).toEqual(await eraFiles(opened));
    expect(await startOf(folder)).toEqual(await startOf(opened));
  });

  test('all snapshots before the era opened: the earlier engine starts with the first block', async () => {
    const folder = await copyOf(old);
    await rm(join(folder, 'snapshots'), { recursive: true });
    expect(await opening(folder)).toEqual(first);
  });
});

/** How long the faucet remembers is a setting of the venue, so that is not compared. */
async function startOf(folder: string): Promise<unknown> {
  const [name = ''] = await eraFiles(folder);
  const text = await readFile(join(folder, 'eras', name), 'utf8');
  const { companions, ...start } = JSON.parse(text.slice(text.indexOf('\n') + 1));
  return { ...start, companions: { ...companions, faucet: [] } };
}

async function flipStart(folder: string): Promise<void> {
  const [name = ''] = await eraFiles(folder);
  const file = join(folder, 'eras', name);
  const bytes = await readFile(file);
  bytes[5_000] = bytes[5_000]! ^ 1;
  await writeFile(file, bytes);
}

describe('R-era: a folder of a later release is refused by its rules', () => {
  test('when its log goes on under them', async () => {
    const folder = await copyOf(opened);
    const rules = RULES_VERSION + 1;
    const hash = meta.hash;
    await append(folder, [
      { command: { type: 'openEra', rules, stateHash: hash, previousHash: hash } },
    ]);
    const before = await filesOf(folder);
    await expect(opening(folder)).rejects.toThrow(LaterReleaseError);
    await expect(opening(folder)).rejects.toThrow(`rules ${rules}, this program knows rules up to`);
    expect(await filesOf(folder)).toEqual(before);
  });

  test('with one line and no stack, by the venue itself', { timeout: 30_000 }, async () => {
    const folder = await copyOf(opened);
    const [rules, hash] = [RULES_VERSION + 1, meta.hash];
    await append(folder, [
      { command: { type: 'openEra', rules, stateHash: hash, previousHash: hash } },
    ]);
    expect(await refused(folder)).toMatch(
      `the data folder is of a later release: it holds rules ${rules}`,
    );
  });

  test('when its journal has another format', { timeout: 30_000 }, async () => {
    const folder = await copyOf(opened);
    const [name = ''] = await readdir(join(folder, 'journal'));
    const file = join(folder, 'journal', name);
    const bytes = await readFile(file);
    bytes.writeUInt32LE(9, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 40)), 40);
    await writeFile(file, bytes);
    expect(await refused(folder)).toMatch(
      'the data folder is of a later release: its journal has format 9',
    );
  });

  test('when a snapshot is of them', async () => {
    const folder = await copyOf(opened);
    await snapshot(folder, first.height, { rules: RULES_VERSION + 1, head: {}, state: {} });
    await expect(opening(folder)).rejects.toThrow(LaterReleaseError);
  });
});

/** What a venue that does not start says, beside its log. */
async function refused(folder: string): Promise<string> {
  const run = new VenueRun(folder, FIXTURE_FLAGS);
  expect(await run.ended).toEqual({ code: 1, signal: null });
  expect(run.stderr).not.toMatch(/^ +at /m);
  expect(run.stderr).not.toMatch('stopping at once');
  return run.stderr;
}

/** Snapshots with a right hash and another content: by name what is in them. */
const SHAPES: readonly [string, unknown][] = [
  ['no object', 'text'],
  ['nothing', {}],
  ['a dump of another version', { rules: RULES_VERSION, head: {}, state: { format: 99 } }],
  ['an empty dump', { rules: RULES_VERSION, head: {}, heads: [], state: { format: DUMP_VERSION } }],
  ['a dump of the earlier rules without its parts', { head: {}, heads: [], state: { format: 2 } }],
];

describe('R-era: a snapshot of another shape with a right hash is passed over', () => {
  test.each(SHAPES)('%s', async (_, payload) => {
    const folder = await copyOf(opened);
    await snapshot(folder, first.height, payload);
    expect(await opening(folder)).toEqual(first);
  });

  test.each(['outcomes', 'candles', 'probabilities', 'referencePrices'])(
    'one whose %s are of another shape',
    async (name) => {
      const folder = await copyOf(opened);
      const hand = await ReplicaInHand.open({ folder, nowMs: meta.timeMs });
      await hand.replica.stop();
      await hand.close();
      const [newest = ''] = (await readdir(join(folder, 'snapshots'))).sort().reverse();
      const file = join(folder, 'snapshots', newest);
      const text = await readFile(file, 'utf8');
      const payload = JSON.parse(text.slice(text.indexOf('\n') + 1));
      payload.companions[name] = { another: 'shape' };
      await snapshot(folder, first.height, payload);
      expect(await opening(folder)).toEqual(first);
    },
  );
});

/** Writes a snapshot as the store would. */
async function snapshot(folder: string, height: number, payload: unknown): Promise<void> {
  const text = JSON.stringify(payload);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const bytes = Buffer.byteLength(text);
  const header = JSON.stringify({ format: 'oddlot-snapshot-1', height, sha256, bytes });
  const name = `snapshot-${String(height).padStart(16, '0')}.json`;
  await writeFile(join(folder, 'snapshots', name), `${header}\n${text}`);
}

async function filesOf(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true });
  return found.sort();
}
