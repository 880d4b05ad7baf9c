import { LayeredMap } from '../collections/maps.ts';
import { type Holding, holdingKey, type Leg } from './account.ts';
import { DueQueue } from '../collections/heap.ts';

/** Above this many entries the queue is rebuilt when most of them were replaced. */
const REBUILD_MIN = 1_024;

/** Scheduled cancellations: one time per account, usually postponed repeatedly. */
export class CancelSchedules {
  /** By account index. */
  #times = new Map<number, number>();
  /** Contains replaced times too; `#times` decides whether an account is due. */
  #queue = new DueQueue();

  /**
   * A copy whose changes do not affect this one, which must not change meanwhile. It is for commands, not blocks:
   * inherited schedules never fall due in it.
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

/** A reversal of a position: closed first, then opened on the other side. */
export type ReverseJob = {
  readonly accountIndex: number;
  readonly instrumentId: number;
  /** The leg that is closed. */
  readonly leg: Leg;
  /** Signed. */
  readonly sizeAtStart: number;
  readonly startedMs: number;
  readonly isIsolated: boolean;
  phase: 'closing' | 'opening';
  /** Lots that the job's own orders have closed, and opened. */
  closed: number;
  opened: number;
};

/** One job at a time for an account's leg of an instrument. */
export function reverseJobKey(accountIndex: number, instrumentId: number, leg: Leg): string {
  return `${accountIndex}:${holdingKey(instrumentId, leg)}`;
}

/** The job of a holding's account and leg. */
export function holdingJobKey(accountIndex: number, { leg, perp }: Holding): string {
  return reverseJobKey(accountIndex, perp.definition.instrumentId, leg);
}
