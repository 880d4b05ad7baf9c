import { assert } from '@oddlot/units';

/**
 * Assigns each task that a venue runs only once, such as the ticker, the oracle or the history
 * writer, to one of its processes. Names are unique in the venue, and at most one process holds a
 * name.
 */
export interface Lease {
  /**
   * Runs a task while this process holds a name. `start` runs each time the process acquires the
   * name, and `stop` each time it loses the name; they never run at the same time. Resolves when
   * the holder is known and, if it is this process, `start` has completed. If `start` fails, `stop`
   * runs before this call fails, because the task may have been partially started.
   */
  hold(name: string, start: Start, stop: Stop): Promise<Held>;
}

export type Start = (term: Term) => void | Promise<void>;
export type Stop = () => void | Promise<void>;

/**
 * This lease is held by the process that transacts on the settlement chain or, if there is no chain
 * to pay withdrawals, credits them back.
 */
export const SETTLEMENT_LEASE = 'settlement';

export type Term = {
  /**
   * Greater than the number of every earlier term of any process, so that side effects of a former
   * holder can be rejected.
   */
  readonly number: number;
  /** Identifies this process in the terms recorded in the log (R-terms). */
  readonly holder: string;
  /** True if another process may already hold the name. */
  isOver(): boolean;
  /**
   * Ends the term because the log contains a later one. The task is stopped as if the lease were
   * lost.
   */
  end(): void;
};

export type Held = {
  release(): Promise<void>;
};

/** There is only one term, because a data folder belongs to one process at a time. */
const ONLY_TERM: Term = {
  number: 0,
  holder: 'local',
  isOver: () => false,
  end: () => {
    throw new Error('the log contains a later term, although this venue runs as a single process');
  },
};

/**
 * The lease of a venue with one process: every name is acquired immediately and held until it is
 * released.
 */
export class LocalLease implements Lease {
  readonly #names = new Set<string>();

  async hold(name: string, start: Start, stop: Stop): Promise<Held> {
    assert(!this.#names.has(name), `${name} is already held`);
    this.#names.add(name);
    try {
      await start(ONLY_TERM);
    } catch (error) {
      // The error from the failed start is more useful than one from stopping it.
      await this.#release(name, stop).catch(() => undefined);
      throw error;
    }
    let released: Promise<void> | undefined;
    return { release: () => (released ??= this.#release(name, stop)) };
  }

  async #release(name: string, stop: Stop): Promise<void> {
    try {
      await stop();
    } finally {
      this.#names.delete(name);
    }
  }
}
