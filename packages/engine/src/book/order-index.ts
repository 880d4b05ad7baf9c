import { assert } from '@oddlot/units';

/** No slot, no level: the end of a list, or an answer that nothing was found. */
export const NONE = -1;

/** Places of a new index: a power of two. */
const PLACES_MIN = 256;
/** Places for each live order at least: how many ids may follow before an order has to make room. */
const ROOM = 4;
/** Places of the largest index. */
const PLACES_MAX = 2 ** 30;

/**
 * From order id to slot.
 *
 * Ids follow each other and most orders leave soon, so the low bits of an id are its place, and a
 * new order lies beside the one before it. When ids have come round to a place that is still taken,
 * the order there is an old one and moves to a hash; every search ends there that its place doesn't
 * answer. Whoever keeps orders so that their places collide makes his own searches as slow as that.
 */
export class OrderIndex {
  /** By the low bits of the id: `slot + 1`, or 0. The order itself tells whether it is the one. */
  #places = new Int32Array(PLACES_MIN);
  readonly #older: OrderHash;
  /** No id in the hash is above this one, so that a new id needn't be searched for there. */
  #olderMax = -1;
  #size = 0;
  readonly #orders: Orders;

  constructor(orders: Orders, salt: number) {
    this.#orders = orders;
    this.#older = new OrderHash(orders, salt);
  }

  /** How many ids are stored. */
  get size(): number {
    return this.#size;
  }

  /** The slot of an order, or `NONE`. */
  get(orderId: number): number {
    const slot = this.#places[orderId & (this.#places.length - 1)]! - 1;
    if (slot >= 0 && this.#orders.orderId[slot] === orderId) return slot;
    return this.#older.get(orderId);
  }

  /** Makes room for as many ids at once: growing step by step moves each of them several times. */
  reserve(count: number): void {
    let length = this.#places.length;
    while (ROOM * count > length) length *= 2;
    if (length > this.#places.length) this.#grow(length);
  }

  /** Stores an id that is not yet there. */
  add(orderId: number, slot: number): void {
    if (ROOM * (this.#size + 1) > this.#places.length) this.#grow(2 * this.#places.length);
    const isNew = orderId > this.#olderMax || this.#older.get(orderId) < 0;
    assert(isNew, 'order index: an order id is used once');
    const place = orderId & (this.#places.length - 1);
    const before = this.#places[place]! - 1;
    if (before >= 0) this.#retire(before, orderId);
    this.#places[place] = slot + 1;
    this.#size += 1;
  }

  /** Takes out an id that is there with this slot. */
  delete(orderId: number, slot: number): void {
    const place = orderId & (this.#places.length - 1);
    if (this.#places[place] === slot + 1) this.#places[place] = 0;
    else this.#older.delete(orderId, slot);
    this.#size -= 1;
  }

  /** Moves an order into the hash, since its place is for another one now. */
  #retire(slot: number, orderId: number): void {
    const olderId = this.#orders.orderId[slot]!;
    assert(olderId !== orderId, 'order index: an order id is used once');
    this.#older.add(olderId, slot);
    this.#olderMax = Math.max(this.#olderMax, olderId);
  }

  #grow(length: number): void {
    assert(length <= PLACES_MAX, 'order index: there is room to grow');
    const places = new Int32Array(length);
    // What has a place of its own has one among more, too.
    for (const taken of this.#places) {
      if (taken !== 0) places[this.#orders.orderId[taken - 1]! & (length - 1)] = taken;
    }
    this.#places = places;
  }
}

/** Entries of a new table: a power of two. */
const ENTRIES_MIN = 64;
/** Entries of the largest table, so that twice the index of an entry fits 31 bits. */
const ENTRIES_MAX = 2 ** 29;

/** 2^32 divided by the golden ratio. */
const GOLDEN = 0x9e3779b1;
/** Elements of the table for each id at least: two entries of two. */
const HASH_ROOM = 4;

/** Where the orders tell their ids. The array may be replaced. */
type Orders = { readonly orderId: Float64Array };

/**
 * From order id to slot: an open-addressing hash with linear probing, at most half full.
 *
 * A `Map` costs more memory and hands its garbage to the collector when it rehashes; this table is
 * one typed array. An entry is two neighbouring numbers, the low half of the id and `slot + 1` (0 =
 * empty), so that it is small and a look-up usually touches one cache line; where the low half
 * agrees, the order itself tells its whole id. Deletion shifts the followers back instead of leaving
 * tombstones: the table doesn't degrade however many orders come and go.
 *
 * The salt makes the layout unpredictable to somebody who picks which of his orders to keep so that
 * they collide. The layout can't be observed through the answers, so replicas may differ in it.
 */
class OrderHash {
  #entries = new Int32Array(2 * ENTRIES_MIN);
  /** Finds an entry's place in the array, which is even. */
  #mask = 2 * ENTRIES_MIN - 1;
  #shift = Math.clz32(ENTRIES_MIN - 1);
  #size = 0;
  readonly #orders: Orders;
  readonly #salt: number;

  constructor(orders: Orders, salt: number) {
    this.#orders = orders;
    this.#salt = salt | 0;
  }

  /** How many ids are stored. */
  get size(): number {
    return this.#size;
  }

  /** The slot of an order, or -1. */
  get(orderId: number): number {
    return this.#entries[this.#locate(orderId) + 1]! - 1;
  }

  /** Stores an id that is not yet there. */
  add(orderId: number, slot: number): void {
    if (HASH_ROOM * (this.#size + 1) > this.#entries.length) this.#grow(2 * this.#entries.length);
    const at = this.#locate(orderId);
    assert(this.#entries[at + 1] === 0, 'order hash: an order id is used once');
    this.#entries[at] = orderId;
    this.#entries[at + 1] = slot + 1;
    this.#size += 1;
  }

  /** Takes out an id that is there with this slot. */
  delete(orderId: number, slot: number): void {
    const entries = this.#entries;
    const mask = this.#mask;
    let hole = this.#home(orderId | 0);
    while (entries[hole + 1] !== slot + 1) {
      assert(entries[hole + 1] !== 0, 'order hash: only a stored order id is deleted');
      hole = (hole + 2) & mask;
    }
    for (let at = (hole + 2) & mask; entries[at + 1] !== 0; at = (at + 2) & mask) {
      // A follower may fill the hole unless its home lies behind the hole: a search that starts at
      // its home would then end before it.
      const low = entries[at]!;
      if (((at - this.#home(low)) & mask) < ((at - hole) & mask)) continue;
      entries[hole] = low;
      entries[hole + 1] = entries[at + 1]!;
      hole = at;
    }
    entries[hole + 1] = 0;
    this.#size -= 1;
  }

  /** Where the entry of the id is, or the empty one where it would go. */
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
   * Where a search for an id with this low half starts. Ids follow each other, and multiples of this
   * number spread evenly, so that recent orders rarely meet.
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

/** From order id to slot. */
export type SlotIndex = Pick<OrderIndex, 'get' | 'add' | 'delete' | 'size'>;

/** An index on top of another one, which it never changes and which must stand still meanwhile. */
export class LayeredIndex {
  readonly #below: SlotIndex;
  /** Slots of what was added, `NONE` for what was deleted. */
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
