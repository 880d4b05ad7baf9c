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

/** Rows of one transaction: whoever asks waits for one at most. */
const ROWS_AT_ONCE = 5_000;
/** Rows that may wait for room; more are not made meanwhile (R-disk). */
const ROWS_HELD_MAX = 20_000;

type Head = Pick<BlockRows['head'], 'height' | 'hash'>;

/** Rows on their way into the store, in order. The log has them all: what is lost here is made again. */
export class RowBuffer {
  readonly store: HistoryStore;
  /** Blocks of the store that have to be those of the log: the first and the last one. */
  readonly #known: ReadonlyMap<number, string>;
  #blocks: BlockRows[] = [];
  #rows = 0;
  #wroteMs = 0;
  #stored: AsOf;
  /** Where rows begin, if not with the first block. */
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
    // Of a stored block the time is known; a new store is of no time.
    const rows = new RowBuffer(store, last?.timeMs ?? 0, known);
    await rows.#beginAt(store.from);
    return rows;
  }

  /** Rows up to here are in the store. */
  get stored(): AsOf {
    return this.#since === undefined ? this.#stored : { ...this.#stored, since: this.#since };
  }

  /** False also when a write would tell that the store is not of this log. */
  get isEmpty(): boolean {
    return this.#blocks.length === 0 && this.#foreign === undefined;
  }

  /** True when there is enough for a transaction, or something to be told. */
  get isDue(): boolean {
    if (this.#foreign !== undefined) return true;
    return this.#held === undefined && this.#rows >= ROWS_AT_ONCE;
  }

  /** Milliseconds since the last transaction. */
  get restMs(): number {
    return performance.now() - this.#wroteMs;
  }

  /** Says why the store is not the history of this log, or not all that can be made of it. */
  get unfit(): HistoryDamagedError | undefined {
    return this.#foreign ?? this.#incomplete;
  }

  /** Why the last transaction has to be tried again; undefined when it was written. */
  get heldWhy(): string | undefined {
    return this.#held?.message;
  }

  /** True when no more may be made until some are written. */
  get isFull(): boolean {
    return this.#rows >= ROWS_HELD_MAX;
  }

  /** Those of blocks that the store has are passed over. */
  add(rows: BlockRows): void {
    const { hash, height } = rows.head;
    if (height <= this.store.height) {
      this.#expect(rows.head, this.#known.get(height) ?? hash);
      if (height === this.store.height) this.#stored = { height, timeMs: rows.head.timeMs };
      return;
    }
    const { untold: _untold, ...stored } = rows;
    this.#blocks.push(stored);
    this.#rows += countOf(rows);
  }

  /** Looks whether the store has the same block, as far as it has it: if not, nothing is written. */
  async compare(head: Head): Promise<void> {
    const stored = await blockAt(this.store, head.height);
    if (stored !== undefined) this.#expect(head, stored.hash);
  }

  /** A log keeps what its history lacks: one that begins behind the last stored block is another. */
  expectAdjacent(firstSeq: number): void {
    const { height } = this.store;
    if (height === 0 || height >= firstSeq - 1) return;
    const gap = `its last block is ${height}, but the log begins with block ${firstSeq}`;
    this.#foreign = new HistoryForeignError(gap);
  }

  /** Where the log still has blocks from before the first row, the store has to be made again. */
  async expectWhole(firstSeq: number): Promise<void> {
    const { from: begin = 1, height } = this.store;
    if (height === 0) return;
    await this.#beginAt(begin);
    if (begin === 1 || firstSeq > 1) return;
    const why = `its rows begin with block ${begin}, but the log with block 1`;
    this.#incomplete = new HistoryIncompleteError(why);
  }

  /** Looks how far others have written to a store that is shared: what they have is not written again. */
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

  /** Writes one transaction; false when there was no room, so that it has to be tried again. */
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

  /** Writes all there is, as far as there is room. */
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

/** Its head alone: what it holds may be damaged, which is found later and mended. */
async function blockAt(store: HistoryStore, height: number): Promise<BlockRecord | undefined> {
  for (;;) {
    try {
      const [block] = await store.ask('blocks', { before: height + 1, limit: 1 });
      return block?.height === height ? block : undefined;
    } catch (error) {
      // What others write meanwhile makes no other of a block that is there.
      if (!(error instanceof HistoryMovedError)) throw error;
    }
  }
}

/** A block without rows counts too: it moves the progress on. */
export function countOf(rows: BlockRows): number {
  // How orders came to their books is a single row.
  const { arrivals: _a, head: _h, retold: _r, untold: _u, ...tables } = rows;
  let count = 1;
  for (const table of Object.values(tables)) count += table.length;
  return count;
}

/** By block time. */
const PRUNE_EVERY_MS = 3_600_000;
const STATS_EVERY_MS = 5_000;
/** Blocks whose rows are looked through at a time, and the rest between two portions. */
const SCRUB_BLOCKS = 100;
export const SCRUB_EVERY_MS = 20;

type Stats = Awaited<ReturnType<HistoryStore['stats']>>;

/**
 * The upkeep of a store: drops rows that are too old, a portion at a time, looks once through everything
 * for damage, and knows how much there is.
 */
export class Retention {
  readonly #settings: Pick<IndexerSettings, 'historyKeptMs' | 'receiptsKeptMs'>;
  readonly #store: HistoryStore;
  readonly #isLive: (orderId: number) => boolean;
  #stats: Stats = { rows: {}, bytes: 0 };
  #prunedMs = 0;
  #scrubbedMs = -Infinity;
  #countedMs = -Infinity;
  /** What was there at the start is looked through up to here; undefined behind the last block. */
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

  /** True while there is more to look through. */
  get isScrubbing(): boolean {
    return this.#scrubbed !== undefined;
  }

  /** Does what is due. Others have their turn in between, and say whether it may continue. */
  async look(blockMs: number, pause: () => Promise<boolean>): Promise<void> {
    if (performance.now() - this.#countedMs >= STATS_EVERY_MS) {
      this.#countedMs = performance.now();
      this.#stats = await this.#store.stats();
    }
    if (this.#scrubbed !== undefined && performance.now() - this.#scrubbedMs >= SCRUB_EVERY_MS) {
      this.#scrubbedMs = performance.now();
      this.#scrubbed = await this.#store.scrub(this.#scrubbed, SCRUB_BLOCKS);
    }
    if (blockMs - this.#prunedMs < PRUNE_EVERY_MS) return;
    const { historyKeptMs, receiptsKeptMs } = this.#settings;
    const limits = {
      receiptsBeforeMs: blockMs - receiptsKeptMs,
      isLive: this.#isLive,
      ...(historyKeptMs === undefined ? {} : { rowsBeforeMs: blockMs - historyKeptMs }),
    };
    const gone = await this.#store.prune(limits, pause);
    // The rest goes with the next looks.
    if (gone === 0) this.#prunedMs = blockMs;
  }
}
