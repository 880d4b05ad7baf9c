import { type Kysely, sql } from 'kysely';
import type { BlockRows, LiveRows } from '../rows/block-rows.ts';
import type { Answer, Ask, Page, StoreTopic } from '../history.ts';
import { type PruneLimits, Pruning } from './pruning.ts';
import { ANSWERS } from './answers.ts';
import { deleteSqlite, openSqlite, setSqliteAside } from './sqlite-driver.ts';
import {
  HistoryDamagedError,
  historyError,
  HistoryFullError,
  HistoryMovedError,
} from './store-errors.ts';
import { crc32 } from 'node:zlib';
import { addChain, blocksOf, keysOf } from './chain-runs.ts';
import { addBuilderRows } from './builder-rows.ts';
import {
  Draft,
  type Expectation,
  type HistoryDriver,
  type HistoryTables,
} from './history-tables.ts';
import { addMarketRows } from './market-rows.ts';
import { addRuns } from './run-rows.ts';
import { addArrivals, addOrderEnds } from './trace-rows.ts';
import { addUserRows } from './user-rows.ts';
export { HistoryDamagedError, HistoryFullError } from './store-errors.ts';

export type HistoryPlace =
  | { readonly file: string }
  | {
      readonly url: string;
      readonly isShared?: boolean | undefined;
    };

type HistoryStoreOptions = HistoryPlace & {
  readonly onDamaged?: (damage: HistoryDamage) => void;
};

export type HistoryDamage = { readonly why: string; readonly movedTo: string };

/** The rows of all blocks in a database. Operations run one after another. */
export interface HistoryStore {
  readonly height: number;
  /** The first block with rows; undefined in an empty store or one created by release 0.2.0. */
  readonly from: number | undefined;
  /**
   * Writes all rows of the blocks and the progress in one transaction; blocks at or below `height`
   * are ignored. Rejects with HistoryFullError, after which the caller retries, or with
   * HistoryDamagedError. Only the leader of the current term writes to a shared store.
   */
  write(blocks: readonly BlockRows[]): Promise<void>;
  /**
   * Answers a query. `live` contains the rows of live orders from the indexer's state at the same
   * height. Rejects with HistoryMovedError if another replica has written since the last refresh.
   */
  ask<Topic extends StoreTopic>(
    topic: Topic,
    question: Ask<Topic>,
    live?: LiveRows,
  ): Promise<Answer<Topic>>;
  /**
   * Deletes old rows in bounded batches and returns the number of rows deleted, 0 when none are
   * left. `pause` is called between two batches and returns whether to continue.
   */
  prune(limits: PruneLimits, pause?: () => Promise<boolean>): Promise<number>;
  /**
   * Reads a few runs of requests and receipts and checks that their keys exist. Returns the last
   * height that was read, or undefined after the last block. Rejects with HistoryDamagedError.
   */
  scrub(afterHeight: number, limit: number): Promise<number | undefined>;
  /**
   * Sets the term in which this replica writes to the shared store; undefined if it is to stop
   * writing.
   */
  lead(term: number | undefined): void;
  refresh(): Promise<void>;
  stats(): Promise<{ readonly rows: Readonly<Record<string, number>>; readonly bytes: number }>;
  close(): Promise<void>;
}

/** The advisory lock held during each write to a shared store. */
const FENCE_LOCK = 0x0dd2;

function inText<Found>(question: object, answer: Found): Found {
  if (!('asText' in question) || !isPage(answer) || answer.text !== undefined) return answer;
  const { rows } = answer as Page<unknown>;
  return { ...answer, rows: [], text: { json: JSON.stringify(rows), count: rows.length } };
}

function isPage(answer: unknown): answer is Page<unknown> {
  return typeof answer === 'object' && answer !== null && 'rows' in answer;
}

/**
 * Opens and migrates the store. A damaged store is moved out of the way and replaced by an empty
 * one.
 */
export async function openHistoryStore(options: HistoryStoreOptions): Promise<HistoryStore> {
  try {
    return await open(options);
  } catch (error) {
    if (!(error instanceof HistoryDamagedError)) throw error;
    const movedTo = await setHistoryAside(options);
    options.onDamaged?.({ why: error.message, movedTo });
    return open(options);
  }
}

/** Rejects if the database server is unreachable; a file is always available. */
export async function reachHistory(place: HistoryPlace): Promise<void> {
  if ('url' in place) await (await postgres()).reachPostgres(place.url);
}

/** Renames the store and returns its new location. The store must not be open. */
export async function setHistoryAside(place: HistoryPlace): Promise<string> {
  if ('file' in place) return setSqliteAside(place.file);
  return (await postgres()).setPostgresAside(place.url);
}

export async function deleteHistory(place: HistoryPlace): Promise<void> {
  if ('file' in place) deleteSqlite(place.file);
  else await (await postgres()).deletePostgres(place.url);
}

async function open(place: HistoryPlace): Promise<HistoryStore> {
  if ('file' in place) return historyStoreOn(await openSqlite(place.file));
  const { isShared = false, url } = place;
  return historyStoreOn(await (await postgres()).openPostgres(url, { isShared }), isShared);
}

/**
 * The driver is loaded on demand, because a venue that uses a file does not need the client
 * library.
 */
const postgres = () => import('./postgres-driver.ts');

/** Returns the store of an open database, which is closed if its progress cannot be read. */
export async function historyStoreOn(
  driver: HistoryDriver,
  isShared = false,
): Promise<HistoryStore> {
  try {
    return new DatabaseHistoryStore(driver, await readProgress(driver), isShared);
  } catch (error) {
    await driver.close();
    throw historyError(error);
  }
}

async function readProgress({ database }: Pick<HistoryDriver, 'database'>): Promise<Progress> {
  const row = await database.selectFrom('progress').select(['text', 'crc']).executeTakeFirst();
  return row === undefined ? NO_PROGRESS : decodeProgress(row);
}

class DatabaseHistoryStore implements HistoryStore {
  readonly #driver: HistoryDriver;
  readonly #pruning: Pruning;
  readonly #isShared: boolean;
  #progress: Progress;
  #term: number | undefined;
  /** After a failed write, only the database knows whether the write was committed. */
  #isUncertain = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(driver: HistoryDriver, progress: Progress, isShared: boolean) {
    this.#driver = driver;
    this.#progress = progress;
    this.#isShared = isShared;
    this.#pruning = new Pruning();
  }

  get height(): number {
    return this.#progress.height;
  }

  get from(): number | undefined {
    return this.#progress.from;
  }

  lead(term: number | undefined): void {
    this.#term = term;
  }

  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      this.#progress = await readProgress(this.#driver);
      this.#isUncertain = false;
    });
  }

  write(blocks: readonly BlockRows[]): Promise<void> {
    return this.#inTurn(async () => {
      const term = this.#isShared ? this.#ownTerm() : undefined;
      if (this.#isUncertain) this.#progress = await readProgress(this.#driver);
      const fresh = blocks.filter(({ head }) => head.height > this.#progress.height);
      const [first, last] = [fresh[0]?.head, fresh.at(-1)?.head];
      if (first === undefined || last === undefined) return;
      const { added, tables } = batchOf(fresh);
      const rows = counted(this.#progress.rows, added);
      const begins = this.#progress.height === 0 ? { from: first.height } : {};
      const own = term === undefined ? {} : { term };
      const progress = { ...this.#progress, ...begins, ...own, height: last.height, rows };
      const { crc, text } = encodeProgress(progress);
      this.#isUncertain = true;
      const written = new Map([...tables, ['progress', [[1, text, crc]]] as const]);
      await this.#driver.write(written, term === undefined ? undefined : this.#fence(term));
      this.#progress = progress;
      this.#isUncertain = false;
    });
  }

  ask<Topic extends StoreTopic>(
    topic: Topic,
    question: Ask<Topic>,
    live?: LiveRows,
  ): Promise<Answer<Topic>> {
    return this.#inTurn(async () => {
      const { database } = this.#driver;
      const find = async (from: typeof database) =>
        inText(question, await ANSWERS[topic](from, question, live));
      if (!this.#isShared || this.#term !== undefined) return find(database);
      // The result must belong to the height the caller has read, so both are read in one
      // transaction.
      const snapshot = database.transaction().setIsolationLevel('repeatable read');
      return snapshot.execute(async (transaction) => {
        const now = await readProgress({ database: transaction });
        const isMoved = now.height !== this.#progress.height;
        this.#progress = now;
        if (isMoved) throw new HistoryMovedError(`the history is at block ${now.height}`);
        return find(transaction);
      });
    });
  }

  #ownTerm(): number {
    if (this.#term !== undefined) return this.#term;
    throw new HistoryFullError('another replica writes the history');
  }

  /**
   * Detects that another replica writes, because a suspended process can still assume that it is
   * the leader.
   */
  #fence(term: number): Expectation {
    return async (transaction) => {
      // Makes the next writer wait until it can read the progress stored by this write.
      await sql`SELECT pg_advisory_xact_lock(${FENCE_LOCK})`.execute(transaction);
      const now = await readProgress({ database: transaction });
      if ((now.term ?? 0) <= term && now.height === this.#progress.height) return;
      throw new HistoryFullError('another replica has written to the history in the meantime');
    };
  }

  async prune(limits: PruneLimits, pause?: () => Promise<boolean>): Promise<number> {
    // Only the leader deletes rows from a shared store.
    if (this.#isShared && this.#term === undefined) return 0;
    let deleted = 0;
    try {
      for (;;) {
        const step = await this.#inTurn(() => this.#pruneSome(limits));
        deleted += step.deleted;
        if (step.isDone || (await pause?.()) === false) return deleted;
      }
    } catch (error) {
      // There is no disk space to store the progress; the next call deletes more rows.
      if (error instanceof HistoryFullError) return deleted;
      throw error;
    }
  }

  async #pruneSome(limits: PruneLimits): Promise<{ deleted: number; isDone: boolean }> {
    if (this.#isUncertain) this.#progress = await readProgress(this.#driver);
    this.#isUncertain = true;
    const { database } = this.#driver;
    const { progress, ...step } = await database.transaction().execute(async (transaction) => {
      if (this.#isShared) await this.#fence(this.#ownTerm())(transaction);
      const { counts: pruned, isDone } = await this.#pruning.step(transaction, limits);
      const counts = Object.entries(pruned).map(([name, count]) => [name, -count] as const);
      const rows = counted(this.#progress.rows, Object.fromEntries(counts));
      const deleted = Object.values(pruned).reduce((sum, count) => sum + count, 0);
      const next = { ...this.#progress, rows };
      if (deleted > 0) {
        await transaction.updateTable('progress').set(encodeProgress(next)).execute();
      }
      return { progress: next, deleted, isDone };
    });
    this.#progress = progress;
    this.#isUncertain = false;
    return step;
  }

  scrub(afterHeight: number, limit: number): Promise<number | undefined> {
    return this.#inTurn(() => scrubSome(this.#driver.database, { afterHeight, limit }));
  }

  stats(): Promise<{ rows: Readonly<Record<string, number>>; bytes: number }> {
    return this.#inTurn(async () => ({
      rows: this.#progress.rows,
      bytes: await this.#driver.bytes(),
    }));
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#driver.close());
  }

  /** Runs one operation after another, so that a result never includes half of a write. */
  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(run).catch((error: unknown) => {
      throw historyError(error);
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}

export function batchOf(blocks: readonly BlockRows[]): Draft {
  const draft = new Draft();
  for (const block of blocks) {
    addUserRows(draft, block);
    addArrivals(draft, block);
    addBuilderRows(draft, block);
    addMarketRows(draft, block);
  }
  addChain(draft, blocks);
  addOrderEnds(draft, blocks);
  addRuns(draft, blocks);
  return draft;
}

type Progress = {
  readonly height: number;
  /** The first block with rows; 1 in a store created by release 0.2.0. */
  readonly from?: number;
  /** The term of the last writer of a shared store. Writers with a lower term are rejected. */
  readonly term?: number;
  readonly rows: Readonly<Record<string, number>>;
};

const NO_PROGRESS: Progress = { height: 0, rows: {} };

export function encodeProgress(progress: Progress): { text: string; crc: number } {
  const text = JSON.stringify(progress);
  return { text, crc: crc32(text) };
}

export function decodeProgress(row: { readonly text: string; readonly crc: number }): Progress {
  if (crc32(row.text) !== row.crc) {
    throw new HistoryDamagedError('the progress record is damaged');
  }
  return JSON.parse(row.text) as Progress;
}

/**
 * Returns the row counts after some rows were added or deleted. They are sorted by name, so that
 * the result does not depend on the batches.
 */
export function counted(
  rows: Readonly<Record<string, number>>,
  added: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums = { ...rows };
  for (const [name, count] of Object.entries(added)) {
    const sum = (sums[name] ?? 0) + count;
    if (sum !== 0 || name in sums) sums[name] = Math.max(0, sum);
  }
  return Object.fromEntries(Object.entries(sums).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

type Database = Kysely<HistoryTables>;

/** Reads runs to find damage, because SQLite does not detect a changed byte in a value. */
async function scrubSome(
  database: Database,
  { afterHeight, limit }: { readonly afterHeight: number; readonly limit: number },
): Promise<number | undefined> {
  const runs = await database
    .selectFrom('chain_runs')
    .selectAll()
    .where('height', '>', afterHeight)
    .orderBy('height')
    .limit(limit)
    .execute();
  for (const run of runs) {
    const keys = [...keysOf(blocksOf(run))];
    const found = await database
      .selectFrom('receipt_keys')
      .select('key')
      .where('height', '=', run.height)
      .where('key', 'in', keys)
      .execute();
    if (found.length < keys.length) {
      throw new HistoryDamagedError(`a key of block ${run.height} is missing`);
    }
  }
  return runs.at(-1)?.height;
}
