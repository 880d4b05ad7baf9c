import { assert } from '@oddlot/units';

import { LevelSide } from './level-side.ts';
import { LevelTable } from './level-table.ts';
import { NONE, SIDE_BUY } from './order-pool.ts';
import type { OrderPool } from './order-pool.ts';

/** One price level as the public sees it. */
type BookLevel = {
  /** The price, in price units of the instrument. */
  readonly price: number;
  /** The lots that rest there, all orders together. */
  readonly size: number;
  /** How many orders rest there. */
  readonly count: number;
};

/**
 * The book of one instrument: price priority, then time priority (R-book).
 *
 * Orders live in the pool that all books share and are linked into a queue per price level; each
 * side keeps its levels sorted. The book orders and counts; it doesn't match. Whether an order may
 * rest, and that no two resting orders cross, is the engine's to see to.
 *
 * Sums of lots stay safe integers, which is asserted: the largest order size times the most orders
 * of a book must stay below 2^53.
 */
export class LevelBook {
  /** The instrument whose orders these are. */
  readonly instrument: number;

  readonly #pool: OrderPool;
  #levels: LevelTable;
  #bids: LevelSide;
  #asks: LevelSide;
  /** True in a fork that was not changed yet: its levels are still those of the origin. */
  #isShared: boolean;
  /** Lots of the buys and of the sells. In an array, since a large number in a field is boxed. */
  readonly #sizes = new Float64Array(2);
  #orderCount = 0;
  #version = 0;

  /** An origin makes a fork of it: see `fork`. */
  constructor(pool: OrderPool, instrument: number, origin?: LevelBook) {
    this.#pool = pool;
    this.instrument = instrument;
    this.#isShared = origin !== undefined;
    this.#levels = origin === undefined ? new LevelTable() : origin.#levels;
    this.#bids = origin === undefined ? new LevelSide(true) : origin.#bids;
    this.#asks = origin === undefined ? new LevelSide(false) : origin.#asks;
    if (origin === undefined) return;
    this.#sizes.set(origin.#sizes);
    this.#orderCount = origin.#orderCount;
    this.#version = origin.#version;
  }

  /**
   * A book with the same orders, over a fork of the pool, which may be changed without changing this
   * one. Its levels are copied with the first change. This book must stand still meanwhile.
   */
  fork(pool: OrderPool): LevelBook {
    return new LevelBook(pool, this.instrument, this);
  }

  /** How many orders rest, both sides together. */
  get orderCount(): number {
    return this.#orderCount;
  }

  /** Grows by one with every change, so that a reader sees whether its copy is still good. */
  get version(): number {
    return this.#version;
  }

  /**
   * Puts an order into the book by its side, price, acceptance time and rank, all in the pool.
   *
   * At its price it stands by time, then by rank. A new order is the youngest and so goes to the
   * end; an amended one walks back from there to its place. `notBeforeMs` limits how far: the order
   * stands as if it had been accepted no earlier than that (R-modify). A restored book passes the
   * `queueMs` that was dumped, which gives the same place again.
   */
  insert(slot: number, notBeforeMs = 0): void {
    const pool = this.#pool;
    const price = pool.price[slot]!;
    const remaining = pool.remaining[slot]!;
    assert(pool.level[slot] === NONE, 'book: an order rests once');
    assert(pool.instrument[slot] === this.instrument, 'book: the order is of this instrument');
    assert(Number.isSafeInteger(price) && price > 0, 'book: a price is a positive count');
    assert(Number.isSafeInteger(remaining) && remaining > 0, 'book: something is left to trade');
    const acceptedMs = pool.acceptedMs[slot]!;
    pool.queueMs[slot] = acceptedMs > notBeforeMs ? acceptedMs : notBeforeMs;

    this.#own();
    const isBuy = (pool.flags[slot]! & SIDE_BUY) !== 0;
    const side = isBuy ? this.#bids : this.#asks;
    const position = side.search(price);
    let level: number;
    if (position < side.count && side.priceAt(position) === price) {
      level = side.levelAt(position);
    } else {
      level = this.#levels.allocate(price);
      side.insertAt(position, price, level);
    }
    this.#link(level, slot);
    this.#levels.count[level]! += 1;
    this.#orderCount += 1;
    this.#addSize(isBuy, level, remaining);
  }

  /** Takes an order out of the book. Its record stays in the pool until the caller releases it. */
  remove(slot: number): void {
    this.#own();
    const pool = this.#pool;
    const levels = this.#levels;
    const level = this.#levelOf(slot);
    const isBuy = (pool.flags[slot]! & SIDE_BUY) !== 0;
    const previous = pool.bookPrev[slot]!;
    const following = pool.bookNext[slot]!;
    pool.need(previous);
    pool.need(following);
    if (previous === NONE) levels.head[level] = following;
    else pool.bookNext[previous] = following;
    if (following === NONE) levels.tail[level] = previous;
    else pool.bookPrev[following] = previous;
    pool.bookPrev[slot] = NONE;
    pool.bookNext[slot] = NONE;
    pool.level[slot] = NONE;
    this.#orderCount -= 1;
    this.#addSize(isBuy, level, -pool.remaining[slot]!);
    const left = levels.count[level]! - 1;
    levels.count[level] = left;
    if (left > 0) return;
    const side = isBuy ? this.#bids : this.#asks;
    const position = side.search(levels.price[level]!);
    assert(side.levelAt(position) === level, 'book: a level stands at its price');
    side.removeAt(position);
    levels.release(level);
  }

  /**
   * Trades part or all of a resting order. An order with nothing left still stands in the book, so
   * that the caller can report it; the caller removes it before the command ends.
   */
  fill(slot: number, size: number): void {
    this.#own();
    const pool = this.#pool;
    const level = this.#levelOf(slot);
    const remaining = pool.remaining[slot]!;
    assert(Number.isSafeInteger(size) && size > 0, 'book: a fill has a size');
    assert(size <= remaining, 'book: a fill is at most what is left');
    pool.remaining[slot] = remaining - size;
    this.#addSize((pool.flags[slot]! & SIDE_BUY) !== 0, level, -size);
  }

  /** Gives a resting order a new open size. It keeps its place, also when it grows (R-modify). */
  resize(slot: number, newRemaining: number): void {
    this.#own();
    const pool = this.#pool;
    const level = this.#levelOf(slot);
    const isSize = Number.isSafeInteger(newRemaining) && newRemaining > 0;
    assert(isSize, 'book: an order with nothing left is removed, not resized');
    const change = newRemaining - pool.remaining[slot]!;
    pool.remaining[slot] = newRemaining;
    this.#addSize((pool.flags[slot]! & SIDE_BUY) !== 0, level, change);
  }

  /** The order that trades first on a side, or `NONE`. */
  best(isBuy: boolean): number {
    const side = isBuy ? this.#bids : this.#asks;
    return side.count === 0 ? NONE : this.#needed(this.#levels.head[side.levelAt(side.count - 1)]!);
  }

  /** The best price of a side; 0, which is no price, when the side is empty. */
  bestPrice(isBuy: boolean): number {
    const side = isBuy ? this.#bids : this.#asks;
    return side.count === 0 ? 0 : side.priceAt(side.count - 1);
  }

  /** The order that trades after a resting one: next in its queue, else first at a worse price. */
  next(slot: number): number {
    const pool = this.#pool;
    const level = this.#levelOf(slot);
    const following = pool.bookNext[slot]!;
    if (following !== NONE) return this.#needed(following);
    const side = (pool.flags[slot]! & SIDE_BUY) !== 0 ? this.#bids : this.#asks;
    const position = side.search(this.#levels.price[level]!);
    return position === 0 ? NONE : this.#needed(this.#levels.head[side.levelAt(position - 1)]!);
  }

  /** Whether an incoming order of this side and limit price would trade at once. */
  crosses(isBuy: boolean, price: number): boolean {
    const opposite = this.bestPrice(!isBuy);
    if (opposite === 0) return false;
    return isBuy ? price >= opposite : price <= opposite;
  }

  /** Up to `max` levels of a side, best first. */
  levels(isBuy: boolean, max: number): BookLevel[] {
    const { price, total, count } = this.#levels;
    const side = isBuy ? this.#bids : this.#asks;
    const found: BookLevel[] = [];
    for (let at = side.count - 1; at >= 0 && found.length < max; at -= 1) {
      const level = side.levelAt(at);
      found.push({ price: price[level]!, size: total[level]!, count: count[level]! });
    }
    return found;
  }

  /** Calls `visit` for each order of a side, first to trade first. It must not change the book. */
  forEachSlot(isBuy: boolean, visit: (slot: number) => void): void {
    const side = isBuy ? this.#bids : this.#asks;
    for (let at = side.count - 1; at >= 0; at -= 1) {
      let slot = this.#levels.head[side.levelAt(at)]!;
      for (; slot !== NONE; slot = this.#pool.bookNext[slot]!) visit(this.#needed(slot));
    }
  }

  /** The lots that rest on a side. */
  totalSize(isBuy: boolean): number {
    return this.#sizes[isBuy ? 0 : 1]!;
  }

  /** Asserts everything that must hold between commands. It walks the whole book. */
  checkConsistency(): void {
    const bids = this.#checkSide(true);
    const asks = this.#checkSide(false);
    assert(bids + asks === this.#orderCount, 'book: the order count is that of the levels');
    const levelCount = this.#bids.count + this.#asks.count;
    assert(levelCount === this.#levels.size, 'book: every level stands on one side');
    this.#levels.checkConsistency();
  }

  #checkSide(isBuy: boolean): number {
    const { price, total, count } = this.#levels;
    const side = isBuy ? this.#bids : this.#asks;
    let sideSize = 0;
    let sideCount = 0;
    for (let at = 0; at < side.count; at += 1) {
      const level = side.levelAt(at);
      const levelPrice = side.priceAt(at);
      assert(price[level] === levelPrice, 'book: a level knows its price');
      const isSorted = at === 0 || levelPrice > side.priceAt(at - 1) === isBuy;
      assert(isSorted && (at === 0 || levelPrice !== side.priceAt(at - 1)), 'book: levels sorted');
      const found = this.#checkQueue(level, isBuy);
      assert(found.count > 0 && found.count === count[level], 'book: a level counts its orders');
      assert(found.size === total[level], 'book: a level adds up its orders');
      sideSize += found.size;
      sideCount += found.count;
    }
    assert(sideSize === this.totalSize(isBuy), 'book: a side adds up its levels');
    return sideCount;
  }

  #checkQueue(level: number, isBuy: boolean): { size: number; count: number } {
    const pool = this.#pool;
    let size = 0;
    let count = 0;
    let previous = NONE;
    for (let slot = this.#levels.head[level]!; slot !== NONE; slot = pool.bookNext[slot]!) {
      pool.need(slot);
      assert(pool.find(pool.orderId[slot]!) === slot, 'book: an order that rests is live');
      assert(this.#levelOf(slot) === level, 'book: an order knows its level');
      assert(pool.price[slot] === this.#levels.price[level], 'book: an order is at its price');
      assert(((pool.flags[slot]! & SIDE_BUY) !== 0) === isBuy, 'book: an order is on its side');
      assert(pool.bookPrev[slot] === previous, 'book: a queue is linked both ways');
      assert(previous === NONE || this.#isAhead(previous, slot), 'book: a queue is in time order');
      assert(pool.remaining[slot]! > 0, 'book: an order that rests has something left');
      size += pool.remaining[slot]!;
      count += 1;
      previous = slot;
    }
    assert(this.#levels.tail[level] === previous, 'book: a queue ends at its tail');
    return { size, count };
  }

  /** Gives a fork levels of its own before they are changed. */
  #own(): void {
    if (!this.#isShared) return;
    this.#levels = this.#levels.copy();
    this.#bids = this.#bids.copy();
    this.#asks = this.#asks.copy();
    this.#isShared = false;
  }

  /** A slot that the caller is going to look at. */
  #needed(slot: number): number {
    this.#pool.need(slot);
    return slot;
  }

  /** The level of a resting order of this book; anything else is a broken invariant. */
  #levelOf(slot: number): number {
    const level = this.#pool.level[slot]!;
    const isOurs = this.#pool.instrument[slot] === this.instrument;
    assert(level >= 0 && isOurs, 'book: the order rests in this book');
    return level;
  }

  /** Whether an order stands before another at one price: earlier time, then lower rank. */
  #isAhead(slot: number, other: number): boolean {
    const { queueMs, rank } = this.#pool;
    if (queueMs[slot] !== queueMs[other]) return queueMs[slot]! < queueMs[other]!;
    return rank[slot]! < rank[other]!;
  }

  #link(level: number, slot: number): void {
    const pool = this.#pool;
    const levels = this.#levels;
    let previous = this.#needed(levels.tail[level]!);
    let following = NONE;
    while (previous !== NONE && !this.#isAhead(previous, slot)) {
      following = previous;
      previous = this.#needed(pool.bookPrev[previous]!);
    }
    pool.bookPrev[slot] = previous;
    pool.bookNext[slot] = following;
    pool.level[slot] = level;
    if (previous === NONE) levels.head[level] = slot;
    else pool.bookNext[previous] = slot;
    if (following === NONE) levels.tail[level] = slot;
    else pool.bookPrev[following] = slot;
  }

  #addSize(isBuy: boolean, level: number, change: number): void {
    const total = this.totalSize(isBuy) + change;
    assert(total >= 0 && total <= Number.MAX_SAFE_INTEGER, 'book: the lots of a side are exact');
    this.#sizes[isBuy ? 0 : 1] = total;
    this.#levels.total[level]! += change;
    this.#version += 1;
  }
}
