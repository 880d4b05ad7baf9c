/**
 * A binary heap: the entry that comes before all others is on top. Entries that compare the same come
 * in no particular order, so who needs one breaks ties in the comparison.
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

  /** All entries, in no particular order. */
  all(): readonly T[] {
    return this.#entries;
  }

  /** Drops the entries that are not wanted any more. */
  retain(isWanted: (entry: T) => boolean): void {
    // A sorted array is a heap.
    this.#entries = this.#entries
      .filter(isWanted)
      .sort((a, b) => (this.#isBefore(a, b) ? -1 : this.#isBefore(b, a) ? 1 : 0));
  }

  /** Puts an entry in the place of the first, which is gone, and lets it down to where it belongs. */
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
 * What falls due at a time, by its id: orders that end (Gtd), markets that open and close. Soonest
 * first, then by id. What ends earlier for another reason leaves its entry behind, so the owner asks
 * for a clean-up when the dead outnumber the living.
 */
export class DueQueue {
  readonly #heap = new Heap<Due>(isDueBefore);

  get size(): number {
    return this.#heap.size;
  }

  /** When the first is due; undefined when nothing waits. */
  get nextDueMs(): number | undefined {
    return this.#heap.first?.dueMs;
  }

  push(dueMs: number, id: number): void {
    this.#heap.push({ dueMs, id });
  }

  /** Takes the next id due at or before `timeMs`; undefined when none is. */
  popDue(timeMs: number): number | undefined {
    const { first } = this.#heap;
    if (first === undefined || first.dueMs > timeMs) return undefined;
    this.#heap.pop();
    return first.id;
  }

  /** Drops entries that nobody waits for any more. */
  retain(isLive: (id: number) => boolean): void {
    this.#heap.retain(({ id }) => isLive(id));
  }
}

function isDueBefore(a: Due, b: Due): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.id < b.id);
}

const FIRST_ROOM = 16;

/**
 * A binary heap of small numbers, each with the key that it waits at: the least key is on top, and one
 * that waits can be moved or taken out. Numbers with the same key come in no particular order. All of
 * it is typed arrays: however many wait, the collector of garbage has nothing to walk through.
 */
export class NumberedHeap {
  /** By number. */
  #keys = new Float64Array(FIRST_ROOM);
  /** By number: the place in the heap counted from 1, or 0. */
  #places = new Uint32Array(FIRST_ROOM);
  #numbers = new Uint32Array(FIRST_ROOM);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Infinity when nothing waits. */
  get firstKey(): number {
    return this.#size === 0 ? Infinity : this.#keyAt(0);
  }

  /** What a number waits at; undefined when it does not. */
  keyOf(number: number): number | undefined {
    return (this.#places[number] ?? 0) === 0 ? undefined : this.#keys[number];
  }

  /** Lets a number wait at a key, wherever it waited before. */
  put(number: number, key: number): void {
    this.#makeRoom(number);
    this.#keys[number] = key;
    const place = this.#places[number] ?? 0;
    if (place === 0) this.#rise(this.#size++, number);
    else this.#settle(place - 1, number);
  }

  /** Takes the first number out; undefined when nothing waits. */
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
    // The last one fills the gap, unless it was the last itself.
    const last = this.#numbers[this.#size] ?? 0;
    if (last !== number) this.#settle(place - 1, last);
  }

  /** Puts a number at a place that is free, or nearer to where it belongs from there. */
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

  /** No more numbers wait than there are, so one size is enough for all. */
  #makeRoom(number: number): void {
    if (number < this.#keys.length) return;
    const room = Math.max(number + 1, 2 * this.#keys.length);
    const [keys, places, numbers] = [this.#keys, this.#places, this.#numbers];
    this.#keys = new Float64Array(room);
    this.#places = new Uint32Array(room);
    this.#numbers = new Uint32Array(room);
    this.#keys.set(keys);
    this.#places.set(places);
    this.#numbers.set(numbers);
  }
}
