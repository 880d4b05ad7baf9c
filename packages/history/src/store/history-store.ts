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
import { addChain, hashKey, keysOf, unpackReceipts, unpackTxs } from './chain-rows.ts';
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

/** A file of SQLite, or a PostgreSQL server. */
export type HistoryPlace =
  | { readonly file: string }
  | {
      readonly url: string;
      /** Several replicas have it open. */
      readonly isShared?: boolean | undefined;
    };

type HistoryStoreOptions = HistoryPlace & {
  /** What was there is damaged: it was set aside, and a store without rows is opened. */
  readonly onDamaged?: (damage: HistoryDamage) => void;
};

export type HistoryDamage = { readonly why: string; readonly movedTo: string };

/** Rows of everything that happened, in a database. It answers in the order in which it is asked. */
export interface HistoryStore {
  /** Rows of blocks up to here are durable. */
  readonly height: number;
  /** Rows of blocks from here on are there; undefined in a store that is empty or that release 0.2.0 began. */
  readonly from: number | undefined;
  /**
   * All rows of the blocks and the progress in one transaction; blocks at or below `height` are passed
   * over. Rejects with HistoryFullError, to be tried again, or HistoryDamagedError.
   * Of a store that is shared only who leads writes, and nobody whose term is over.
   */
  write(blocks: readonly BlockRows[]): Promise<void>;
  /**
   * Orders that live are with whoever follows the blocks, and must be of the same height. Rejects with
   * HistoryMovedError when others have written behind it.
   */
  ask<Topic extends StoreTopic>(
    topic: Topic,
    question: Ask<Topic>,
    live?: LiveRows,
  ): Promise<Answer<Topic>>;
  /**
   * Deletes a bounded portion of what is older; returns how many rows went, 0 when none is left. Between two steps the
   * caller does other work, and says whether it may continue.
   */
  prune(limits: PruneLimits, pause?: () => Promise<boolean>): Promise<number>;
  /**
   * Reads the packed rows of some blocks, and looks for the keys that lead to them. Rejects with
   * HistoryDamagedError; returns the last height read, undefined behind the last block.
   */
  scrub(afterHeight: number, limit: number): Promise<number | undefined>;
  /** Of the replicas that share it, this one writes from now on, in a term; undefined: no longer. */
  lead(term: number | undefined): void;
  /** Looks how far others have written. */
  refresh(): Promise<void>;
  stats(): Promise<{ readonly rows: Readonly<Record<string, number>>; readonly bytes: number }>;
  close(): Promise<void>;
}

/** Held by whoever writes to a store that is shared, until it has. */
const FENCE_LOCK = 0x0dd2;

/** A page whose rows were asked for as text. */
function inText<Found>(question: object, answer: Found): Found {
  if (!('asText' in question) || !isPage(answer) || answer.text !== undefined) return answer;
  const { rows } = answer as Page<unknown>;
  return { ...answer, rows: [], text: { json: JSON.stringify(rows), count: rows.length } };
}

function isPage(answer: unknown): answer is Page<unknown> {
  return typeof answer === 'object' && answer !== null && 'rows' in answer;
}

/** Opens and migrates it. What is damaged is set aside for a new one, which has no rows. */
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

/** Rejects where there is nobody to keep a history: a file is always there. */
export async function reachHistory(place: HistoryPlace): Promise<void> {
  if ('url' in place) await (await postgres()).reachPostgres(place.url);
}

/** Out of the way of a new one, and where to; nobody may have it open. */
export async function setHistoryAside(place: HistoryPlace): Promise<string> {
  if ('file' in place) return setSqliteAside(place.file);
  return (await postgres()).setPostgresAside(place.url);
}

/** Without a trace, to be computed again. */
export async function deleteHistory(place: HistoryPlace): Promise<void> {
  if ('file' in place) deleteSqlite(place.file);
  else await (await postgres()).deletePostgres(place.url);
}

async function open(place: HistoryPlace): Promise<HistoryStore> {
  if ('file' in place) return historyStoreOn(await openSqlite(place.file));
  const { isShared = false, url } = place;
  return historyStoreOn(await (await postgres()).openPostgres(url, { isShared }), isShared);
}

/** Who keeps the history in a file does without the client of a server. */
const postgres = () => import('./postgres-driver.ts');

/** Closes the database when it can't be read. */
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
  /** That in which this one writes to a store that is shared; undefined while another does. */
  #term: number | undefined;
  /** After a failure only the database knows whether it had committed. */
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
      // Of one moment, and of the block that whoever asks knows of.
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

  /** A process that was frozen still believes that it leads: here it learns that it does not. */
  #fence(term: number): Expectation {
    return async (transaction) => {
      // One at a time: what the next one reads of the progress is what this one has written.
      await sql`SELECT pg_advisory_xact_lock(${FENCE_LOCK})`.execute(transaction);
      const now = await readProgress({ database: transaction });
      if ((now.term ?? 0) <= term && now.height === this.#progress.height) return;
      throw new HistoryFullError('another replica has written to the history in the meantime');
    };
  }

  async prune(limits: PruneLimits, pause?: () => Promise<boolean>): Promise<number> {
    // Who leads does.
    if (this.#isShared && this.#term === undefined) return 0;
    let deleted = 0;
    try {
      for (;;) {
        const step = await this.#inTurn(() => this.#pruneSome(limits));
        deleted += step.deleted;
        if (step.isDone || (await pause?.()) === false) return deleted;
      }
    } catch (error) {
      // Without room to note what goes, it stays until the next time.
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
      const { gone, isDone } = await this.#pruning.step(transaction, limits);
      const counts = Object.entries(gone).map(([name, count]) => [name, -count] as const);
      const rows = counted(this.#progress.rows, Object.fromEntries(counts));
      const deleted = Object.values(gone).reduce((sum, count) => sum + count, 0);
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

  /** One after the other: an answer never sees half of what is written. */
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
    addChain(draft, block);
    addUserRows(draft, block);
    addArrivals(draft, block);
    addBuilderRows(draft, block);
    addMarketRows(draft, block);
  }
  addOrderEnds(draft, blocks);
  addRuns(draft, blocks);
  return draft;
}

/** How far the rows go, and how many there are; it is written with the rows themselves. */
type Progress = {
  readonly height: number;
  /** The first block with rows; 1 in a store that release 0.2.0 began, which did not record it. */
  readonly from?: number;
  /** Of whoever wrote last, where several share a server: who has a lower one is too late. */
  readonly term?: number;
  /** By kind of row, of those that were not deleted. */
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

/** The numbers of rows after some came, or went: by name, so that the same rows are noted alike in whatever batches they came. */
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

/** SQLite does not notice a flipped byte inside of a value: packed rows are looked through for it. */
async function scrubSome(
  database: Database,
  { afterHeight, limit }: { readonly afterHeight: number; readonly limit: number },
): Promise<number | undefined> {
  const receipts = await database
    .selectFrom('receipt_blocks')
    .selectAll()
    .where('height', '>', afterHeight)
    .orderBy('height')
    .limit(limit)
    .execute();
  const txs = await database
    .selectFrom('tx_blocks')
    .selectAll()
    .where('height', '>', afterHeight)
    .orderBy('height')
    .limit(limit)
    .execute();
  for (const block of receipts) {
    for (const row of unpackReceipts(block)) await expectKeys(database, block.height, keysOf(row));
  }
  for (const block of txs) {
    for (const { txHash } of unpackTxs(block)) {
      await expectKeys(database, block.height, [hashKey(txHash.slice(2))]);
    }
  }
  // Both were read up to the lower of their ends, unless one of them ended.
  const ends = [receipts, txs]
    .filter((read) => read.length === limit)
    .map((read) => heightOf(read));
  if (ends.length > 0) return Math.min(...ends);
  const last = Math.max(heightOf(receipts), heightOf(txs));
  return last > afterHeight ? last : undefined;
}

function heightOf(rows: readonly { readonly height: number }[]): number {
  return rows.at(-1)?.height ?? 0;
}

async function expectKeys(
  database: Database,
  height: number,
  keys: readonly number[],
): Promise<void> {
  for (const key of keys) {
    const found = await database
      .selectFrom('receipt_keys')
      .select('height')
      .where('key', '=', key)
      .where('height', '=', height)
      .executeTakeFirst();
    if (found === undefined) throw new HistoryDamagedError(`a key of block ${height} is missing`);
  }
}
