import { existsSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql, SqliteDialect, type CompiledQuery } from 'kysely';
import { LIMITS } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import { expect, test } from 'vitest';
import { randomBlocks, USERS } from '@oddlot/testing/venue/random-block-rows';
import { fillPacker } from './run-rows.ts';
import type { HistoryTables } from './history-tables.ts';
import {
  HistoryDamagedError,
  HistoryFullError,
  historyStoreOn,
  openHistoryStore,
  type HistoryDamage,
  type HistoryStore,
} from './history-store.ts';
import { ANSWERS } from './answers.ts';
import { forKysely, openSqlite } from './sqlite-driver.ts';
import { HistoryLaterError } from './store-errors.ts';
import { bytesOf, kindOf } from './table.ts';

const BLOCKS = randomBlocks(7, 60);
const RECEIPTS = BLOCKS.flatMap(({ receipts }) => receipts);

async function withFile(run: (file: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-history-'));
  try {
    await run(join(folder, 'history.sqlite'), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function written(file: string): Promise<void> {
  const store = await openHistoryStore({ file });
  await store.write(BLOCKS);
  await store.close();
}

function change(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

async function scrubAll(store: HistoryStore): Promise<void> {
  let reached: number | undefined = 0;
  while (reached !== undefined) reached = await store.scrub(reached, 10);
}

test.each<[string, number]>([
  ['its first page', 20],
  ['a page in the middle', 40_960],
])('a file that is damaged in %s is set aside and replaced', (_, at) =>
  withFile(async (file, folder) => {
    await written(file);
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(512, 0xa5), 0, 512, at);
    await handle.close();
    const damages: HistoryDamage[] = [];
    const store = await openHistoryStore({ file, onDamaged: (each) => damages.push(each) });
    expect(store.height).toBe(0);
    expect(damages).toHaveLength(1);
    expect(existsSync(present(damages[0], 'a damage').movedTo)).toBe(true);
    expect((await readdir(folder)).some((name) => name.startsWith('history.sqlite.damaged-'))).toBe(
      true,
    );
    await store.write(BLOCKS);
    expect(store.height).toBe(60);
    await store.close();
  }),
);

test('a file that is not a database is moved out of the way and replaced by an empty store', () =>
  withFile(async (file) => {
    await writeFile(file, 'x'.repeat(10_000));
    const damages: HistoryDamage[] = [];
    const store = await openHistoryStore({ file, onDamaged: (each) => damages.push(each) });
    expect(damages).toHaveLength(1);
    await store.close();
  }));

test('a file with tables from a later release is rejected and left unchanged', () =>
  withFile(async (file, folder) => {
    await written(file);
    change(file, `INSERT INTO kysely_migration VALUES ('9999-later', '2099-01-01T00:00:00.000Z')`);
    const before = await readFile(file);
    const damages: HistoryDamage[] = [];
    const opened = openHistoryStore({ file, onDamaged: (each) => damages.push(each) });
    await expect(opened).rejects.toThrow(HistoryLaterError);
    expect(damages).toEqual([]);
    expect(await readdir(folder)).toEqual(['history.sqlite']);
    expect(await readFile(file)).toEqual(before);
  }));

const CHANGED_BYTE = `substr(body, 1, 59) || x'00ff' || substr(body, 62)`;

test.each<[string, string]>([
  ['a byte of a run', `UPDATE chain_runs SET body = ${CHANGED_BYTE}`],
  ['the time of a run', 'UPDATE chain_runs SET first_ms = first_ms + 1'],
  ['the number of receipts', 'UPDATE chain_runs SET receipts = receipts - 1'],
  ['a key that is gone', 'DELETE FROM receipt_keys WHERE height > 30'],
])('a scrub finds %s that was changed', (_, statement) =>
  withFile(async (file) => {
    await written(file);
    const sound = await openHistoryStore({ file });
    await scrubAll(sound);
    await sound.close();
    change(file, statement);
    const store = await openHistoryStore({ file });
    await expect(scrubAll(store)).rejects.toThrow(HistoryDamagedError);
    await store.close();
  }),
);

test('a query that reads a damaged row fails', () =>
  withFile(async (file) => {
    await written(file);
    change(file, `UPDATE fill_runs SET body = substr(body, 2)`);
    change(file, `UPDATE chain_runs SET body = ${CHANGED_BYTE}`);
    const store = await openHistoryStore({ file });
    const { txHash } = present(RECEIPTS[0], 'a receipt');
    await expect(store.ask('receipt', { by: 'txHash', txHash })).rejects.toThrow(
      HistoryDamagedError,
    );
    const ask = { user: present(USERS[0], 'a user'), accountTypes: ['perp'] as const, limit: 5 };
    await expect(store.ask('fills', ask)).rejects.toThrow(HistoryDamagedError);
    await store.close();
  }));

test('a store whose progress record was altered is replaced by an empty one', () =>
  withFile(async (file) => {
    await written(file);
    change(file, `UPDATE progress SET text = replace(text, '60', '61')`);
    const damages: HistoryDamage[] = [];
    const store = await openHistoryStore({ file, onDamaged: (each) => damages.push(each) });
    expect(store.height).toBe(0);
    expect(damages).toHaveLength(1);
    await store.close();
  }));

test('R-disk: on a full disk, nothing is written, queries are served, and writes are retried', () =>
  withFile(async (file) => {
    const driver = await openSqlite(file);
    const store = await historyStoreOn(driver);
    await store.write(BLOCKS.slice(0, 10));
    const { database } = driver;
    await sql.raw('PRAGMA wal_checkpoint(TRUNCATE)').execute(database);
    await sql.raw('PRAGMA max_page_count = 1').execute(database);
    await expect(store.write(BLOCKS)).rejects.toThrow(HistoryFullError);
    expect(store.height).toBe(10);
    expect(await store.ask('blocks', { limit: 1 })).toMatchObject([{ height: 10 }]);
    await sql.raw('PRAGMA max_page_count = 1000000').execute(database);
    await store.write(BLOCKS);
    expect(await store.ask('blocks', { limit: 1 })).toMatchObject([{ height: 60 }]);
    await store.close();
  }));

test('the write-ahead log stays short through many writes and after a long transaction', () =>
  withFile(async (file) => {
    const driver = await openSqlite(file);
    const store = await historyStoreOn(driver);
    await store.write(BLOCKS);
    const { database } = driver;
    let height = 1_000;
    const insert = (bytes: number) =>
      sql`INSERT INTO chain_runs (height, first_height, first_ms, txs, receipts, body)
        VALUES (${height++}, 0, 0, 0, 0, randomblob(${bytes}))`.execute(database);
    const logBytes = async (): Promise<number> => (await stat(`${file}-wal`)).size;
    let most = 0;
    for (let round = 0; round < 300; round += 1) {
      const asked = store.ask('blocks', { limit: 100 });
      await Promise.all([asked, insert(100_000), store.ask('blocks', { limit: 1 })]);
      most = Math.max(most, await logBytes());
    }
    // The rows take up 30 MB in total.
    expect(most).toBeGreaterThan(1_000_000);
    expect(most).toBeLessThan(10_000_000);
    await insert(20_000_000);
    expect(await logBytes()).toBeGreaterThan(20_000_000);
    for (let round = 0; round < 3; round += 1) await insert(1_000);
    expect(await logBytes()).toBeLessThan(10_000_000);
    await store.close();
  }));

test('a query with the highest allowed offset returns a full page', { timeout: 60_000 }, () =>
  withFile(async (file) => {
    await (await openHistoryStore({ file })).close();
    const database = new DatabaseSync(file);
    const insert = database.prepare('INSERT INTO fill_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    const user = present(USERS[0], 'a user');
    const sample = present(
      BLOCKS.flatMap(({ fills }) => fills).find(({ accountType }) => accountType === 'perp'),
      'a fill',
    );
    const rowsEach = 64;
    const all = LIMITS.offsetMax + 10 * rowsEach;
    database.exec('BEGIN');
    for (let first = 0; first < all; first += rowsEach) {
      const run = Array.from({ length: rowsEach }, (_, at) => ({
        place: { timeMs: first + at, height: first + at, index: 0, instrumentId: 1 },
        row: { ...sample.row, oid: first + at },
      }));
      const last = first + rowsEach - 1;
      const place = [last, last, 0, first, rowsEach];
      insert.run(bytesOf(user), kindOf('perp'), ...place, fillPacker.pack(run));
    }
    database.exec('COMMIT');
    database.close();
    const store = await openHistoryStore({ file });
    const offset = LIMITS.offsetMax;
    const ask = { user, accountTypes: ['perp', 'outcome'], limit: 3, offset } as const;
    const { rows } = await store.ask('fills', ask);
    const newest = all - 1 - offset;
    expect(rows.map(({ oid }) => oid)).toEqual([newest, newest - 1, newest - 2]);
    await store.close();
  }),
);

test("only the owner can read the history's files, regardless of the umask", () =>
  withFile(async (file, folder) => {
    const store = await openHistoryStore({ file });
    await store.write(BLOCKS);
    const names = await readdir(folder);
    expect(names.toSorted()).toEqual(['history.sqlite', 'history.sqlite-wal']);
    for (const name of names) {
      expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600);
    }
    await store.close();
  }));

test('a page of the newest rows is read as an index range, regardless of its filter', () =>
  withFile(async (file) => {
    await written(file);
    const handle = new DatabaseSync(file);
    const queries: CompiledQuery[] = [];
    const database = new Kysely<HistoryTables>({
      dialect: new SqliteDialect({ database: forKysely(handle) }),
      log: ({ query }) => {
        queries.push(query);
      },
    });
    const user = present(USERS[0], 'a user');
    const page = { user, limit: 200, cursor: [1_800_000_000_000, 5, 1] as const };
    const both = ['perp', 'outcome'] as const;
    for (const accountTypes of [both, both.slice(0, 1)]) {
      const range = { ...page, accountTypes, startTime: 1, endTime: 1_900_000_000_000 };
      for (const order of ['newestFirst', 'oldestFirst'] as const) {
        await ANSWERS.fills(database, { ...range, order });
        await ANSWERS.orders(database, { ...range, order });
        await ANSWERS.ledger(database, { ...range, order });
        await ANSWERS.fills(database, { ...range, order, instrumentId: 1 });
        await ANSWERS.orders(database, { ...range, order, instrumentId: 1 });
        await ANSWERS.fundings(database, { ...page, order, direction: 'paid' });
      }
    }
    const plans = queries.map(({ parameters, sql: text }) =>
      handle
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all(...(parameters as string[]))
        .map((row) => String(row['detail']))
        .join('\n'),
    );
    expect(plans.length).toBeGreaterThan(20);
    for (const plan of plans) expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
    expect(plans.some((plan) => plan.includes('MERGE (UNION ALL)'))).toBe(true);
    expect(plans.some((plan) => plan.includes('his USING PRIMARY KEY'))).toBe(true);
    expect(plans.some((plan) => plan.includes('open_orders USING PRIMARY KEY'))).toBe(true);
    await database.destroy();
  }));
