import { assert } from '@oddlot/units';

export const NONE = -1;

const PLACES_MIN = 256;
/**
 * The minimum number of positions per live order. It ensures that an order moves to the hash only
 * after many later ids.
 */
const PLACES_PER_ORDER = 4;
const PLACES_MAX = 2 ** 30;

/**
 * Maps order ids to slots. Ids are consecutive and most orders are short-lived, so the low bits of
 * an id are its position, and a new order is adjacent to the previous one. When a new id reaches a
 * position that is still occupied, the older order moves to a hash table, which serves every lookup
 * that does not find its id at its position. A client that keeps orders with colliding positions
 * slows down only the lookups of its own orders.
 */
export class OrderIndex {
  /**
   * The entry is `slot + 1` at the index given by the low bits of the id, or 0 if the position is
   * free. The order in the slot confirms the full id.
   */
  #places = new Int32Array(PLACES_MIN);
  readonly #older: OrderHash;
  /** The highest id in the hash table, so that newer ids are not searched there. */
  #olderMax = -1;
  #size = 0;
  readonly #orders: Orders;

  constructor(orders: Orders, salt: number) {
    this.#orders = orders;
    this.#older = new OrderHash(orders, salt);
  }

  get size(): number {
    return this.#size;
  }

  get(orderId: number): number {
    const slot = this.#places[orderId & (this.#places.length - 1)]! - 1;
    if (slot >= 0 && this.#orders.orderId[slot] === orderId) return slot;
    return this.#older.get(orderId);
  }

  /**
   * Allocates all positions in one step, because gradual growth would move each id several times.
   */
  reserve(count: number): void {
    let length = this.#places.length;
    while (PLACES_PER_ORDER * count > length) length *= 2;
    if (length > this.#places.length) this.#grow(length);
  }

  add(orderId: number, slot: number): void {
    if (PLACES_PER_ORDER * (this.#size + 1) > this.#places.length)
      this.#grow(2 * this.#places.length);
    const isNew = orderId > this.#olderMax || this.#older.get(orderId) < 0;
    assert(isNew, 'order index: an order id is used once');
    const place = orderId & (this.#places.length - 1);
    const before = this.#places[place]! - 1;
    if (before >= 0) this.#retire(before, orderId);
    this.#places[place] = slot + 1;
    this.#size += 1;
  }

  delete(orderId: number, slot: number): void {
    const place = orderId & (this.#places.length - 1);
    if (this.#places[place] === slot + 1) this.#places[place] = 0;
    else this.#older.delete(orderId, slot);
    this.#size -= 1;
  }

  /** Moves an order into the hash table because a new order needs its position. */
  #retire(slot: number, orderId: number): void {
    const olderId = this.#orders.orderId[slot]!;
    assert(olderId !== orderId, 'order index: an order id is used once');
    this.#older.add(olderId, slot);
    this.#olderMax = Math.max(this.#olderMax, olderId);
  }

  #grow(length: number): void {
    assert(length <= PLACES_MAX, 'order index: there is room to grow');
    const places = new Int32Array(length);
    // Ids with distinct positions also have distinct positions in a larger index.
    for (const taken of this.#places) {
      if (taken !== 0) places[this.#orders.orderId[taken - 1]! & (length - 1)] = taken;
    }
    this.#places = places;
  }
}

const ENTRIES_MIN = 64;
/** The maximum number of entries, chosen so that twice the index of an entry fits into 31 bits. */
const ENTRIES_MAX = 2 ** 29;

/** This constant is 2^32 divided by the golden ratio. */
const GOLDEN = 0x9e3779b1;
const ELEMENTS_PER_ID = 4;

type Orders = { readonly orderId: Float64Array };

/**
 * Maps order ids to slots with an open-addressing hash table that uses linear probing and is at
 * most half full. A `Map` costs more memory and produces garbage when it rehashes; this table is
 * one typed array. An entry consists of two adjacent numbers, the low half of the id and `slot + 1`
 * (0 if empty), so a lookup usually touches one cache line. If the low half matches, the order
 * itself confirms the full id. Deletion shifts the following entries back instead of leaving
 * tombstones, so lookups do not become slower over time. The salt makes the layout unpredictable,
 * so that clients cannot create orders that collide. Results do not depend on the layout, so each
 * replica can have its own salt.
 */
class OrderHash {
  #entries = new Int32Array(2 * ENTRIES_MIN);
  /** The mask for the array index of an entry; such an index is even. */
  #mask = 2 * ENTRIES_MIN - 1;
  #shift = Math.clz32(ENTRIES_MIN - 1);
  #size = 0;
  readonly #orders: Orders;
  readonly #salt: number;

  constructor(orders: Orders, salt: number) {
    this.#orders = orders;
    this.#salt = salt | 0;
  }

  get size(): number {
    return this.#size;
  }

  get(orderId: number): number {
    return this.#entries[this.#locate(orderId) + 1]! - 1;
  }

  add(orderId: number, slot: number): void {
    if (ELEMENTS_PER_ID * (this.#size + 1) > this.#entries.length)
      this.#grow(2 * this.#entries.length);
    const at = this.#locate(orderId);
    assert(this.#entries[at + 1] === 0, 'order hash: an order id is used once');
    this.#entries[at] = orderId;
    this.#entries[at + 1] = slot + 1;
    this.#size += 1;
  }

  delete(orderId: number, slot: number): void {
    const entries = this.#entries;
    const mask = this.#mask;
    let hole = this.#home(orderId | 0);
    while (entries[hole + 1] !== slot + 1) {
      assert(entries[hole + 1] !== 0, 'order hash: only a stored order id is deleted');
      hole = (hole + 2) & mask;
    }
    for (let at = (hole + 2) & mask; entries[at + 1] !== 0; at = (at + 2) & mask) {
      // A following entry can fill the hole unless its home position comes after the hole. In that
      // case, a search from the home position would end before the entry.
      const low = entries[at]!;
      if (((at - this.#home(low)) & mask) < ((at - hole) & mask)) continue;
      entries[hole] = low;
      entries[hole + 1] = entries[at + 1]!;
      hole = at;
    }
    entries[hole + 1] = 0;
    this.#size -= 1;
  }

  #locate(orderId: number): number {
    const entries = this.#entries;
    const low = orderId | 0;
    let at = this.#home(low);
    while (entries[at + 1] !== 0) {
      if (entries[at] === low && this.#orders.orderId[entries[at + 1]! - 1] === orderId) break;
      at = (at + 2) & this.#mask;
    }
    return at;
  }

  /**
   * Returns the position where the search for an id with this low half starts. Multiplication by
   * this constant spreads consecutive ids evenly, so that recent orders rarely collide.
   */
  #home(low: number): number {
    return 2 * (Math.imul(low ^ this.#salt, GOLDEN) >>> this.#shift);
  }

  #grow(length: number): void {
    const old = this.#entries;
    assert(length <= 2 * ENTRIES_MAX, 'order hash: the table has room to grow');
    const entries = new Int32Array(length);
    this.#entries = entries;
    this.#mask = length - 1;
    this.#shift = Math.clz32(length - 1) + 1;
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue;
      let at = this.#home(old[from]!);
      while (entries[at + 1] !== 0) at = (at + 2) & this.#mask;
      entries[at] = old[from]!;
      entries[at + 1] = old[from + 1]!;
    }
  }
}

export type SlotIndex = Pick<OrderIndex, 'get' | 'add' | 'delete' | 'size'>;

/**
 * An index on top of another one. It never changes the lower index, which must not change while
 * this one exists.
 */
export class LayeredIndex {
  readonly #below: SlotIndex;
  /** The slots of added ids; deleted ids map to `NONE`. */
  readonly #changes = new Map<number, number>();
  #size: number;

  constructor(below: SlotIndex) {
    this.#below = below;
    this.#size = below.size;
  }

  get size(): number {
    return this.#size;
  }

  get(orderId: number): number {
    return this.#changes.get(orderId) ?? this.#below.get(orderId);
  }

  add(orderId: number, slot: number): void {
    assert(this.get(orderId) === NONE, 'layered index: an order id is used once');
    this.#changes.set(orderId, slot);
    this.#size += 1;
  }

  delete(orderId: number): void {
    assert(this.get(orderId) !== NONE, 'layered index: only a stored order id is deleted');
    this.#changes.set(orderId, NONE);
    this.#size -= 1;
  }
}
