import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect, type QueryResult, sql } from 'kysely';
import type { Socket } from 'node:net';
import { systemTime } from '@oddlot/host/clock';
import pg from 'pg';
import {
  type Draft,
  type Expectation,
  type HistoryDriver,
  type HistoryTables,
  insertStatement,
  type TableName,
  tableOf,
} from './history-tables.ts';
import { migrate } from './migrate.ts';
import { HistoryFullError, historyError } from './store-errors.ts';

/** The schema that separates the tables from other content in the database. */
const SCHEMA = 'oddlot';
/**
 * The lock held by a venue that writes. Two writers would store different rows under the same keys.
 */
const WRITER_LOCK = 0x0dd1;
const ROWS_PER_STATEMENT = 10_000;
/** Timeouts for a server that is running but does not respond. */
export type Patience = { readonly connectMs: number; readonly statementMs: number };
const PATIENCE: Patience = { connectMs: 5_000, statementMs: 10_000 };
/**
 * The maximum time to wait for a connection to close, in milliseconds, because a silent server
 * never confirms it.
 */
const CLOSE_MS_MAX = 2_000;
/** The error message of the client library's own timeout. */
const SILENT = 'Query read timeout';
/**
 * The number of attempts to acquire the lock at startup. The server releases the lock of a killed
 * process with a delay.
 */
const LOCK_TRIES = 15;
const LOCK_EVERY_MS = 200;

/**
 * Types of 64-bit integers and their sums. Heights, milliseconds and micro-USDC fit into a number.
 */
const NUMBER_TYPES: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];

class HistoryTakenError extends Error {
  override readonly name = 'HistoryTakenError';
}

type PostgresOptions = {
  readonly patience?: Patience;
  /**
   * True if replicas of one venue share the database. One of them writes, and each transaction
   * carries its term.
   */
  readonly isShared?: boolean;
};

export async function openPostgres(
  url: string,
  { isShared = false, patience = PATIENCE }: PostgresOptions = {},
): Promise<HistoryDriver> {
  // With a single connection, the holder of the lock is the writer, and results are in the order of
  // their queries.
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 0,
    ...timeoutsOf(patience),
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        NUMBER_TYPES.includes(oid)
          ? Number
          : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  });
  // If an idle connection is lost, the next query opens another one.
  pool.on('error', () => undefined);
  // If a connection is lost between two statements, the second one fails and reports the error.
  let newest: pg.PoolClient | undefined;
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    newest = client;
    cutWhenSilent(client);
  });
  let isWriter = false;
  const dialect = new PostgresDialect({
    pool,
    onCreateConnection: async (connection) => {
      try {
        await connection.executeQuery(CompiledQuery.raw(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`));
        await connection.executeQuery(CompiledQuery.raw(`SET search_path TO ${SCHEMA}`));
        isWriter = isShared || (await takesLock(connection));
      } catch (error) {
        // Without this, a pool with one connection could neither replace the connection nor end.
        newest?.release(error as Error);
        throw error;
      }
    },
  });
  const database = new Kysely<HistoryTables>({ dialect });
  // After a reconnection, the server can still hold the lock of the previous connection.
  const expectWriter: Expectation = async (transaction) => {
    isWriter ||= await takesLock(transaction);
    if (!isWriter) throw new HistoryFullError('another venue is writing to the database');
  };
  const close = async (): Promise<void> => {
    const timer = setTimeout(() => newest && cutOff(newest), CLOSE_MS_MAX);
    await database.destroy().finally(() => clearTimeout(timer));
  };
  try {
    await sql`SELECT 1`.execute(database);
    for (let tries = 1; !isWriter && tries < LOCK_TRIES; tries += 1) {
      await sleep(LOCK_EVERY_MS);
      isWriter = await takesLock(database);
    }
    if (!isWriter) throw new HistoryTakenError('another venue is writing to the database');
    await migrate(database, 'postgres');
  } catch (error) {
    await close();
    throw historyError(error);
  }
  return {
    database,
    write: (tables, expect) => writeTables(database, tables, [expectWriter, expect]),
    bytes: () => bytesOf(database),
    close,
  };
}

function timeoutsOf({ connectMs, statementMs }: Patience) {
  return {
    connectionTimeoutMillis: connectMs,
    // The server's timeout is shorter, because the connection is still usable after it.
    statement_timeout: Math.ceil(statementMs * 0.9),
    query_timeout: statementMs,
    keepAlive: true,
  };
}

/**
 * Closes the connection after the client library times out, because the statement is still running
 * on it. The next query opens another connection.
 */
function cutWhenSilent(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
  const cut = (error: unknown): void => {
    if (error instanceof Error && error.message === SILENT) cutOff(client);
  };
  const watched = (...parts: unknown[]): unknown => {
    const asked = query(...parts);
    if (asked instanceof Promise) asked.catch(cut);
    return asked;
  };
  Object.assign(client, { query: watched });
}

function cutOff(client: pg.PoolClient): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

export async function reachPostgres(url: string): Promise<void> {
  try {
    await withClient(url, async (client) => void (await client.query('SELECT 1')));
  } catch (error) {
    // A server that is starting or stopping counts as reachable.
    if (!STARTING_UP.has(codeOf(error))) throw error;
  }
}

const STARTING_UP: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

async function takesLock(connection: {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
}): Promise<boolean> {
  const lock = CompiledQuery.raw('SELECT pg_try_advisory_lock($1) AS taken', [WRITER_LOCK]);
  const { rows } = await connection.executeQuery(lock as CompiledQuery<{ taken: boolean }>);
  return rows[0]?.taken === true;
}

export async function setPostgresAside(url: string): Promise<string> {
  const movedTo = `${SCHEMA}_damaged_${systemTime.wallMs()}`;
  await withClient(url, async (client) => {
    const exists = await client.query('SELECT to_regnamespace($1) AS there', [SCHEMA]);
    const isThere = (exists.rows as { there: string | null }[])[0]?.there !== null;
    if (isThere) await client.query(`ALTER SCHEMA ${SCHEMA} RENAME TO ${movedTo}`);
  });
  return movedTo;
}

export async function deletePostgres(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  });
}

async function withClient(url: string, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, ...timeoutsOf(PATIENCE) });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}

async function writeTables(
  database: Kysely<HistoryTables>,
  tables: Draft['tables'],
  expectations: readonly (Expectation | undefined)[],
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    for (const expect of expectations) await expect?.(transaction);
    for (const [name, rows] of tables) {
      const statement = bulkStatement(name);
      for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
        const part = rows.slice(from, from + ROWS_PER_STATEMENT);
        const columns = Object.keys(tableOf(name).columns).map((_, at) =>
          part.map((row) => row[at]),
        );
        await transaction.executeQuery(CompiledQuery.raw(statement, columns));
      }
    }
  });
}

/** Returns an insert statement with one list per column; the server expands the lists to rows. */
function bulkStatement(name: TableName): string {
  const types = Object.values(tableOf(name).columns).map((type) => type.replace('?', ''));
  const lists = types.map((type, at) => `$${at + 1}::${type}[]`);
  return insertStatement(name, `SELECT * FROM unnest(${lists.join(', ')})`);
}

async function bytesOf(database: Kysely<HistoryTables>): Promise<number> {
  const sum = sql<{ bytes: number }>`SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0) AS bytes
    FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace(${SCHEMA})`;
  const { rows } = await sum.execute(database);
  return Number(rows[0]?.bytes ?? 0);
}
