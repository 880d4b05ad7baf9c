import { assert } from '@oddlot/units';

import { LEVEL_FIELDS, LevelSide, PRICE_MAX as PRICE_LIMIT } from './level-side.ts';
import { NONE as NO_SLOT, ORDER_FIELDS, type OrderPool, SIDE_BUY as BUY } from './order-pool.ts';

// The compiler inlines constants of this module; imported ones would be read each time.
const {
  ACCEPTED_MS,
  BOOK_NEXT,
  BOOK_PREV,
  FLAGS,
  INSTRUMENT,
  LEVEL,
  ORDER_ID,
  PRICE,
  QUEUE_MS,
  RANK,
  REMAINING,
} = ORDER_FIELDS;
const { COUNT, HEAD, TAIL, TOTAL } = LEVEL_FIELDS;
const NONE = NO_SLOT;
const PRICE_MAX = PRICE_LIMIT;
const SIDE_BUY = BUY;

type BookLevel = {
  readonly price: number;
  readonly size: number;
  readonly count: number;
};

/**
 * The order book of one instrument, in price-time priority (R-book). Orders are stored in a pool
 * that all books share, and each price level links its orders into a queue; each side keeps its
 * levels sorted. The book sorts and counts orders; it does not match them. The engine decides which
 * orders may rest and guarantees that no two resting orders cross. Sums of lots are safe integers,
 * which is asserted for each level: the largest order size times the maximum number of orders in a
 * book must stay below 2^53.
 */
export class LevelBook {
  readonly instrument: number;

  readonly #pool: OrderPool;
  #bids: LevelSide;
  #asks: LevelSide;
  /** True in a fork that has not changed yet and still shares the levels of its origin. */
  #isShared: boolean;
  #orderCount = 0;
  #version = 0;

  /** Creates an empty book, or a fork of `origin` (see `fork`). */
  constructor(pool: OrderPool, instrument: number, origin?: LevelBook) {
    this.#pool = pool;
    this.instrument = instrument;
    this.#isShared = origin !== undefined;
    this.#bids = origin === undefined ? new LevelSide(true) : origin.#bids;
    this.#asks = origin === undefined ? new LevelSide(false) : origin.#asks;
    if (origin === undefined) return;
    this.#orderCount = origin.#orderCount;
    this.#version = origin.#version;
  }

  /**
   * Returns a book with the same orders over a fork of the pool. The fork can change without
   * changing this book, which must not change while the fork exists. Its levels are copied on the
   * first change.
   */
  fork(pool: OrderPool): LevelBook {
    return new LevelBook(pool, this.instrument, this);
  }

  get orderCount(): number {
    return this.#orderCount;
  }

  /**
   * Increases by one with each change, so that readers can detect that their copy is out of date.
   */
  get version(): number {
    return this.#version;
  }

  /**
   * Inserts an order, whose side, price, acceptance time and rank the pool contains. At its price,
   * the order is queued by time and then by rank. A new order is the youngest and is appended; an
   * amended order moves back from the end to its position. `notBeforeMs` limits how far it moves:
   * it is queued as if it had been accepted no earlier than that (R-modify). A restored book passes
   * the dumped `queueMs`, which results in the same position.
   */
  insert(slot: number, notBeforeMs = 0): void {
    const { floats, ints } = this.#pool;
    assert(ints[slot + LEVEL] === NONE, 'book: an order rests once');
    assert(ints[slot + INSTRUMENT] === this.instrument, 'book: the order is of this instrument');
    const price = floats[slot + PRICE]!;
    const remaining = floats[slot + REMAINING]!;
    const isPrice = Number.isSafeInteger(price) && price > 0 && price <= PRICE_MAX;
    assert(isPrice, 'book: a price is a positive count');
    assert(Number.isSafeInteger(remaining) && remaining > 0, 'book: something is left to trade');
    const acceptedMs = floats[slot + ACCEPTED_MS]!;
    floats[slot + QUEUE_MS] = Math.max(acceptedMs, notBeforeMs);

    this.#own();
    const side = this.#sideOf(slot);
    const level = side.open(price);
    this.#link(side, level, slot);
    side.floats[level + COUNT]! += 1;
    this.#orderCount += 1;
    this.#addSize(side, level, remaining);
  }

  /** Removes an order from the book. Its record stays in the pool until the caller releases it. */
  remove(slot: number): void {
    this.#own();
    const { floats, ints } = this.#pool;
    const level = this.#levelOf(slot);
    const side = this.#sideOf(slot);
    const previous = this.#needed(ints[slot + BOOK_PREV]!);
    const following = this.#needed(ints[slot + BOOK_NEXT]!);
    if (previous === NONE) side.ints[level + HEAD] = following;
    else ints[previous + BOOK_NEXT] = following;
    if (following === NONE) side.ints[level + TAIL] = previous;
    else ints[following + BOOK_PREV] = previous;
    ints[slot + LEVEL] = NONE;
    this.#orderCount -= 1;
    this.#addSize(side, level, -floats[slot + REMAINING]!);
    const left = side.floats[level + COUNT]! - 1;
    side.floats[level + COUNT] = left;
    if (left === 0) side.close(level, floats[slot + PRICE]!);
  }

  /**
   * Fills part or all of a resting order. A fully filled order stays in the book so that the caller
   * can report it; the caller must remove it before the command ends.
   */
  fill(slot: number, size: number): void {
    this.#own();
    const { floats } = this.#pool;
    const level = this.#levelOf(slot);
    const remaining = floats[slot + REMAINING]!;
    assert(Number.isSafeInteger(size) && size > 0, 'book: a fill has a size');
    assert(size <= remaining, 'book: a fill is at most what is left');
    floats[slot + REMAINING] = remaining - size;
    this.#addSize(this.#sideOf(slot), level, -size);
  }

  /** Changes the open size of an order, which keeps its queue position (R-modify). */
  resize(slot: number, newRemaining: number): void {
    this.#own();
    const { floats } = this.#pool;
    const level = this.#levelOf(slot);
    const isSize = Number.isSafeInteger(newRemaining) && newRemaining > 0;
    assert(isSize, 'book: an order with nothing left is removed, not resized');
    const change = newRemaining - floats[slot + REMAINING]!;
    floats[slot + REMAINING] = newRemaining;
    this.#addSize(this.#sideOf(slot), level, change);
  }

  best(isBuy: boolean): number {
    const side = isBuy ? this.#bids : this.#asks;
    return this.#first(side, side.best);
  }

  /** Returns the best price of a side, or 0, which is not a valid price, if the side is empty. */
  bestPrice(isBuy: boolean): number {
    return (isBuy ? this.#bids : this.#asks).bestPrice;
  }

  bestSize(isBuy: boolean): number {
    const side = isBuy ? this.#bids : this.#asks;
    return side.best === NONE ? 0 : side.floats[side.best + TOTAL]!;
  }

  /**
   * Returns the next order in trading order: the next order in its queue, or the first order at the
   * next worse price.
   */
  next(slot: number): number {
    const { floats, ints } = this.#pool;
    this.#levelOf(slot);
    const following = ints[slot + BOOK_NEXT]!;
    if (following !== NONE) return this.#needed(following);
    const side = this.#sideOf(slot);
    return this.#first(side, side.worse(floats[slot + PRICE]!));
  }

  crosses(isBuy: boolean, price: number): boolean {
    const opposite = this.bestPrice(!isBuy);
    if (opposite === 0) return false;
    return isBuy ? price >= opposite : price <= opposite;
  }

  levels(isBuy: boolean, max: number): BookLevel[] {
    const side = isBuy ? this.#bids : this.#asks;
    const found: BookLevel[] = [];
    for (let level = side.best; level !== NONE && found.length < max;) {
      const price = this.#priceOf(side, level);
      const size = side.floats[level + TOTAL]!;
      found.push({ price, size, count: side.floats[level + COUNT]! });
      level = side.worse(price);
    }
    return found;
  }

  /**
   * Returns the number of lots that trade before a resting order at its price. The search walks to
   * the nearer end of the queue, over at most `ordersMax` orders in either direction, and returns
   * undefined if both ends are further away.
   */
  aheadOf(slot: number, ordersMax: number): number | undefined {
    const { floats, ints } = this.#pool;
    const level = this.#levelOf(slot);
    let previous = this.#needed(ints[slot + BOOK_PREV]!);
    let following = this.#needed(ints[slot + BOOK_NEXT]!);
    let ahead = 0;
    let behind = 0;
    for (let walked = 0; walked <= ordersMax; walked += 1) {
      if (previous === NONE) return ahead;
      if (following === NONE) {
        return this.#sideOf(slot).floats[level + TOTAL]! - floats[slot + REMAINING]! - behind;
      }
      ahead += floats[previous + REMAINING]!;
      behind += floats[following + REMAINING]!;
      previous = this.#needed(ints[previous + BOOK_PREV]!);
      following = this.#needed(ints[following + BOOK_NEXT]!);
    }
    return undefined;
  }

  /** Calls `visit` for each order of a side, in trading order. `visit` must not change the book. */
  forEachSlot(isBuy: boolean, visit: (slot: number) => void): void {
    for (let slot = this.best(isBuy); slot !== NONE; slot = this.next(slot)) visit(slot);
  }

  totalSize(isBuy: boolean): number {
    const side = isBuy ? this.#bids : this.#asks;
    let size = 0;
    for (let level = side.best; level !== NONE; level = side.worse(this.#priceOf(side, level))) {
      size += side.floats[level + TOTAL]!;
    }
    return size;
  }

  /** Asserts the invariants that hold between commands, by walking the whole book. */
  checkConsistency(): void {
    const orders = this.#checkSide(true) + this.#checkSide(false);
    assert(orders === this.#orderCount, 'book: the order count is that of the levels');
  }

  #checkSide(isBuy: boolean): number {
    const side = isBuy ? this.#bids : this.#asks;
    side.checkConsistency();
    let orders = 0;
    let price = side.bestPrice;
    for (let level = side.best; level !== NONE; level = side.worse(price)) {
      const found = this.#checkQueue(side, level);
      const isCounted = found.count > 0 && found.count === side.floats[level + COUNT];
      assert(isCounted, 'book: a level counts its orders');
      assert(found.size === side.floats[level + TOTAL], 'book: a level adds up its orders');
      const isWorse = isBuy ? found.price < price : found.price > price;
      const isNext = level === side.best ? found.price === price : isWorse;
      assert(isNext, 'book: the levels are sorted');
      orders += found.count;
      price = found.price;
    }
    return orders;
  }

  #checkQueue(side: LevelSide, level: number): { price: number; size: number; count: number } {
    const pool = this.#pool;
    const { floats, ints } = pool;
    const price = this.#priceOf(side, level);
    assert(side.open(price) === level, 'book: a level is at its price');
    let size = 0;
    let count = 0;
    let previous = NONE;
    for (let slot = this.#first(side, level); slot !== NONE; slot = ints[slot + BOOK_NEXT]!) {
      pool.need(slot);
      assert(pool.find(floats[slot + ORDER_ID]!) === slot, 'book: an order that rests is live');
      assert(this.#levelOf(slot) === level, 'book: an order knows its level');
      assert(floats[slot + PRICE] === price, 'book: an order is at its price');
      assert(this.#sideOf(slot) === side, 'book: an order is on its side');
      assert(ints[slot + BOOK_PREV] === previous, 'book: a queue is linked both ways');
      assert(previous === NONE || this.#isAhead(previous, slot), 'book: a queue is in time order');
      assert(floats[slot + REMAINING]! > 0, 'book: an order that rests has something left');
      size += floats[slot + REMAINING]!;
      count += 1;
      previous = slot;
    }
    assert(side.ints[level + TAIL] === previous, 'book: a queue ends at its tail');
    return { price, size, count };
  }

  /** Copies the levels of a fork before their first change. */
  #own(): void {
    if (!this.#isShared) return;
    this.#bids = this.#bids.copy();
    this.#asks = this.#asks.copy();
    this.#isShared = false;
  }

  #needed(slot: number): number {
    this.#pool.need(slot);
    return slot;
  }

  #first(side: LevelSide, level: number): number {
    return level === NONE ? NONE : this.#needed(side.ints[level + HEAD]!);
  }

  #priceOf(side: LevelSide, level: number): number {
    return this.#pool.floats[this.#first(side, level) + PRICE]!;
  }

  #sideOf(slot: number): LevelSide {
    return (this.#pool.ints[slot + FLAGS]! & SIDE_BUY) !== 0 ? this.#bids : this.#asks;
  }

  #levelOf(slot: number): number {
    const { ints } = this.#pool;
    const level = ints[slot + LEVEL]!;
    const isOurs = ints[slot + INSTRUMENT] === this.instrument;
    assert(level >= 0 && isOurs, 'book: the order rests in this book');
    return level;
  }

  /**
   * Returns true if an order precedes another one at the same price: it has an earlier time, or an
   * equal time and a lower rank.
   */
  #isAhead(slot: number, other: number): boolean {
    const { floats } = this.#pool;
    const ms = floats[slot + QUEUE_MS]!;
    const otherMs = floats[other + QUEUE_MS]!;
    return ms === otherMs ? floats[slot + RANK]! < floats[other + RANK]! : ms < otherMs;
  }

  /** Links an order into its level's queue: at the tail, or ahead of orders that queued later. */
  #link(side: LevelSide, level: number, slot: number): void {
    const { ints } = this.#pool;
    const levels = side.ints;
    const last = this.#needed(levels[level + TAIL]!);
    ints[slot + LEVEL] = level;
    ints[slot + BOOK_PREV] = last;
    ints[slot + BOOK_NEXT] = NONE;
    if (last === NONE) levels[level + HEAD] = slot;
    else if (this.#isAhead(last, slot)) ints[last + BOOK_NEXT] = slot;
    else return this.#linkBefore(side, level, slot);
    levels[level + TAIL] = slot;
  }

  /** Walks an amended order back from the end of the queue to its position. */
  #linkBefore(side: LevelSide, level: number, slot: number): void {
    const { ints } = this.#pool;
    let following = side.ints[level + TAIL]!;
    let previous = this.#needed(ints[following + BOOK_PREV]!);
    while (previous !== NONE && !this.#isAhead(previous, slot)) {
      following = previous;
      previous = this.#needed(ints[previous + BOOK_PREV]!);
    }
    ints[slot + BOOK_PREV] = previous;
    ints[slot + BOOK_NEXT] = following;
    ints[following + BOOK_PREV] = slot;
    if (previous === NONE) side.ints[level + HEAD] = slot;
    else ints[previous + BOOK_NEXT] = slot;
  }

  #addSize(side: LevelSide, level: number, change: number): void {
    const total = side.floats[level + TOTAL]! + change;
    assert(total >= 0 && total <= Number.MAX_SAFE_INTEGER, 'book: the lots of a level are exact');
    side.floats[level + TOTAL] = total;
    this.#version += 1;
  }
}
