import { assert } from '@oddlot/units';

import { OrderHash, type Orders } from './order-hash.ts';

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
