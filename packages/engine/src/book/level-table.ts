import { assert } from '@oddlot/units';

import { NONE } from './order-index.ts';

/** Levels of a new table: room for both sides of a thin book. */
const LEVELS_START = 32;

/**
 * The price levels of one book, one typed array a field; a level is an index into them.
 *
 * Released levels are kept in a list through `head` and reused. The arrays are replaced when the
 * table grows, so they are read through the table each time.
 */
export class LevelTable {
  /** Price, in price units of the instrument. */
  price = new Float64Array(LEVELS_START);
  /** Lots of all orders at the level. */
  total = new Float64Array(LEVELS_START);
  /** Number of orders at the level. */
  count = new Int32Array(LEVELS_START);
  /** Slot of the first order of the queue; in a free level, the next free level. */
  head = new Int32Array(LEVELS_START);
  /** Slot of the last order of the queue. */
  tail = new Int32Array(LEVELS_START);

  #used = 0;
  #freeHead = NONE;
  #size = 0;

  copy(): LevelTable {
    const copy = new LevelTable();
    copy.price = this.price.slice();
    copy.total = this.total.slice();
    copy.count = this.count.slice();
    copy.head = this.head.slice();
    copy.tail = this.tail.slice();
    copy.#used = this.#used;
    copy.#freeHead = this.#freeHead;
    copy.#size = this.#size;
    return copy;
  }

  /** How many levels are in use. */
  get size(): number {
    return this.#size;
  }

  /** A level without orders at a price. */
  allocate(price: number): number {
    let level = this.#freeHead;
    if (level === NONE) {
      if (this.#used === this.price.length) this.#grow();
      level = this.#used;
      this.#used += 1;
    } else {
      this.#freeHead = this.head[level]!;
    }
    this.price[level] = price;
    this.total[level] = 0;
    this.count[level] = 0;
    this.head[level] = NONE;
    this.tail[level] = NONE;
    this.#size += 1;
    return level;
  }

  /** Gives back a level whose last order has gone. */
  release(level: number): void {
    const isEmpty = this.count[level] === 0 && this.total[level] === 0;
    assert(isEmpty, 'level table: a released level is empty');
    this.head[level] = this.#freeHead;
    this.#freeHead = level;
    this.#size -= 1;
  }

  /** Asserts that every level is in use or waits in the free list. */
  checkConsistency(): void {
    let free = 0;
    for (let level = this.#freeHead; level !== NONE; level = this.head[level]!) {
      free += 1;
      assert(free <= this.#used && this.count[level] === 0, 'level table: a free level is empty');
    }
    assert(free + this.#size === this.#used, 'level table: no level is lost');
  }

  #grow(): void {
    const capacity = 2 * this.price.length;
    const price = new Float64Array(capacity);
    const total = new Float64Array(capacity);
    const count = new Int32Array(capacity);
    const head = new Int32Array(capacity);
    const tail = new Int32Array(capacity);
    price.set(this.price);
    total.set(this.total);
    count.set(this.count);
    head.set(this.head);
    tail.set(this.tail);
    this.price = price;
    this.total = total;
    this.count = count;
    this.head = head;
    this.tail = tail;
  }
}
