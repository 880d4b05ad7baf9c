import { DueQueue } from '../collections/due-queue.ts';
import { LayeredMap } from '../collections/layered-map.ts';

/** Above this many entries the queue is rebuilt when most of them were replaced. */
const REBUILD_MIN = 1_024;

/** When whose orders are to be cancelled: one time an account, set ahead again and again. */
export class CancelSchedules {
  /** By account index. */
  #times = new Map<number, number>();
  /** Holds replaced times too: an account is due when its own time says so. */
  #queue = new DueQueue();

  /**
   * Schedules that may be changed without changing these, which must stand still meanwhile. They are
   * for commands and not for blocks: nothing of what they took over falls due.
   */
  fork(): CancelSchedules {
    const fork = new CancelSchedules();
    fork.#times = new LayeredMap(this.#times);
    return fork;
  }

  of(accountIndex: number): number | undefined {
    return this.#times.get(accountIndex);
  }

  /** By account index, for a dump. */
  all(): (readonly [accountIndex: number, atMs: number])[] {
    return [...this.#times].sort((a, b) => a[0] - b[0]);
  }

  set(accountIndex: number, atMs: number): void {
    this.#times.set(accountIndex, atMs);
    this.#queue.push(atMs, accountIndex);
    if (this.#queue.size > REBUILD_MIN && this.#queue.size > 2 * this.#times.size) this.#rebuild();
  }

  remove(accountIndex: number): void {
    this.#times.delete(accountIndex);
  }

  /** Takes the schedules due at or before a time, in no particular order. */
  takeDue(timeMs: number): { readonly accountIndex: number; readonly atMs: number }[] {
    const due: { readonly accountIndex: number; readonly atMs: number }[] = [];
    for (;;) {
      const accountIndex = this.#queue.popDue(timeMs);
      if (accountIndex === undefined) return due;
      const atMs = this.#times.get(accountIndex);
      if (atMs === undefined || atMs > timeMs) continue;
      this.#times.delete(accountIndex);
      due.push({ accountIndex, atMs });
    }
  }

  #rebuild(): void {
    this.#queue = new DueQueue();
    for (const [accountIndex, atMs] of this.#times) this.#queue.push(atMs, accountIndex);
  }
}
