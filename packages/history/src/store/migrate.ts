import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { HistoryLaterError } from './store-errors.ts';

/**
 * How the tables came to be what they are. A migration that was released is never edited: a change is
 * another one behind it. Rows are clustered by who asks for them, so that a page of the newest is one
 * range of a tree; PostgreSQL keeps the same as an index beside the rows.
 */
type Dialect = 'sqlite' | 'postgres';

/** Brings the tables up to date. Rejects when another program made them what this one does not know. */
export async function migrate<Tables>(database: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const provider = {
    getMigrations: async () => ({
      '0001-rows': statements(rowTables(WORDS[dialect])),
      '0002-runs': statements(runTables(WORDS[dialect])),
      '0003-traces': statements(traceTables(WORDS[dialect])),
      '0004-figures': statements(figureTables(WORDS[dialect])),
    }),
  };
  const { error } = await new Migrator({ db: database, provider }).migrateToLatest();
  if (error === undefined) return;
  const isLater = error instanceof Error && error.message.startsWith('corrupted migrations');
  throw isLater ? new HistoryLaterError() : error;
}

type Words = {
  /** Wide enough for heights and milliseconds. */
  readonly int: string;
  readonly bytes: string;
  /** Behind a table whose rows are kept in its key's order. */
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

/** Rows that follow each other are kept together, and texts packed; what is there already stays as it is. */
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

/** How orders fared in their books; of those that were there before, nobody knows. */
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

/** What markets are looked at by; of the time before there is nothing. */
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
