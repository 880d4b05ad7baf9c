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
