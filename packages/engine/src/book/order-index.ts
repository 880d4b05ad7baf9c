import { assert } from '@oddlot/units';

/** No slot, no level: the end of a list, or an answer that nothing was found. */
export const NONE = -1;

/** Entries of a new table: a power of two. */
const ENTRIES_MIN = 64;
/** Entries of the largest table, so that twice the index of an entry fits 31 bits. */
const ENTRIES_MAX = 2 ** 29;

/**
 * From order id to slot: an open-addressing hash with linear probing, at most half full.
 *
 * A `Map` costs more memory and hands its garbage to the collector when it rehashes; this table is
 * one typed array. An entry is two neighbouring numbers, the id and `slot + 1` (0 = empty), so that
 * a look-up usually touches one cache line. Deletion shifts the followers back instead of leaving
 * tombstones: the table doesn't degrade however many orders come and go.
 *
 * The salt makes the layout unpredictable to somebody who picks which of his orders to keep so that
 * they collide. The layout can't be observed through the answers, so replicas may differ in it.
 */
export class OrderIndex {
  #entries = new Float64Array(2 * ENTRIES_MIN);
  #mask = ENTRIES_MIN - 1;
  #shift = Math.clz32(ENTRIES_MIN - 1);
  #size = 0;
  readonly #salt: number;

  constructor(salt: number) {
    this.#salt = salt | 0;
  }

  /** How many ids are stored. */
  get size(): number {
    return this.#size;
  }

  /** The slot of an order, or `NONE`. */
  get(orderId: number): number {
    const at = this.#locate(orderId);
    return this.#entries[2 * at + 1]! - 1;
  }

  /** Makes room for as many ids at once: growing step by step moves each of them several times. */
  reserve(count: number): void {
    let entriesMax = this.#mask + 1;
    while (2 * count > entriesMax) entriesMax *= 2;
    if (entriesMax > this.#mask + 1) this.#grow(entriesMax);
  }

  /** Stores an id that is not yet there. */
  add(orderId: number, slot: number): void {
    if (2 * (this.#size + 1) > this.#mask + 1) this.#grow(2 * (this.#mask + 1));
    const at = this.#locate(orderId);
    assert(this.#entries[2 * at + 1] === 0, 'order index: an order id is used once');
    this.#entries[2 * at] = orderId;
    this.#entries[2 * at + 1] = slot + 1;
    this.#size += 1;
  }

  /** Takes out an id that is there. */
  delete(orderId: number): void {
    const entries = this.#entries;
    const mask = this.#mask;
    let hole = this.#locate(orderId);
    assert(entries[2 * hole + 1] !== 0, 'order index: only a stored order id is deleted');
    let at = hole;
    for (;;) {
      at = (at + 1) & mask;
      if (entries[2 * at + 1] === 0) break;
      // A follower may fill the hole unless its home lies behind the hole: a search that starts at
      // its home would then end before it.
      const home = this.#home(entries[2 * at]!);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      entries[2 * hole] = entries[2 * at]!;
      entries[2 * hole + 1] = entries[2 * at + 1]!;
      hole = at;
    }
    entries[2 * hole + 1] = 0;
    this.#size -= 1;
  }

  /** The entry that holds the id, or the empty entry where it would go. */
  #locate(orderId: number): number {
    const entries = this.#entries;
    let at = this.#home(orderId);
    while (entries[2 * at + 1] !== 0 && entries[2 * at] !== orderId) at = (at + 1) & this.#mask;
    return at;
  }

  /** Where a search for the id starts. Ids go beyond 32 bits, so both halves take part. */
  #home(orderId: number): number {
    const high = (orderId * 2 ** -32) >>> 0;
    const mixed = Math.imul((orderId >>> 0) ^ Math.imul(high, 0x85ebca6b) ^ this.#salt, 0x9e3779b1);
    return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> this.#shift;
  }

  #grow(entriesMax: number): void {
    const old = this.#entries;
    assert(entriesMax <= ENTRIES_MAX, 'order index: the table has room to grow');
    this.#entries = new Float64Array(2 * entriesMax);
    this.#mask = entriesMax - 1;
    this.#shift = Math.clz32(entriesMax - 1);
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue;
      const at = this.#locate(old[from]!);
      this.#entries[2 * at] = old[from]!;
      this.#entries[2 * at + 1] = old[from + 1]!;
    }
  }
}
