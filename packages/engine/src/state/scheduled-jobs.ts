import { LayeredMap } from '../collections/maps.ts';
import { type Holding, holdingKey, type Leg } from './account.ts';
import { DueQueue } from '../collections/heap.ts';

/** A queue with at least this many entries is rebuilt if most of them are outdated. */
const REBUILD_MIN = 1_024;

/**
 * The scheduled cancellations. Each account has one scheduled time, which clients usually postpone
 * repeatedly.
 */
export class CancelSchedules {
  /** The times of the scheduled cancellations by account index. */
  #times = new Map<number, number>();
  /**
   * A queue of all times, including replaced ones; `#times` determines whether an account is due.
   */
  #queue = new DueQueue();

  /**
   * Returns a copy whose changes do not affect this one; the original must not change while the
   * copy is in use. The copy is for commands, not blocks: inherited schedules never become due in
   * it.
   */
  fork(): CancelSchedules {
    const fork = new CancelSchedules();
    fork.#times = new LayeredMap(this.#times);
    return fork;
  }

  of(accountIndex: number): number | undefined {
    return this.#times.get(accountIndex);
  }

  /** Returns all schedules, sorted by account index for the dump. */
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

  /** Removes and returns the schedules due at or before a time, in no particular order. */
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

/** A reversal of a position, which first closes it and then opens one on the opposite side. */
export type ReverseJob = {
  readonly accountIndex: number;
  readonly instrumentId: number;
  readonly leg: Leg;
  /** The signed position size in lots when the job started. */
  readonly sizeAtStart: number;
  readonly startedMs: number;
  readonly isIsolated: boolean;
  phase: 'closing' | 'opening';
  /** The lots that the job's own orders have closed and opened. */
  closed: number;
  opened: number;
};

/** Returns the key of a reverse job; an account has at most one job per leg of an instrument. */
export function reverseJobKey(accountIndex: number, instrumentId: number, leg: Leg): string {
  return `${accountIndex}:${holdingKey(instrumentId, leg)}`;
}

export function holdingJobKey(accountIndex: number, { leg, perp }: Holding): string {
  return reverseJobKey(accountIndex, perp.definition.instrumentId, leg);
}
