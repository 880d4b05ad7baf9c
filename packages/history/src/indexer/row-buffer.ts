import type { AsOf, BlockRecord } from '../history.ts';
import type { BlockRows } from '../rows/block-rows.ts';
import type { HistoryStore } from '../store/history-store.ts';
import {
  type HistoryDamagedError,
  HistoryForeignError,
  HistoryFullError,
  HistoryIncompleteError,
  HistoryMovedError,
} from '../store/store-errors.ts';
import type { IndexerSettings } from './indexer-messages.ts';

/** The number of rows per transaction. A query waits for one transaction at most. */
const ROWS_AT_ONCE = 5_000;
/**
 * The number of rows that can be waiting for disk space. No more are created until some have been
 * written (R-disk).
 */
const ROWS_HELD_MAX = 20_000;

type Head = Pick<BlockRows['head'], 'height' | 'hash'>;

/** Rows that are not stored yet, in order. After a crash, they are recomputed from the log. */
export class RowBuffer {
  readonly store: HistoryStore;
  /** Hashes of the first and last block in the store, which must match those in the log. */
  readonly #known: ReadonlyMap<number, string>;
  #blocks: BlockRows[] = [];
  #rows = 0;
  #wroteMs = 0;
  #stored: AsOf;
  #since: AsOf['since'];
  #held: HistoryFullError | undefined;
  #foreign: HistoryForeignError | undefined;
  #incomplete: HistoryIncompleteError | undefined;

  private constructor(store: HistoryStore, timeMs: number, known: ReadonlyMap<number, string>) {
    this.store = store;
    this.#known = known;
    this.#stored = { height: store.height, timeMs };
  }

  static async on(store: HistoryStore): Promise<RowBuffer> {
    const last = await blockAt(store, store.height);
    const known = new Map<number, string>();
    for (const each of [await blockAt(store, 1), last]) {
      if (each !== undefined) known.set(each.height, each.hash);
    }
    const rows = new RowBuffer(store, last?.timeMs ?? 0, known);
    await rows.#beginAt(store.from);
    return rows;
  }

  get stored(): AsOf {
    return this.#since === undefined ? this.#stored : { ...this.#stored, since: this.#since };
  }

  /**
   * True if no rows are waiting. It is false even without rows if the store belongs to another log,
   * because the next write must report that.
   */
  get isEmpty(): boolean {
    return this.#blocks.length === 0 && this.#foreign === undefined;
  }

  /** True if there are enough rows for a transaction, or a foreign store must be reported. */
  get isDue(): boolean {
    if (this.#foreign !== undefined) return true;
    return this.#held === undefined && this.#rows >= ROWS_AT_ONCE;
  }

  get restMs(): number {
    return performance.now() - this.#wroteMs;
  }

  get unfit(): HistoryDamagedError | undefined {
    return this.#foreign ?? this.#incomplete;
  }

  /** Why the last transaction must be retried; undefined if it was written. */
  get heldWhy(): string | undefined {
    return this.#held?.message;
  }

  get isFull(): boolean {
    return this.#rows >= ROWS_HELD_MAX;
  }

  /** Adds the rows of a block. Blocks that are already stored are only compared. */
  add(rows: BlockRows): void {
    const { hash, height } = rows.head;
    if (height <= this.store.height) {
      this.#expect(rows.head, this.#known.get(height) ?? hash);
      if (height === this.store.height) this.#stored = { height, timeMs: rows.head.timeMs };
      return;
    }
    const { unstoredOrders: _untold, ...stored } = rows;
    this.#blocks.push(stored);
    this.#rows += countOf(rows);
  }

  /**
   * Compares a block with the stored one, if there is one. If they differ, nothing is written any
   * more.
   */
  async compare(head: Head): Promise<void> {
    const stored = await blockAt(this.store, head.height);
    if (stored !== undefined) this.#expect(head, stored.hash);
  }

  /**
   * Marks the store as belonging to another log if there is a gap between it and the log, because a
   * log never drops blocks missing from its own history.
   */
  expectAdjacent(firstSeq: number): void {
    const { height } = this.store;
    if (height === 0 || height >= firstSeq - 1) return;
    const gap = `its last block is ${height}, but the log begins with block ${firstSeq}`;
    this.#foreign = new HistoryForeignError(gap);
  }

  /** Marks the store as incomplete if the log has blocks before the first stored row. */
  async expectWhole(firstSeq: number): Promise<void> {
    const { from: begin = 1, height } = this.store;
    if (height === 0) return;
    await this.#beginAt(begin);
    if (begin === 1 || firstSeq > 1) return;
    const why = `its rows begin with block ${begin}, but the log with block 1`;
    this.#incomplete = new HistoryIncompleteError(why);
  }

  /**
   * Reads how far another writer of a shared store has progressed, and drops the rows it has
   * written.
   */
  async refresh(): Promise<void> {
    await this.store.refresh();
    const { height } = this.store;
    const theirs = this.#blocks.filter(({ head }) => head.height <= height);
    const last = theirs.at(-1);
    if (last === undefined) return;
    this.#blocks.splice(0, theirs.length);
    this.#rows -= theirs.reduce((sum, each) => sum + countOf(each), 0);
    this.#held = undefined;
    if (last.head.height === height) this.#stored = { height, timeMs: last.head.timeMs };
  }

  /** Writes one transaction. Returns false if the disk was full; the same rows are then retried. */
  async writeSome(): Promise<boolean> {
    if (this.#foreign !== undefined) throw this.#foreign;
    const blocks = this.#next();
    const last = blocks.at(-1);
    if (last === undefined) return true;
    try {
      await this.store.write(blocks);
    } catch (error) {
      if (!(error instanceof HistoryFullError)) throw error;
      this.#held = error;
      return false;
    }
    this.#held = undefined;
    this.#wroteMs = performance.now();
    this.#blocks.splice(0, blocks.length);
    this.#rows -= blocks.reduce((sum, each) => sum + countOf(each), 0);
    this.#stored = { height: last.head.height, timeMs: last.head.timeMs };
    if (this.#since === undefined) await this.#beginAt(this.store.from);
    return true;
  }

  async writeAll(): Promise<void> {
    while (!this.isEmpty && (await this.writeSome()));
  }

  async #beginAt(height = 1): Promise<void> {
    if (height === 1) return;
    const first = await blockAt(this.store, height);
    this.#since = { height, timeMs: first?.timeMs ?? 0 };
  }

  #expect({ hash, height }: Head, stored: string): void {
    if (hash === stored) return;
    this.#foreign = new HistoryForeignError(`its block ${height} differs from that of the log`);
  }

  #next(): BlockRows[] {
    let rows = 0;
    let count = 0;
    for (const block of this.#blocks) {
      if (rows >= ROWS_AT_ONCE) break;
      rows += countOf(block);
      count += 1;
    }
    return this.#blocks.slice(0, count);
  }
}

/** Returns only the head of a stored block. If its content is damaged, that is detected later. */
async function blockAt(store: HistoryStore, height: number): Promise<BlockRecord | undefined> {
  for (;;) {
    try {
      const [block] = await store.ask('blocks', { before: height + 1, limit: 1 });
      return block?.height === height ? block : undefined;
    } catch (error) {
      // The query is repeated, because another writer has added rows in the meantime. Such rows do
      // not change a stored block.
      if (!(error instanceof HistoryMovedError)) throw error;
    }
  }
}

/**
 * Returns the number of rows in a block. The block itself counts too, because it advances the
 * progress.
 */
export function countOf(rows: BlockRows): number {
  let count = 1;
  for (const name of COUNTED) count += rows[name]?.length ?? 0;
  return count;
}

/** The lists stored for a block. A block's arrivals are stored in a single row. */
const COUNTED = [
  'txs',
  'receipts',
  'fills',
  'orders',
  'ends',
  'fundings',
  'ledger',
  'earnings',
  'claims',
  'withdrawals',
  'candles',
  'accountValues',
  'markets',
  'settledEvents',
  'liquidations',
  'largestTrades',
  'openInterest',
] as const satisfies readonly (keyof BlockRows)[];

/** How often old rows are deleted, in milliseconds of block time. */
const PRUNE_EVERY_MS = 3_600_000;
const STATS_EVERY_MS = 5_000;
/**
 * How many runs of requests and receipts one scrub step reads, and the pause between steps in
 * milliseconds.
 */
const SCRUB_RUNS = 4;
export const SCRUB_EVERY_MS = 20;

type Stats = Awaited<ReturnType<HistoryStore['stats']>>;

/**
 * Maintenance of a store: deletes old rows in batches, reads all rows once to find damage, and
 * counts rows.
 */
export class Retention {
  readonly #settings: Pick<IndexerSettings, 'historyKeptMs' | 'receiptsKeptMs'>;
  readonly #store: HistoryStore;
  readonly #isLive: (orderId: number) => boolean;
  #stats: Stats = { rows: {}, bytes: 0 };
  #prunedMs = 0;
  #scrubbedMs = -Infinity;
  #countedMs = -Infinity;
  /**
   * The height up to which the initial content has been checked; undefined when all of it has been
   * checked.
   */
  #scrubbed: number | undefined = 0;

  constructor(
    settings: Pick<IndexerSettings, 'historyKeptMs' | 'receiptsKeptMs'>,
    store: HistoryStore,
    isLive: (orderId: number) => boolean,
  ) {
    this.#settings = settings;
    this.#store = store;
    this.#isLive = isLive;
  }

  get stats(): Stats {
    return this.#stats;
  }

  get isScrubbing(): boolean {
    return this.#scrubbed !== undefined;
  }

  /**
   * Does the work that is due. Between batches, `pause` lets other work run and returns whether to
   * continue.
   */
  async look(blockMs: number, pause: () => Promise<boolean>): Promise<void> {
    if (performance.now() - this.#countedMs >= STATS_EVERY_MS) {
      this.#countedMs = performance.now();
      this.#stats = await this.#store.stats();
    }
    if (this.#scrubbed !== undefined && performance.now() - this.#scrubbedMs >= SCRUB_EVERY_MS) {
      this.#scrubbedMs = performance.now();
      this.#scrubbed = await this.#store.scrub(this.#scrubbed, SCRUB_RUNS);
    }
    if (blockMs - this.#prunedMs < PRUNE_EVERY_MS) return;
    const { historyKeptMs, receiptsKeptMs } = this.#settings;
    const limits = {
      receiptsBeforeMs: blockMs - receiptsKeptMs,
      isLive: this.#isLive,
      ...(historyKeptMs === undefined ? {} : { rowsBeforeMs: blockMs - historyKeptMs }),
    };
    const deleted = await this.#store.prune(limits, pause);
    // If this call has deleted rows, the next call deletes more.
    if (deleted === 0) this.#prunedMs = blockMs;
  }
}
