import { sql, type Kysely } from 'kysely';
import type { Fill, HistOrderRow } from '@oddlot/protocol';
import { Migrator, type Migration } from 'kysely/migration';
import { isLive } from '../rows/block-rows.ts';
import { addChainRun, runsOf } from './chain-runs.ts';
import { earlierBlocks } from './earlier-chain.ts';
import { Draft } from './history-tables.ts';
import type { Placed, RowPacker } from './packed-rows.ts';
import { listOf } from './pages.ts';
import {
  addRun,
  fillCodec,
  fillPacker,
  orderCodec,
  orderPacker,
  RUN_ROWS_MAX,
  type RunName,
} from './run-rows.ts';
import { HistoryLaterError } from './store-errors.ts';
import type { Position } from './table.ts';

/**
 * The migrations of the tables. A released migration is never edited; a change is a new migration.
 * Rows are clustered by the account that queries them, so that a page of the newest rows is one
 * range of a tree. In PostgreSQL, the primary key index has this order.
 */
type Dialect = 'sqlite' | 'postgres';

/** Migrates the database; rejects if its tables were created by a later release. */
export async function migrate<Tables>(database: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const provider = {
    getMigrations: async () => ({
      '0001-rows': statements(rowTables(WORDS[dialect])),
      '0002-runs': statements(runTables(WORDS[dialect])),
      '0003-traces': statements(traceTables(WORDS[dialect])),
      '0004-figures': statements(figureTables(WORDS[dialect])),
      '0005-single-rows': {
        up: inTransaction((each) => packSingleRows(each, WORDS[dialect])),
      },
      '0006-chain-runs': {
        up: inTransaction((each) => packChain(each, WORDS[dialect])),
      },
    }),
  };
  const { error } = await new Migrator({ db: database, provider }).migrateToLatest();
  if (error === undefined) return;
  const isLater = error instanceof Error && error.message.startsWith('corrupted migrations');
  throw isLater ? new HistoryLaterError() : error;
}

type Words = {
  /** An integer type wide enough for heights and milliseconds. */
  readonly int: string;
  readonly bytes: string;
  /** The suffix for a table whose rows are stored in key order. */
  readonly clustered: string;
};

const WORDS: { readonly [Each in Dialect]: Words } = {
  sqlite: { int: 'INTEGER', bytes: 'BLOB', clustered: ' WITHOUT ROWID' },
  postgres: { int: 'BIGINT', bytes: 'BYTEA', clustered: '' },
};

function statements(list: readonly string[]): Migration {
  return {
    up: async (database) => {
      for (const statement of list) await sql.raw(statement).execute(database);
    },
  };
}

function rowTables(words: Words): readonly string[] {
  return [...chain(words), ...userRows(words), ...builderRows(words), ...marketRows(words)];
}

function chain({ bytes, clustered, int }: Words): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS progress (
      id ${int} PRIMARY KEY CHECK (id = 1), text TEXT NOT NULL, crc ${int} NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS blocks (
      height ${int} PRIMARY KEY, time_ms ${int} NOT NULL, hash ${bytes} NOT NULL,
      hash_key ${int} NOT NULL, parent_hash ${bytes} NOT NULL, state_hash ${bytes} NOT NULL,
      num_txs ${int} NOT NULL)`,
    'CREATE INDEX IF NOT EXISTS blocks_by_hash ON blocks (hash_key, height)',
    `CREATE TABLE IF NOT EXISTS tx_blocks (
      height ${int} PRIMARY KEY, txs TEXT NOT NULL, crc ${int} NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS receipt_blocks (
      height ${int} PRIMARY KEY, time_ms ${int} NOT NULL, block_hash TEXT NOT NULL,
      receipts TEXT NOT NULL, crc ${int})`,
    `CREATE TABLE IF NOT EXISTS receipt_keys (
      key ${int} NOT NULL, height ${int} NOT NULL, PRIMARY KEY (key, height))${clustered}`,
  ];
}

function userRows({ bytes, clustered, int }: Words): readonly string[] {
  const position = `time_ms ${int} NOT NULL, height ${int} NOT NULL, idx ${int} NOT NULL`;
  const byKind = 'PRIMARY KEY (account, kind, time_ms, height, idx)';
  return [
    `CREATE TABLE IF NOT EXISTS fills (
      account ${bytes} NOT NULL, kind ${int} NOT NULL, ${position}, instrument_id ${int} NOT NULL,
      body TEXT NOT NULL, ${byKind})${clustered}`,
    `CREATE INDEX IF NOT EXISTS fills_by_instrument
      ON fills (account, instrument_id, time_ms, height, idx)`,
    `CREATE TABLE IF NOT EXISTS orders (
      account ${bytes} NOT NULL, kind ${int} NOT NULL, ${position}, instrument_id ${int} NOT NULL,
      order_key ${int} NOT NULL, body TEXT NOT NULL, ${byKind})${clustered}`,
    `CREATE INDEX IF NOT EXISTS orders_by_instrument
      ON orders (account, instrument_id, time_ms, height, idx)`,
    'CREATE UNIQUE INDEX IF NOT EXISTS orders_by_id ON orders (order_key)',
    `CREATE TABLE IF NOT EXISTS fundings (
      account ${bytes} NOT NULL, ${position}, instrument_id ${int} NOT NULL, amount ${int} NOT NULL,
      body TEXT NOT NULL, PRIMARY KEY (account, time_ms, height, idx))${clustered}`,
    `CREATE TABLE IF NOT EXISTS ledger (
      account ${bytes} NOT NULL, kind ${int} NOT NULL, ${position}, version_height ${int} NOT NULL,
      version_idx ${int} NOT NULL, body TEXT NOT NULL, ${byKind})${clustered}`,
    `CREATE TABLE IF NOT EXISTS withdrawals (
      account ${bytes} NOT NULL, withdrawal_id ${int} NOT NULL, height ${int} NOT NULL,
      idx ${int} NOT NULL, time_ms ${int} NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (account, withdrawal_id))${clustered}`,
    `CREATE TABLE IF NOT EXISTS account_values (
      account ${bytes} NOT NULL, step_ms ${int} NOT NULL, time_ms ${int} NOT NULL,
      body TEXT NOT NULL, PRIMARY KEY (account, step_ms, time_ms))${clustered}`,
  ];
}

function builderRows({ bytes, clustered, int }: Words): readonly string[] {
  const position = `time_ms ${int} NOT NULL, height ${int} NOT NULL, idx ${int} NOT NULL`;
  return [
    `CREATE TABLE IF NOT EXISTS earnings (
      builder ${bytes} NOT NULL, ${position}, order_id ${int} NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (builder, time_ms, height, idx))${clustered}`,
    'CREATE UNIQUE INDEX IF NOT EXISTS earnings_by_order ON earnings (builder, order_id)',
    `CREATE TABLE IF NOT EXISTS claims (
      builder ${bytes} NOT NULL, ${position}, body TEXT NOT NULL,
      PRIMARY KEY (builder, time_ms, height, idx))${clustered}`,
    `CREATE TABLE IF NOT EXISTS builder_days (
      builder ${bytes} NOT NULL, day ${int} NOT NULL, account ${bytes} NOT NULL,
      instrument_id ${int} NOT NULL, fee ${int} NOT NULL,
      PRIMARY KEY (builder, day, account, instrument_id))${clustered}`,
    `CREATE TABLE IF NOT EXISTS builder_totals (
      builder ${bytes} NOT NULL PRIMARY KEY, earned ${int} NOT NULL, claimed ${int} NOT NULL
      )${clustered}`,
  ];
}

function marketRows({ clustered, int }: Words): readonly string[] {
  const sorts = ['volume', 'created_ms', 'start_ms', 'end_ms'];
  return [
    `CREATE TABLE IF NOT EXISTS candles (
      instrument_id ${int} NOT NULL, step_ms ${int} NOT NULL, start_ms ${int} NOT NULL,
      body TEXT NOT NULL, PRIMARY KEY (instrument_id, step_ms, start_ms))${clustered}`,
    `CREATE TABLE IF NOT EXISTS markets (
      instrument_id ${int} PRIMARY KEY, slug TEXT NOT NULL, title TEXT NOT NULL,
      event_slug TEXT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS settled_events (
      event_id ${int} PRIMARY KEY, slug TEXT NOT NULL, series_slug TEXT, created_ms ${int} NOT NULL,
      start_ms ${int} NOT NULL, end_ms ${int} NOT NULL, settled_ms ${int} NOT NULL,
      volume ${int} NOT NULL, tags TEXT NOT NULL, markets TEXT NOT NULL, body TEXT NOT NULL)`,
    ...sorts.flatMap((column) => [
      `CREATE INDEX IF NOT EXISTS settled_by_${column} ON settled_events (${column}, event_id)`,
      `CREATE INDEX IF NOT EXISTS settled_series_by_${column}
        ON settled_events (series_slug, ${column}, event_id)`,
    ]),
    'CREATE INDEX IF NOT EXISTS settled_by_slug ON settled_events (slug)',
    'CREATE INDEX IF NOT EXISTS settled_by_time ON settled_events (settled_ms)',
    `CREATE TABLE IF NOT EXISTS event_tags (
      tag TEXT NOT NULL, event_id ${int} NOT NULL, PRIMARY KEY (tag, event_id))${clustered}`,
    'CREATE INDEX IF NOT EXISTS event_tags_by_event ON event_tags (event_id)',
    `CREATE TABLE IF NOT EXISTS settled_markets (
      instrument_id ${int} PRIMARY KEY, slug TEXT NOT NULL, event_id ${int} NOT NULL)`,
    'CREATE INDEX IF NOT EXISTS settled_markets_by_slug ON settled_markets (slug)',
    'CREATE INDEX IF NOT EXISTS settled_markets_by_event ON settled_markets (event_id)',
  ];
}

/**
 * Adds tables for packed runs of rows and columns for compressed texts; existing rows are
 * unchanged.
 */
function runTables({ bytes, clustered, int }: Words): readonly string[] {
  const position = `time_ms ${int} NOT NULL, height ${int} NOT NULL, idx ${int} NOT NULL`;
  const runs = ['fill', 'order'].flatMap((name) => [
    `CREATE TABLE IF NOT EXISTS ${name}_runs (
      account ${bytes} NOT NULL, kind ${int} NOT NULL, ${position}, first_ms ${int} NOT NULL,
      rows ${int} NOT NULL, body ${bytes} NOT NULL,
      PRIMARY KEY (account, kind, time_ms, height, idx))${clustered}`,
    `CREATE TABLE IF NOT EXISTS ${name}_run_instruments (
      account ${bytes} NOT NULL, instrument_id ${int} NOT NULL, ${position}, kind ${int} NOT NULL,
      PRIMARY KEY (account, instrument_id, time_ms, height, idx))${clustered}`,
  ]);
  return [
    `ALTER TABLE tx_blocks ADD COLUMN packed ${bytes}`,
    `ALTER TABLE receipt_blocks ADD COLUMN packed ${bytes}`,
    ...runs,
    `CREATE TABLE IF NOT EXISTS child_orders (
      account ${bytes} NOT NULL, order_key ${int} NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (account, order_key))${clustered}`,
  ];
}

/** Adds traces of orders; orders from earlier releases have none. */
function traceTables({ bytes, clustered, int }: Words): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS arrivals (
      first_oid ${int} PRIMARY KEY, height ${int} NOT NULL, time_ms ${int} NOT NULL,
      body ${bytes} NOT NULL)`,
    'CREATE INDEX IF NOT EXISTS arrivals_by_height ON arrivals (height)',
    `CREATE TABLE IF NOT EXISTS order_ends (
      bucket ${int} NOT NULL, height ${int} NOT NULL, body ${bytes} NOT NULL,
      PRIMARY KEY (bucket, height))${clustered}`,
    `CREATE TABLE IF NOT EXISTS order_cloids (
      cloid_key ${int} NOT NULL, oid ${int} NOT NULL, time_ms ${int} NOT NULL,
      height ${int} NOT NULL, PRIMARY KEY (cloid_key, oid))${clustered}`,
  ];
}

/** Adds market figures, which are recorded starting with this release. */
function figureTables({ clustered, int }: Words): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS liquidations (
      instrument_id ${int} NOT NULL, time_ms ${int} NOT NULL, height ${int} NOT NULL,
      idx ${int} NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (instrument_id, time_ms, height, idx))${clustered}`,
    'CREATE INDEX IF NOT EXISTS liquidations_by_time ON liquidations (time_ms, height, idx)',
    `CREATE TABLE IF NOT EXISTS largest_trades (
      list ${int} NOT NULL, start_ms ${int} NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (list, start_ms))${clustered}`,
    `CREATE TABLE IF NOT EXISTS open_interest (
      instrument_id ${int} NOT NULL, time_ms ${int} NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (instrument_id, time_ms))${clustered}`,
  ];
}

/** Migrations in SQLite do not run in a transaction, so one is begun here. */
function inTransaction(run: (database: Kysely<unknown>) => Promise<void>) {
  return (database: Kysely<unknown>): Promise<void> =>
    database.isTransaction
      ? run(database)
      : database.transaction().execute((transaction) => run(transaction));
}

/**
 * Moves fills and orders from the tables of release 0.2.0, which had one row each, into runs and
 * drops those tables.
 */
async function packSingleRows(database: Kysely<unknown>, { bytes, clustered, int }: Words) {
  await sql
    .raw(
      `CREATE TABLE open_orders (
        account ${bytes} NOT NULL, order_key ${int} NOT NULL, kind ${int} NOT NULL,
        time_ms ${int} NOT NULL, height ${int} NOT NULL, idx ${int} NOT NULL,
        instrument_id ${int} NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (account, order_key))${clustered}`,
    )
    .execute(database);
  await packTable<Fill>(database, 'fill', fillPacker, fillCodec.decode);
  await packTable<HistOrderRow>(database, 'order', orderPacker, orderCodec.decode);
  for (const name of ['fills', 'orders'])
    await sql`DROP TABLE ${sql.table(name)}`.execute(database);
}

type SingleRow = Position & {
  readonly account: Uint8Array;
  readonly kind: number;
  readonly instrument_id: number;
  readonly order_key: number;
  readonly body: string;
};

async function packTable<Row extends Fill | HistOrderRow>(
  database: Kysely<unknown>,
  name: RunName,
  packer: RowPacker<Row>,
  decode: (body: string) => Row,
): Promise<void> {
  let last: SingleRow | undefined;
  for (;;) {
    const after =
      last === undefined
        ? sql``
        : sql`WHERE (account, kind, time_ms, height, idx) >
            (${last.account}, ${last.kind}, ${last.time_ms}, ${last.height}, ${last.idx})`;
    const { rows }: { rows: SingleRow[] } = await sql<SingleRow>`
      SELECT * FROM ${sql.table(`${name}s`)} ${after}
      ORDER BY account, kind, time_ms, height, idx LIMIT ${RUN_ROWS_MAX}`.execute(database);
    const [first] = rows;
    if (first === undefined) return;
    const owner = Buffer.from(first.account);
    const run = rows.filter(({ account, kind }) => kind === first.kind && owner.equals(account));
    last = run.at(-1);
    const draft = new Draft();
    const ended: Placed<Row>[] = [];
    for (const { body, height, idx: index, instrument_id: instrumentId, ...each } of run) {
      const row = decode(body);
      const { account, kind, order_key: orderKey, time_ms: timeMs } = each;
      if ('order' in row) {
        // Children are trigger orders, and queries show their newest rows in the parent.
        if (row.order.isTrigger) draft.add('child_orders', [account, orderKey, body]);
        if (isLive(row)) {
          const position = [timeMs, height, index];
          draft.add('open_orders', [account, orderKey, kind, ...position, instrumentId, body]);
          continue;
        }
      }
      ended.push({ place: { timeMs, height, index, instrumentId }, row });
    }
    if (ended.length > 0) addRun(draft, name, [first.account, first.kind], packer, ended);
    await insert(database, draft);
  }
}

async function insert(database: Kysely<unknown>, { tables }: Draft): Promise<void> {
  for (const [table, rows] of tables) {
    for (const row of rows) {
      await sql`INSERT INTO ${sql.table(table)} VALUES (${listOf(row)})
        ON CONFLICT DO NOTHING`.execute(database);
    }
  }
}

/** Moves requests and receipts stored per block into runs, and derives their keys again. */
async function packChain(
  database: Kysely<unknown>,
  { bytes, clustered, int }: Words,
): Promise<void> {
  const tables = [
    `CREATE TABLE chain_runs (
      height ${int} PRIMARY KEY, first_height ${int} NOT NULL, first_ms ${int} NOT NULL,
      txs ${int} NOT NULL, receipts ${int} NOT NULL, body ${bytes} NOT NULL)`,
    'CREATE INDEX chain_runs_with_receipts ON chain_runs (height) WHERE receipts > 0',
    'DROP TABLE receipt_keys',
    `CREATE TABLE receipt_keys (
      key ${int} NOT NULL, height ${int} NOT NULL, PRIMARY KEY (key, height))${clustered}`,
  ];
  for (const statement of tables) await sql.raw(statement).execute(database);
  for await (const blocks of earlierBlocks(database)) {
    const draft = new Draft();
    for (const run of runsOf(blocks)) addChainRun(draft, run);
    await insert(database, draft);
  }
  for (const name of ['tx_blocks', 'receipt_blocks']) {
    await sql`DROP TABLE ${sql.table(name)}`.execute(database);
  }
}
