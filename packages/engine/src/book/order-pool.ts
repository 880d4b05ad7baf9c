import { assert, present } from '@oddlot/units';
import { LayeredMap } from '../collections/maps.ts';
import { LayeredIndex, NONE as NO_SLOT, OrderIndex, type SlotIndex } from './order-index.ts';

/**
 * The memory layout of an order in the pool: its Float64 fields are adjacent in one array and its
 * Int32 fields in another, both starting at the order's slot. Fields that books use come first. A
 * random order therefore costs a few cache misses and not one per field. `OrderPool` documents the
 * fields.
 */
export const ORDER_FIELDS = {
  STRIDE: 11,

  PRICE: 0,
  REMAINING: 1,
  QUEUE_MS: 2,
  RANK: 3,
  ORDER_ID: 4,
  ACCEPTED_MS: 5,
  ORIGINAL: 6,
  FILLED_NOTIONAL: 7,
  FEE_OVERPAID: 8,
  EXPIRE_MS: 9,
  TAKER_OVERPAID: 10,

  /**
   * The public methods of a book use this field to reject slots that do not exist, because such
   * slots have no level.
   */
  LEVEL: 0,
  BOOK_NEXT: 1,
  BOOK_PREV: 2,
  INSTRUMENT: 3,
  FLAGS: 4,
  ACCOUNT: 5,
  OWN_NEXT: 6,
  OWN_PREV: 7,
  TIF: 8,
  /** The stamp of the fork that copied the order; used only in the memory of forks. */
  STAMP: 9,
} as const;

export { NO_SLOT as NONE };

// The compiler inlines constants of this module; imported ones would be read each time.
const {
  ACCEPTED_MS,
  ACCOUNT,
  BOOK_NEXT,
  BOOK_PREV,
  EXPIRE_MS,
  FEE_OVERPAID,
  FILLED_NOTIONAL,
  FLAGS,
  INSTRUMENT,
  LEVEL,
  ORDER_ID,
  ORIGINAL,
  OWN_NEXT,
  OWN_PREV,
  PRICE,
  QUEUE_MS,
  RANK,
  REMAINING,
  STAMP,
  STRIDE,
  TAKER_OVERPAID,
  TIF,
} = ORDER_FIELDS;
const NONE = NO_SLOT;

/**
 * All live resting orders of the venue, in typed arrays. An order is a slot number into these
 * arrays. Orders therefore create no work for the garbage collector, and books link them by slot.
 * Slots are reused: callers must not keep a slot when its order is released. The slot of an order
 * depends on history, so no result of the engine, no dump and no iteration order may depend on slot
 * numbers. Slots are opaque and not dense: they increase by `STRIDE` from record to record. The
 * array of a field is a view of the memory of all records, offset by the position of the field in a
 * record: `price[slot]` and `floats[slot + PRICE]` are the same number. Code that reads one field
 * uses its array; performance-critical code reads and writes records through one array per type.
 * The code in this folder reads typed arrays with `!`, because each index is a slot or level from
 * one of these lists or indexes, which the property tests check. An invalid index from a caller
 * reads `undefined`, which fails the range assertions of the public methods.
 */

/** The flag of buy orders; sell orders do not have it. */
export const SIDE_BUY = 1;
/** The flag of orders that can only reduce a position. */
export const REDUCE_ONLY = 2;
/** The flag of orders for the short leg of an account in hedge mode. */
export const LEG_SHORT = 4;
/** The flag of orders that pay a builder fee. */
export const HAS_BUILDER = 8;

const CAPACITY_MAX = 2 ** 27;
/** The order id of a slot without an order. */
const FREE = -1;

/** The number of orders that a fork can add, which is more than a single command adds. */
const FORK_ROOM = 1024;
/**
 * The highest stamp that fits into an int32. After it, stamps restart in newly allocated memory.
 */
const STAMP_MAX = 2 ** 31 - 1;

const NO_FLOATS = new Float64Array(0);
const NO_INTS = new Int32Array(0);

/** The live orders of one owner in one instrument, linked through `ownNext` and `ownPrev`. */
export type OwnList = {
  head: number;
  tail: number;
  count: number;
};

/**
 * The memory of forks. It is as large as the pool, but only the parts that a fork uses are written.
 * Consecutive forks reuse it, because allocating arrays of this size for each fork would burden the
 * garbage collector.
 */
type Scratch = {
  readonly floats: Float64Array<ArrayBuffer>;
  readonly ints: Int32Array<ArrayBuffer>;
  readonly capacity: number;
  /** The stamp of the newest fork, which is the only valid one. */
  stamp: number;
};

export function emptyOwnList(): OwnList {
  return { head: NONE, tail: NONE, count: 0 };
}

/**
 * Stores resting orders. The arrays are replaced when the pool grows. Always read them through the
 * pool (`pool.price[slot]`), and never keep one across a call of `allocate`.
 */
export class OrderPool {
  /** All Float64 fields of all orders (see `ORDER_FIELDS`). */
  floats: Float64Array = NO_FLOATS;
  /** All Int32 fields of all orders. */
  ints: Int32Array = NO_INTS;
  /** The id of the order, written only by the pool. */
  orderId: Float64Array = NO_FLOATS;
  /**
   * The limit price in price units of the instrument, at least 1. Constant while the order is in a
   * book.
   */
  price: Float64Array = NO_FLOATS;
  /**
   * The lots that have not traded yet. While the order is in a book, only the book writes this
   * field.
   */
  remaining: Float64Array = NO_FLOATS;
  /** The ordered size in lots, including the filled size. */
  original: Float64Array = NO_FLOATS;
  /** The sum of price × size over the fills, in micro-USDC, which is a safe integer. */
  filledNotional: Float64Array = NO_FLOATS;
  /** The consensus time of acceptance, in milliseconds. */
  acceptedMs: Float64Array = NO_FLOATS;
  /** The acceptance rank from a venue-wide counter, which never changes. */
  rank: Float64Array = NO_FLOATS;
  /** The consensus time at which the order expires, in milliseconds; 0 means never. */
  expireMs: Float64Array = NO_FLOATS;
  /** The amount by which rounding has overcharged the maker fee, in 10^-8 micro-USDC. */
  feeOverpaid: Float64Array = NO_FLOATS;
  /**
   * The amount by which rounding has overcharged the taker fee, in 10^-8 micro-USDC. It is set for
   * a perp order that traded before it rested.
   */
  takerOverpaid: Float64Array = NO_FLOATS;
  /**
   * The time in milliseconds that determines the queue position at the order's price; written only
   * by the book.
   */
  queueMs: Float64Array = NO_FLOATS;
  account: Int32Array = NO_INTS;
  /** The instrument id. Constant while the order is in a book. */
  instrument: Int32Array = NO_INTS;
  /**
   * The next order in the queue of the price level, or `NONE`. In a free slot, this is the next
   * free slot.
   */
  bookNext: Int32Array = NO_INTS;
  /** The previous order in the queue of the price level, or `NONE`. */
  bookPrev: Int32Array = NO_INTS;
  /** The price level in the book, or `NONE` while the order is not in a book. */
  level: Int32Array = NO_INTS;
  /** The next order in the owner's list, or `NONE`. */
  ownNext: Int32Array = NO_INTS;
  /** The previous order in the owner's list, or `NONE`. */
  ownPrev: Int32Array = NO_INTS;
  /** A combination of the flags above; the engine defines the other bits. */
  flags: Int32Array = NO_INTS;
  /** The time in force, in the engine's encoding. */
  tif: Int32Array = NO_INTS;
  /**
   * The client order ids by slot, for orders that have one. An entry is deleted when its order is
   * released.
   */
  readonly clientOrderIds: Map<number, string>;

  #capacity = 0;
  /** The first slot that was never used; the free list contains only returned slots. */
  #used = 0;
  #freeHead = NONE;
  readonly #index: SlotIndex;
  /** The origin of a fork. A slot has been copied if it carries the fork's stamp. */
  readonly #origin: OrderPool | undefined;
  readonly #forkStamp: number;
  /** The memory of this pool's forks or, in a fork, the memory that it uses. */
  #scratch: Scratch | undefined;

  /**
   * Creates a pool with space for `capacity` orders, which avoids pauses for growth if the load is
   * known. The salt is any integer that clients do not know; it has no visible effect (see
   * `OrderIndex`). With an origin, the new pool is a fork of it (see `fork`).
   */
  constructor(capacity = 1024, salt = 0, origin?: OrderPool) {
    this.#origin = origin;
    if (origin === undefined) {
      this.#index = new OrderIndex(this, salt);
      this.clientOrderIds = new Map();
      this.#forkStamp = 0;
      this.#grow(capacity);
      return;
    }
    const scratch = origin.#nextScratch();
    this.#index = new LayeredIndex(origin.#index);
    this.clientOrderIds = new LayeredMap(origin.clientOrderIds);
    this.#forkStamp = scratch.stamp;
    this.#used = origin.#used;
    this.#freeHead = origin.#freeHead;
    this.#scratch = scratch;
    this.#lay(scratch.floats, scratch.ints, scratch.capacity);
  }

  /**
   * Returns a pool with the same orders in the same slots that can change without changing this
   * one. Orders are copied when they are needed, so the cost depends only on the orders that the
   * fork uses. The fork is valid until the next one is created, and this pool must not change until
   * then. A slot must be copied before its fields are read: `find`, `allocate` and the books do so,
   * and `needList` does it for all orders of an owner. Reading another slot returns data of an
   * earlier fork, which corrupts only the fork.
   */
  fork(): OrderPool {
    assert(this.#origin === undefined, 'order pool: a fork is not forked again');
    return new OrderPool(0, 0, this);
  }

  /** Copies an order into a fork; has no effect in a pool that is not a fork. */
  need(slot: number): void {
    if (this.#origin !== undefined) this.#bring(slot, this.#origin);
  }

  needList(list: OwnList): void {
    for (let slot = list.head; slot !== NONE; slot = this.ownNext[slot]!) this.need(slot);
  }

  get size(): number {
    return this.#index.size;
  }

  get capacity(): number {
    return this.#capacity;
  }

  find(orderId: number): number {
    const slot = this.#index.get(orderId);
    this.need(slot);
    return slot;
  }

  /** Most orders have no client order id. If no order has one, the map is not searched. */
  clientOrderIdOf(slot: number): string | undefined {
    return this.clientOrderIds.size === 0 ? undefined : this.clientOrderIds.get(slot);
  }

  reserve(count: number): void {
    assert(this.#index instanceof OrderIndex, 'order pool: a fork grows as it must');
    let capacity = this.#capacity;
    while (capacity < count) capacity *= 2;
    if (capacity > this.#capacity) this.#grow(capacity);
    this.#index.reserve(count);
  }

  /**
   * Returns a slot for a new order, which is in no list. The caller must write all other fields,
   * because they still contain the values of the slot's previous order.
   */
  allocate(orderId: number): number {
    assert(Number.isSafeInteger(orderId) && orderId >= 0, 'order pool: an order id is a count');
    let slot = this.#freeHead;
    if (slot === NONE) {
      if (this.#used === STRIDE * this.#capacity) this.#grow(2 * this.#capacity);
      slot = this.#used;
    }
    this.need(slot);
    this.#index.add(orderId, slot);
    const { floats, ints } = this;
    if (slot === this.#used) this.#used += STRIDE;
    else this.#freeHead = ints[slot + BOOK_NEXT]!;
    floats[slot + ORDER_ID] = orderId;
    ints[slot + LEVEL] = NONE;
    ints[slot + OWN_NEXT] = NONE;
    ints[slot + OWN_PREV] = NONE;
    return slot;
  }

  /** Returns a slot to the free list. The order must have left its book and its owner's list. */
  release(slot: number): void {
    const { floats, ints } = this;
    assert(slot >= 0 && slot < this.#used, 'order pool: only a live order is released');
    const orderId = floats[slot + ORDER_ID]!;
    assert(orderId >= 0, 'order pool: only a live order is released');
    assert(ints[slot + LEVEL] === NONE, 'order pool: a released order is in no book');
    const isUnlinked = ints[slot + OWN_NEXT] === NONE && ints[slot + OWN_PREV] === NONE;
    assert(isUnlinked, 'order pool: a released order is in no list of its owner');
    this.#index.delete(orderId, slot);
    if (this.clientOrderIds.size > 0) this.clientOrderIds.delete(slot);
    floats[slot + ORDER_ID] = FREE;
    ints[slot + BOOK_NEXT] = this.#freeHead;
    this.#freeHead = slot;
  }

  ownAppend(list: OwnList, slot: number): void {
    const tail = list.tail;
    assert(slot < this.#used && slot !== tail, 'own list: an order is appended once');
    this.ownPrev[slot] = tail;
    this.ownNext[slot] = NONE;
    if (tail === NONE) list.head = slot;
    else this.ownNext[tail] = slot;
    list.tail = slot;
    list.count += 1;
  }

  /**
   * Inserts an order into its owner's list by rank, starting at the end: a new order has the
   * highest rank and is appended, and an amended order returns to its position.
   */
  ownInsert(list: OwnList, slot: number): void {
    const rank = this.rank[slot]!;
    let following = NONE;
    let previous = list.tail;
    while (previous !== NONE && this.rank[previous]! > rank) {
      following = previous;
      previous = this.ownPrev[previous]!;
    }
    if (following === NONE) {
      this.ownAppend(list, slot);
      return;
    }
    assert(slot < this.#used && slot !== previous, 'own list: an order is inserted once');
    this.ownPrev[slot] = previous;
    this.ownNext[slot] = following;
    this.ownPrev[following] = slot;
    if (previous === NONE) list.head = slot;
    else this.ownNext[previous] = slot;
    list.count += 1;
  }

  ownRemove(list: OwnList, slot: number): void {
    const previous = this.ownPrev[slot]!;
    const following = this.ownNext[slot]!;
    const isFirst = previous === NONE;
    const isLast = following === NONE;
    const isLinked = isFirst === (list.head === slot) && isLast === (list.tail === slot);
    assert(list.count > 0 && isLinked, 'own list: only an order of the list is removed');
    if (isFirst) list.head = following;
    else this.ownNext[previous] = following;
    if (isLast) list.tail = previous;
    else this.ownPrev[following] = previous;
    this.ownPrev[slot] = NONE;
    this.ownNext[slot] = NONE;
    list.count -= 1;
  }

  /** Asserts that every slot is either found under its order id or in the free list. */
  checkConsistency(): void {
    let live = 0;
    for (let slot = 0; slot < this.#used; slot += STRIDE) {
      this.need(slot);
      if (this.orderId[slot] === FREE) continue;
      live += 1;
      assert(this.find(this.orderId[slot]!) === slot, 'order pool: an order is found by its id');
    }
    assert(live === this.size, 'order pool: the index holds the live orders only');
    let free = 0;
    for (let slot = this.#freeHead; slot !== NONE; slot = this.bookNext[slot]!) {
      free += 1;
      assert(this.orderId[slot] === FREE && free <= this.#used, 'order pool: free slots are free');
    }
    assert(STRIDE * (live + free) === this.#used, 'order pool: no slot is lost');
    for (const slot of this.clientOrderIds.keys()) {
      assert(this.orderId[slot]! >= 0, 'order pool: a client order id belongs to a live order');
    }
  }

  #grow(capacity: number): void {
    const isInRange = capacity > this.#capacity && capacity <= CAPACITY_MAX;
    assert(isInRange, 'order pool: the pool has room to grow');
    const length = STRIDE * capacity;
    const floats = new Float64Array(length);
    const ints = new Int32Array(length);
    floats.set(this.floats);
    ints.set(this.ints);
    this.#lay(floats, ints, capacity);
  }

  #lay(floats: Float64Array, ints: Int32Array, capacity: number): void {
    this.floats = floats;
    this.ints = ints;
    this.price = floats.subarray(PRICE);
    this.remaining = floats.subarray(REMAINING);
    this.queueMs = floats.subarray(QUEUE_MS);
    this.rank = floats.subarray(RANK);
    this.orderId = floats.subarray(ORDER_ID);
    this.acceptedMs = floats.subarray(ACCEPTED_MS);
    this.original = floats.subarray(ORIGINAL);
    this.filledNotional = floats.subarray(FILLED_NOTIONAL);
    this.feeOverpaid = floats.subarray(FEE_OVERPAID);
    this.expireMs = floats.subarray(EXPIRE_MS);
    this.takerOverpaid = floats.subarray(TAKER_OVERPAID);
    this.level = ints.subarray(LEVEL);
    this.bookNext = ints.subarray(BOOK_NEXT);
    this.bookPrev = ints.subarray(BOOK_PREV);
    this.instrument = ints.subarray(INSTRUMENT);
    this.flags = ints.subarray(FLAGS);
    this.account = ints.subarray(ACCOUNT);
    this.ownNext = ints.subarray(OWN_NEXT);
    this.ownPrev = ints.subarray(OWN_PREV);
    this.tif = ints.subarray(TIF);
    this.#capacity = capacity;
  }

  #nextScratch(): Scratch {
    const capacity = this.#capacity + FORK_ROOM;
    let scratch = this.#scratch;
    if (scratch === undefined || scratch.capacity < capacity || scratch.stamp === STAMP_MAX) {
      const length = STRIDE * capacity;
      scratch = {
        floats: new Float64Array(length),
        ints: new Int32Array(length),
        capacity,
        stamp: 0,
      };
      this.#scratch = scratch;
    }
    scratch.stamp += 1;
    return scratch;
  }

  /**
   * Copies an order of the origin unless it has been copied already. A slot that the origin never
   * used has no data to copy.
   */
  #bring(slot: number, origin: OrderPool): void {
    const stamp = this.#forkStamp;
    assert(this.#scratch?.stamp === stamp, 'order pool: a fork is used until the next one is made');
    if (slot === NONE || this.ints[slot + STAMP] === stamp) return;
    this.ints[slot + STAMP] = stamp;
    if (slot >= origin.#used) return;
    for (let field = 0; field < STRIDE; field += 1) {
      this.floats[slot + field] = origin.floats[slot + field]!;
    }
    for (let field = 0; field < STAMP; field += 1) {
      this.ints[slot + field] = origin.ints[slot + field]!;
    }
  }
}

// Each array type has its own function, because a shared one would check the type on each call.

export function readSlot(array: Float64Array, slot: number): number {
  return present(array[slot], 'an order slot');
}

export function readSlotInt(array: Int32Array, slot: number): number {
  return present(array[slot], 'an order slot');
}
