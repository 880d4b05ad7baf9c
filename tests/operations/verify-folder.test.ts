import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { testTimeoutMs } from '@oddlot/testing/host';
import { hash } from '@oddlot/units';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyFolder } from '../../packages/audit/src/verify/verify-folder.ts';
import type { LogEntry } from '../../packages/replica/src/block.ts';
import { BlockBuffer } from '../../packages/replica/src/log/block-codec.ts';
import { FileJournal } from '../../packages/replica/src/log/file-journal.ts';
import { PREVIOUS } from '../crash/era-folders.ts';
import { aMarket, closeClients, limit, trader } from '../e2e/test-accounts.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { entriesOf, CompromisedVenue } from '../support/compromised-venue.ts';
import {
  FIXED_PRICE_FLAGS,
  removeTemporaryData,
  temporaryData,
  Venue,
} from '../support/venue-process.ts';

/**
 * Goal: `oddlot verify` finds all errors in a data folder and reports where they are. Method:
 * change single bytes in copies of a real venue's folder, which has compressed old segments, and of
 * a folder that began under earlier rules. Forge commands with matching checksums and hashes. A
 * changed byte must be reported, unless all readable data in the file is still the same.
 */

const now = () => Date.now();
const FLIPS = Number(process.env['VERIFY_FLIPS'] ?? 30);
const SEED = freshSeed('VERIFY_SEED');
const random = seededRandom(SEED);

let folder = '';
let eraFolder = '';

/** Rewrites the log in short segments and compresses all but the last of them. */
async function shortened(data: string): Promise<void> {
  const entries = await entriesOf(data);
  await rename(join(data, 'journal'), join(data, 'journal-before'));
  const options = { directory: join(data, 'journal'), clock: { nowMs: now }, segmentBytes: 8_000 };
  const journal = await FileJournal.open(options);
  for (const entry of entries) {
    const buffer = new BlockBuffer();
    buffer.writeBlock(entry.commands);
    await journal.copy({ ...entry, encoded: buffer.bytes.subarray(0, buffer.length) });
  }
  await journal.compact({ belowSeq: Math.floor(entries.length / 2) });
  await journal.close();
  const named = join(data, 'journal-before', 'named');
  await cp(named, join(data, 'journal', 'named')).catch(() => undefined);
  await rm(join(data, 'journal-before'), { recursive: true });
}

beforeAll(async () => {
  const venue = await Venue.start([...FIXED_PRICE_FLAGS, '--chain', 'local', '--faucet']);
  folder = venue.data;
  const [alice, bob] = [await trader(venue, 'verify alice'), await trader(venue, 'verify bob')];
  const market = await aMarket(venue, alice!);
  for (let round = 0; round < 12; round++) {
    const at = { price: market.at(0), size: market.worth(20) };
    await alice!.client.exchange.order({ orders: [limit(market, { side: 'sell', ...at })] });
    await bob!.client.exchange.order({ orders: [limit(market, { side: 'buy', ...at })] });
  }
  await bob!.client.exchange.withdraw3({ destination: bob!.address, amount: '20' });
  closeClients();
  await venue.stop();
  await shortened(folder);
  eraFolder = await PREVIOUS.unpacked();
  const earlier = await Venue.start([...FIXED_PRICE_FLAGS, '--accept-clock'], eraFolder);
  await earlier.stop();
});

afterAll(async () => {
  await removeTemporaryData();
});

async function copyOf(data: string): Promise<string> {
  const copy = await temporaryData();
  await cp(data, copy, { recursive: true });
  return copy;
}

test("a venue's folder is valid with full and short compressed segments, and across rules versions", async () => {
  const report = await verifyFolder({ data: folder, now });
  expect(report).toMatchObject({ findings: [], harmless: [] });
  expect(report.counts.signersRecovered).toBeGreaterThan(24);
  const names = await readdir(join(folder, 'journal'));
  expect(names.filter((name) => name.endsWith('.zst')).length).toBeGreaterThan(1);
  expect(names.filter((name) => name.endsWith('.log')).length).toBeGreaterThan(1);
  const over = await verifyFolder({ data: eraFolder, now });
  expect(over).toMatchObject({ findings: [] });
  expect(over.believed.join('\n')).toContain('blocks with earlier rules versions');
});

/** The files of each kind that can be changed. */
const KINDS: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  'the plain log': () => filesOf(folder, 'journal', '.log'),
  'the compressed log': () => filesOf(folder, 'journal', '.zst'),
  snapshots: () => filesOf(folder, 'snapshots', '.bin'),
  eras: () => filesOf(eraFolder, 'eras', '.json'),
  'the store': async () => [join(folder, 'history.sqlite')],
  'the file of the chain': async () => [join(folder, 'chain', 'chain.log')],
};

async function filesOf(data: string, name: string, end: string): Promise<readonly string[]> {
  const names = await readdir(join(data, name));
  return names.filter((each) => each.endsWith(end)).map((each) => join(data, name, each));
}

describe.each(Object.entries(KINDS))('a changed byte of %s', (kind, list) => {
  test(
    `a changed byte is reported at its position or changes no readable data (VERIFY_SEED=${SEED})`,
    async () => {
      const files = await list();
      expect(files.length).toBeGreaterThan(0);
      const counts = { found: 0, harmless: 0, unread: 0 };
      const flips = Math.ceil(FLIPS / Object.keys(KINDS).length);
      for (let flip = 0; flip < flips; flip++) {
        // The first change must be detected. Later ones may hit unused bytes.
        const isMeant = flip === 0;
        const file = files[isMeant ? 0 : random.below(files.length)]!;
        const isEra = kind === 'eras';
        const copy = await copyOf(isEra ? eraFolder : folder);
        const changed = join(copy, file.slice((isEra ? eraFolder : folder).length));
        const bytes = await readFile(changed);
        // Segments are preallocated, so they end with zeros.
        const meant = bytes.findLastIndex((byte) => byte !== 0) + 1;
        const from = isMeant ? paddedTo(file) : 0;
        const to = !isMeant && random.below(4) === 0 ? bytes.length : meant;
        const at = from + random.below(to - from);
        bytes[at] = bytes[at]! ^ (1 + random.below(255));
        await writeFile(changed, bytes);
        const report = await verifyFolder({ data: copy, now });
        const where = `byte ${at} of ${basename(changed)}`;
        const reported = report.harmless.filter(
          (each) => basename(each.file) === basename(changed),
        );
        if (report.findings.length === 0 && reported.length > 0) {
          counts.harmless++;
        } else if (report.findings.length === 0) {
          counts.unread++;
          await expectSameContent(changed, file, where);
        } else {
          counts.found++;
          const [found] = report.findings;
          expect([where, basename(found!.file)]).toEqual([where, basename(changed)]);
          if (kind === 'the plain log' || kind === 'the file of the chain') {
            expect([where, (found!.offset ?? -1) <= at]).toEqual([where, true]);
          }
        }
        await rm(copy, { recursive: true });
      }
      // A database with few rows is mostly free space.
      if (kind !== 'the store') expect(counts.found).toBeGreaterThan(0);
      if (flips >= 50) process.stdout.write(`${kind}: ${JSON.stringify(counts)}\n`);
    },
    testTimeoutMs(900_000),
  );
});

test("every byte after a compressed segment's last record is checked, including the total checksum", async () => {
  const [file] = await filesOf(folder, 'journal', '.zst');
  const bytes = await readFile(file!);
  const copy = await copyOf(folder);
  const changed = join(copy, file!.slice(folder.length));
  for (let at = bytes.length - 7; at < bytes.length; at++) {
    await writeFile(changed, bytes.with(at, bytes[at]! ^ 0x7f));
    const { findings } = await verifyFolder({ data: copy, now });
    expect([at, findings[0]?.file]).toEqual([at, changed]);
  }
});

const HEADER_BYTES = 4_096;

/**
 * Returns the end of the bytes that may be unused: the end of a header, or of a snapshot's first
 * line.
 */
function paddedTo(file: string): number {
  if (file.endsWith('.log')) return HEADER_BYTES;
  return file.endsWith('.bin') ? 256 : 0;
}

/** Reads both files without the verifier and checks that their readable contents are equal. */
async function expectSameContent(file: string, original: string, where: string): Promise<void> {
  if (file.endsWith('.sqlite')) {
    const as = async (read: string) =>
      contentOf(await copyTo(join(await temporaryData(), 'x'), read));
    expect([where, await as(file)]).toEqual([where, await as(original)]);
    return;
  }
  // In all other files, only zstd frames have unused bits.
  expect([where, file.endsWith('.zst')]).toEqual([where, true]);
  const [now, before] = [await readFile(file), await readFile(original)];
  expect([where, zstdDecompressSync(now).equals(zstdDecompressSync(before))]).toEqual([
    where,
    true,
  ]);
}

async function copyTo(target: string, file: string): Promise<string> {
  await cp(file, target);
  return target;
}

/** The time of a migration is never read. */
const UNREAD = new Set(['kysely_migration.timestamp']);

/**
 * Returns every cell in every table with its type, all tables and indexes, and the result of
 * SQLite's page checks.
 */
function contentOf(file: string): unknown {
  const database = new DatabaseSync(file);
  try {
    const all = (query: string) => database.prepare(query).all();
    const schema = all('SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master');
    const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => String(name));
    const cellsOf = (table: string): string[] =>
      all(`SELECT * FROM "${table}"`).map((row) =>
        Object.entries(row)
          .filter(([column]) => !UNREAD.has(`${table}.${column}`))
          .map(([, value]) => cellText(value))
          .join('|'),
      );
    const settings = ['application_id', 'auto_vacuum', 'encoding', 'page_size', 'user_version'];
    return {
      schema: schema.map((row) => ({ ...row })),
      rows: tables.map((table) => [table, cellsOf(table)]),
      settings: settings.map((name) => Object.values(all(`PRAGMA ${name}`)[0]!)),
      check: all('PRAGMA integrity_check').map((row) => Object.values(row)),
    };
  } finally {
    database.close();
  }
}

function cellText(value: unknown): string {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
  return `${typeof value} ${text}`;
}

describe('a changed database is reported', () => {
  const finding = async (...statements: readonly string[]) => {
    const copy = await copyOf(folder);
    const database = new DatabaseSync(join(copy, 'history.sqlite'));
    for (const statement of statements) database.exec(statement);
    database.close();
    const { findings, harmless } = await verifyFolder({ data: copy, now });
    return (findings[0] ?? harmless[0])?.what;
  };

  test.each([
    ['a column that runs are found by', /fills of a run/, 'UPDATE fill_runs SET first_ms = 1'],
    ['the number of rows of a run', /orders of a run/, 'UPDATE order_runs SET rows = rows + 1'],
    [
      'an instrument that runs are found by',
      /fills of an instrument alone/,
      'DELETE FROM fill_run_instruments',
    ],
    ['the version of the tables', /setting user_version 7/, 'PRAGMA user_version = 7'],
    ['the kind of file', /setting application_id 7/, 'PRAGMA application_id = 7'],
    ['an index that is missing', /is missing: .*shape/, 'DROP INDEX blocks_by_hash'],
    ['an unknown table', /shape \["table","more"/, 'CREATE TABLE more (a INTEGER)'],
    [
      'a migration that was not made',
      /cannot be read: table open_orders already exists/,
      'DELETE FROM kysely_migration',
    ],
    ['its own counts', /the progress record is damaged/, "UPDATE progress SET text = text || ' '"],
  ])('the verifier reports a changed database: %s', async (_, what, ...statements) => {
    expect(await finding(...statements)).toMatch(what);
  });
});

describe('a forged log is reported even though its checksums and hashes match', () => {
  const forged = async (change: (entry: LogEntry) => LogEntry) => {
    const stolen = await CompromisedVenue.rewritten(folder, (entry) => {
      const commands = entry.commands.filter(({ command }) => command.type !== 'attest');
      return change({ ...entry, commands });
    });
    return await verified(stolen);
  };
  const verified = async (stolen: CompromisedVenue) => {
    await stolen.close();
    const copy = await copyOf(folder);
    await rm(join(copy, 'journal'), { recursive: true });
    await rm(join(copy, 'snapshots'), { recursive: true });
    await rm(join(copy, 'history.sqlite'));
    await cp(join(stolen.folder, 'journal'), join(copy, 'journal'), { recursive: true });
    return await verifyFolder({ data: copy, now });
  };
  const withWithdrawal = (
    change: (logged: LogEntry['commands'][number]) => LogEntry['commands'][number],
  ) =>
    forged((entry) => ({
      ...entry,
      commands: entry.commands.map((logged) =>
        logged.command.type === 'withdraw' ? change(logged) : logged,
      ),
    })).then(({ findings }) => findings[0]);

  test('a payment of test funds multiplied by a thousand is listed as unverified, with its amount', async () => {
    const honest = await verifyFolder({ data: folder, now });
    const grants = /^grants of test funds: (\d+), ([\d.]+) USDC in total$/;
    const [, count, amount] = honest.believed.map((line) => grants.exec(line)).find(Boolean) ?? [];
    expect(Number(count)).toBeGreaterThan(0);
    let isFirst = true;
    const report = await forged((entry) => ({
      ...entry,
      commands: entry.commands.map((logged) => {
        if (logged.command.type !== 'creditFaucet' || !isFirst) return logged;
        isFirst = false;
        const amountMicroUsdc = logged.command.amountMicroUsdc * 1_000;
        return { ...logged, command: { ...logged.command, amountMicroUsdc } };
      }),
    }));
    const [, again, forgedAmount] =
      report.believed.map((line) => grants.exec(line)).find(Boolean) ?? [];
    expect([again, Number(forgedAmount) > 100 * Number(amount)]).toEqual([count, true]);
    const { believed } = JSON.parse(JSON.stringify(report)).counts;
    expect(believed.faucet).toEqual({ commands: Number(count), usdc: forgedAmount });
  });

  test('an attested snapshot that does not match its blocks is reported even if the snapshot file is missing', async () => {
    const stolen = await CompromisedVenue.open(folder);
    const { height } = stolen.replica.head;
    const content = hash(`0x${'cd'.repeat(32)}`);
    await stolen.replica.attestSnapshot({ height, content });
    expect((await verified(stolen)).findings).toMatchObject([
      {
        file: expect.stringContaining('journal-'),
        block: height + 1,
        what: expect.stringMatching(
          `^the block attests content hash ${content} .* of block ${height}, but replaying the log`,
        ),
      },
    ]);
  });

  test('an unsigned command is reported', async () => {
    const found = await withWithdrawal(({ command }) => ({ command }));
    expect(found).toMatchObject({
      file: expect.stringContaining('journal-'),
      block: expect.any(Number),
    });
    expect(found?.offset).toBeGreaterThanOrEqual(4_096);
    expect(found?.what).toMatch(/command \d+: withdraw has no signed request/);
  });

  test('a changed request signature is reported', async () => {
    const found = await withWithdrawal((logged) => ({
      ...logged,
      request:
        logged.request?.replace(
          /"r":"0x(.)/,
          (_, digit: string) => `"r":"0x${digit === '1' ? '2' : '1'}`,
        ) ?? '',
    }));
    expect(found?.what).toMatch(
      /the log records the signer 0x.*, but 0x.* signed the request|no valid signer can be recovered/,
    );
  });

  test('a command that exceeds its request is reported', async () => {
    const found = await withWithdrawal((logged) =>
      logged.command.type === 'withdraw'
        ? { ...logged, command: { ...logged.command, amountMicroUsdc: 500_000_000 } }
        : logged,
    );
    expect(found?.what).toMatch(
      /the request asks for .*20000000.* but the log contains .*500000000/,
    );
  });
});
