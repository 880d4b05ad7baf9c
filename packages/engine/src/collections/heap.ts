/**
 * A binary heap whose top is the first entry in order. The order of equal entries is undefined;
 * callers that depend on it must break ties in the comparison.
 */
export class Heap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  #entries: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#entries.length;
  }

  get first(): T | undefined {
    return this.#entries[0];
  }

  push(entry: T): void {
    const entries = this.#entries;
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = entries[up];
      if (parent === undefined || !this.#isBefore(entry, parent)) break;
      entries[at] = parent;
      at = up;
    }
    entries[at] = entry;
  }

  pop(): T | undefined {
    const entries = this.#entries;
    const [first] = entries;
    const last = entries.pop();
    if (entries.length > 0 && last !== undefined) this.#sink(last);
    return first;
  }

  all(): readonly T[] {
    return this.#entries;
  }

  retain(isWanted: (entry: T) => boolean): void {
    this.#entries = this.#entries
      .filter(isWanted)
      .sort((a, b) => (this.#isBefore(a, b) ? -1 : this.#isBefore(b, a) ? 1 : 0));
  }

  /**
   * Puts an entry in the place of the removed top entry and moves it down to its correct position.
   */
  #sink(entry: T): void {
    const entries = this.#entries;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      let child = entries[down];
      if (child === undefined) break;
      const right = entries[down + 1];
      if (right !== undefined && this.#isBefore(right, child)) {
        down += 1;
        child = right;
      }
      if (!this.#isBefore(child, entry)) break;
      entries[at] = child;
      at = down;
    }
    entries[at] = entry;
  }
}

type Due = { readonly dueMs: number; readonly id: number };

/**
 * A queue of ids by due time, used for expiring orders and for the opening and closing of markets.
 * The earliest time comes first, then the lowest id. If an id ends early for another reason, its
 * entry remains, so the owner calls `retain` once such entries outnumber the rest.
 */
export class DueQueue {
  readonly #heap = new Heap<Due>(isDueBefore);

  get size(): number {
    return this.#heap.size;
  }

  get nextDueMs(): number | undefined {
    return this.#heap.first?.dueMs;
  }

  push(dueMs: number, id: number): void {
    this.#heap.push({ dueMs, id });
  }

  popDue(timeMs: number): number | undefined {
    const { first } = this.#heap;
    if (first === undefined || first.dueMs > timeMs) return undefined;
    this.#heap.pop();
    return first.id;
  }

  retain(isLive: (id: number) => boolean): void {
    this.#heap.retain(({ id }) => isLive(id));
  }
}

function isDueBefore(a: Due, b: Due): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.id < b.id);
}

const CAPACITY_START = 16;

/**
 * A binary heap of small numbers, each with a key. The lowest key is on top, and any number can be
 * moved or removed. The order of numbers with equal keys is undefined. All data is in typed arrays,
 * so the size of the heap does not affect garbage collection.
 */
export class NumberedHeap {
  #keys = new Float64Array(CAPACITY_START);
  /**
   * The position of each number in the heap, starting with 1, or 0 if the number is not in the
   * heap.
   */
  #places = new Uint32Array(CAPACITY_START);
  #numbers = new Uint32Array(CAPACITY_START);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get firstKey(): number {
    return this.#size === 0 ? Infinity : this.#keyAt(0);
  }

  keyOf(number: number): number | undefined {
    return (this.#places[number] ?? 0) === 0 ? undefined : this.#keys[number];
  }

  put(number: number, key: number): void {
    this.#makeRoom(number);
    this.#keys[number] = key;
    const place = this.#places[number] ?? 0;
    if (place === 0) this.#rise(this.#size++, number);
    else this.#settle(place - 1, number);
  }

  pop(): number | undefined {
    if (this.#size === 0) return undefined;
    const [first] = this.#numbers;
    if (first !== undefined) this.delete(first);
    return first;
  }

  delete(number: number): void {
    const place = this.#places[number] ?? 0;
    if (place === 0) return;
    this.#places[number] = 0;
    this.#size -= 1;
    // The last number fills the gap, unless it was the removed one.
    const last = this.#numbers[this.#size] ?? 0;
    if (last !== number) this.#settle(place - 1, last);
  }

  /** Puts a number at a free position and moves it to its correct position. */
  #settle(place: number, number: number): void {
    const key = this.#keys[number] ?? 0;
    const isAbove = place > 0 && key < this.#keyAt((place - 1) >> 1);
    if (isAbove) this.#rise(place, number);
    else this.#sink(place, number);
  }

  #rise(from: number, number: number): void {
    const key = this.#keys[number] ?? 0;
    let place = from;
    while (place > 0) {
      const up = (place - 1) >> 1;
      if (this.#keyAt(up) <= key) break;
      this.#set(place, this.#numbers[up] ?? 0);
      place = up;
    }
    this.#set(place, number);
  }

  #sink(from: number, number: number): void {
    const key = this.#keys[number] ?? 0;
    let place = from;
    for (;;) {
      let down = 2 * place + 1;
      if (down >= this.#size) break;
      if (down + 1 < this.#size && this.#keyAt(down + 1) < this.#keyAt(down)) down += 1;
      if (key <= this.#keyAt(down)) break;
      this.#set(place, this.#numbers[down] ?? 0);
      place = down;
    }
    this.#set(place, number);
  }

  #keyAt(place: number): number {
    return this.#keys[this.#numbers[place] ?? 0] ?? 0;
  }

  #set(place: number, number: number): void {
    this.#numbers[place] = number;
    this.#places[number] = place + 1;
  }

  /**
   * Grows all arrays to the same size; the heap never needs more entries than there are distinct
   * numbers.
   */
  #makeRoom(number: number): void {
    if (number < this.#keys.length) return;
    const capacity = Math.max(number + 1, 2 * this.#keys.length);
    const [keys, places, numbers] = [this.#keys, this.#places, this.#numbers];
    this.#keys = new Float64Array(capacity);
    this.#places = new Uint32Array(capacity);
    this.#numbers = new Uint32Array(capacity);
    this.#keys.set(keys);
    this.#places.set(places);
    this.#numbers.set(numbers);
  }
}
