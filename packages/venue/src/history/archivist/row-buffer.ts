import type { AsOf } from '../history.ts';
import type { BlockRows } from '../rows/block-rows.ts';
import type { HistoryStore } from '../store/history-store.ts';
import { HistoryFullError } from '../store/store-errors.ts';

/** Rows of one transaction: whoever asks waits for one at most. */
const ROWS_AT_ONCE = 5_000;
/** Rows that may wait for room; more are not made meanwhile (R-disk). */
const ROWS_HELD_MAX = 20_000;

/** Rows on their way into the store, in order. The log has them all: what is lost here is made again. */
export class RowBuffer {
  readonly store: HistoryStore;
  #blocks: BlockRows[] = [];
  #rows = 0;
  #stored: AsOf;
  #isHeld = false;

  constructor(store: HistoryStore, timeMs: number) {
    this.store = store;
    this.#stored = { height: store.height, timeMs };
  }

  /** Rows up to here are in the store. */
  get stored(): AsOf {
    return this.#stored;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** True when there is enough for a transaction. */
  get isDue(): boolean {
    return !this.#isHeld && this.#rows >= ROWS_AT_ONCE;
  }

  /** True when no more may be made until some are written. */
  get isFull(): boolean {
    return this.#rows >= ROWS_HELD_MAX;
  }

  /** Those of blocks that the store has are passed over. */
  add(rows: BlockRows): void {
    if (rows.head.height <= this.store.height) {
      this.#stored = { height: this.store.height, timeMs: rows.head.timeMs };
      return;
    }
    this.#blocks.push(rows);
    this.#rows += countOf(rows);
  }

  /** Writes one transaction; false when there was no room, so that it has to be tried again. */
  async writeSome(): Promise<boolean> {
    const blocks = this.#next();
    const last = blocks.at(-1);
    if (last === undefined) return true;
    try {
      await this.store.write(blocks);
    } catch (error) {
      this.#isHeld = error instanceof HistoryFullError;
      if (this.#isHeld) return false;
      throw error;
    }
    this.#isHeld = false;
    this.#blocks.splice(0, blocks.length);
    this.#rows -= blocks.reduce((sum, each) => sum + countOf(each), 0);
    this.#stored = { height: last.head.height, timeMs: last.head.timeMs };
    return true;
  }

  /** Writes all there is, as far as there is room. */
  async writeAll(): Promise<void> {
    while (!this.isEmpty && (await this.writeSome()));
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

/** A block without rows counts too: it moves the progress on. */
export function countOf({ head: _head, ...tables }: BlockRows): number {
  let rows = 1;
  for (const table of Object.values(tables)) rows += table.length;
  return rows;
}
