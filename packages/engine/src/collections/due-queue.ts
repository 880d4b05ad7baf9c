import { Heap } from './heap.ts';

type Due = { readonly dueMs: number; readonly id: number };

/**
 * What falls due at a time, by its id: orders that end (Gtd), markets that open and close. Soonest
 * first, then by id. What ends earlier for another reason leaves its entry behind, so the owner asks
 * for a clean-up when the dead outnumber the living.
 */
export class DueQueue {
  readonly #heap = new Heap<Due>(isBefore);

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

function isBefore(a: Due, b: Due): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.id < b.id);
}
