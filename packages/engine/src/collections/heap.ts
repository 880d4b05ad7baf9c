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
