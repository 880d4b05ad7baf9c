/** A place in a ranking: a key, and an id that no other item has. */
export type Place = readonly [key: number, id: number];

/** Which part of a ranking. */
export type PageOptions = {
  readonly after: Place | undefined;
  readonly descending: boolean;
  readonly limit: number;
};

type Entry<Item> = { readonly key: number; readonly id: number; readonly item: Item };

/**
 * Items in the order of a key, then of their id. Finding a place takes a binary search, so that a
 * page costs what is on it; moving one item moves pointers in one array.
 */
export class Ranking<Item> {
  /** Ascending. */
  #entries: Entry<Item>[] = [];
  readonly #keys = new Map<number, number>();

  get size(): number {
    return this.#entries.length;
  }

  /** Starts over with these, at once: cheaper than one by one. */
  reset(entries: readonly Entry<Item>[]): void {
    this.#entries = entries.toSorted((a, b) => a.key - b.key || a.id - b.id);
    this.#keys.clear();
    for (const { id, key } of entries) this.#keys.set(id, key);
  }

  /** Puts an item where its key belongs; without a key it is taken out. */
  place(id: number, key: number | undefined, item: Item): void {
    const old = this.#keys.get(id);
    if (old === key) return;
    if (old !== undefined) this.#entries.splice(this.#countBelow([old, id]), 1);
    if (key === undefined) {
      this.#keys.delete(id);
      return;
    }
    this.#entries.splice(this.#countBelow([key, id]), 0, { key, id, item });
    this.#keys.set(id, key);
  }

  /** Items after a place, or from the start, in either direction, with the place of the last one. */
  page(options: PageOptions): { readonly items: Item[]; readonly next: Place | undefined } {
    const { after, descending, limit } = options;
    const count = this.#entries.length;
    // Half-open bounds of what is still to come.
    const from = descending || after === undefined ? 0 : this.#countUpTo(after);
    const to = descending && after !== undefined ? this.#countBelow(after) : count;
    const page = descending
      ? this.#entries.slice(Math.max(from, to - limit), to).reverse()
      : this.#entries.slice(from, Math.min(to, from + limit));
    const last = page.at(-1);
    const hasMore = to - from > page.length;
    return {
      items: page.map(({ item }) => item),
      next: hasMore && last !== undefined ? [last.key, last.id] : undefined,
    };
  }

  #countBelow([key, id]: Place): number {
    return this.#count((entry) => entry.key < key || (entry.key === key && entry.id < id));
  }

  #countUpTo([key, id]: Place): number {
    return this.#count((entry) => entry.key < key || (entry.key === key && entry.id <= id));
  }

  /** How many entries satisfy a claim that holds for the first ones and for no later ones. */
  #count(holds: (entry: Entry<Item>) => boolean): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && holds(entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
