/**
 * Orders that end at a time (Gtd), soonest first, then by order id. A binary heap; an order that ends
 * earlier for another reason leaves its entry behind, so the owner asks for a rebuild when the dead
 * outnumber the living.
 */
export class ExpiryQueue {
  readonly #heap: { readonly dueMs: number; readonly orderId: number }[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** When the first is due; undefined when nothing waits. */
  get nextDueMs(): number | undefined {
    return this.#heap[0]?.dueMs;
  }

  push(dueMs: number, orderId: number): void {
    const heap = this.#heap;
    heap.push({ dueMs, orderId });
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#before(child, parent)) break;
      this.#swap(child, parent);
      child = parent;
    }
  }

  /** Takes the next order due at or before `timeMs`; undefined when none is. */
  popDue(timeMs: number): number | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.dueMs > timeMs) return undefined;
    const last = heap.pop();
    if (heap.length > 0 && last !== undefined) {
      heap[0] = last;
      this.#sink();
    }
    return first.orderId;
  }

  /** Drops entries whose order is no longer live. */
  retain(isLive: (orderId: number) => boolean): void {
    const living = this.#heap.filter((entry) => isLive(entry.orderId));
    this.#heap.length = 0;
    for (const entry of living) this.push(entry.dueMs, entry.orderId);
  }

  #sink(): void {
    const count = this.#heap.length;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      if (left >= count) return;
      const right = left + 1;
      const least = right < count && this.#before(right, left) ? right : left;
      if (!this.#before(least, parent)) return;
      this.#swap(least, parent);
      parent = least;
    }
  }

  #before(a: number, b: number): boolean {
    const x = this.#heap[a];
    const y = this.#heap[b];
    if (x === undefined || y === undefined) return false;
    return x.dueMs < y.dueMs || (x.dueMs === y.dueMs && x.orderId < y.orderId);
  }

  #swap(a: number, b: number): void {
    const x = this.#heap[a];
    const y = this.#heap[b];
    if (x === undefined || y === undefined) return;
    this.#heap[a] = y;
    this.#heap[b] = x;
  }
}
