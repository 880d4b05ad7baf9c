/** Rows that are added before the walk begins anew. */
const WALK_ADDS = 4_096;

/**
 * The newest rows of each user, or of whatever else has rows, in memory. Bounded twice: so many rows a
 * user, and so many in all; beyond that the user who was silent longest is forgotten.
 */
export class RecentRows<Row> {
  readonly #perUserMax: number;
  readonly #totalMax: number;
  /** Oldest first; the user who got a row last is the last in the map. */
  readonly #rows = new Map<string, Row[]>();
  /**
   * Goes from the oldest user on and never back: a new walk would first pass over the gaps that all
   * users before left in the map. A walk that stands still keeps alive whatever the map has outgrown since,
   * so it is begun anew now and then.
   */
  #oldest = this.#rows.entries();
  #sinceBegun = 0;
  #total = 0;

  constructor({ perUserMax, totalMax }: { perUserMax: number; totalMax: number }) {
    this.#perUserMax = perUserMax;
    this.#totalMax = totalMax;
  }

  add(user: string, row: Row): void {
    const rows = this.#rows.get(user) ?? [];
    this.#rows.delete(user);
    this.#rows.set(user, rows);
    rows.push(row);
    this.#total += 1;
    if (rows.length > this.#perUserMax) {
      rows.shift();
      this.#total -= 1;
    }
    while (this.#total > this.#totalMax) this.#forgetOldest();
    this.#sinceBegun += 1;
    if (this.#sinceBegun < WALK_ADDS) return;
    this.#sinceBegun = 0;
    this.#oldest = this.#rows.entries();
  }

  forget(user: string): void {
    this.#total -= this.#rows.get(user)?.length ?? 0;
    this.#rows.delete(user);
  }

  /** Newest first. */
  of(user: string): Row[] {
    return (this.#rows.get(user) ?? []).toReversed();
  }

  /** For snapshots of the venue: the blocks of these rows may not be replayed again. */
  dump(): readonly (readonly [user: string, rows: readonly Row[]])[] {
    return [...this.#rows.entries()];
  }

  clear(): void {
    this.#rows.clear();
    this.#oldest = this.#rows.entries();
    this.#total = 0;
  }

  restore(data: unknown): void {
    for (const [user, rows] of data as ReturnType<RecentRows<Row>['dump']>) {
      for (const row of rows) this.add(user, row);
    }
  }

  #forgetOldest(): void {
    const next = this.#oldest.next();
    if (next.done === true) {
      this.#oldest = this.#rows.entries();
      return;
    }
    const [user, rows] = next.value;
    this.#rows.delete(user);
    this.#total -= rows.length;
  }
}
