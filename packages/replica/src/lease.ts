import { assert } from '@oddlot/units';

/**
 * Who runs what a venue has only one of, however many processes it has: the ticker, the oracle, the
 * writer of history and such. Names are for the whole venue; at most one process holds a name.
 */
export interface Lease {
  /**
   * Runs something while this process holds a name: `start` whenever it comes to hold it, `stop` when
   * it holds it no longer, one after the other and never both at once. Resolves when it is known who
   * holds the name and, if that is this process, `start` is through. A start that fails fails this, and
   * is stopped first: a part of it may run.
   */
  hold(name: string, start: Start, stop: Stop): Promise<Held>;
}

export type Start = (term: Term) => void | Promise<void>;
export type Stop = () => void | Promise<void>;

/** The name of the process that works on the settlement chain, or returns what no chain can pay. */
export const SETTLEMENT_LEASE = 'settlement';

/** One time of holding a name. */
export type Term = {
  /** Above that of every term before, whoever had it: what a holder does elsewhere is fenced by it. */
  readonly number: number;
  /** Identifies this process in the terms of the log (R-terms). */
  readonly holder: string;
  /** True when another process may hold the name by now. */
  isOver(): boolean;
  /** Ends the term because the log has a later one: what was started is stopped, as when the lease is lost. */
  end(): void;
};

/** Something that runs here, or would if the name fell to this process. */
export type Held = {
  /** Stops it if it runs here and lets go of the name. Resolves when it has stopped. */
  release(): Promise<void>;
};

/** The only term: a data folder belongs to one process at a time. */
const ONLY_TERM: Term = {
  number: 0,
  holder: 'local',
  isOver: () => false,
  end: () => {
    throw new Error('the log has a later term, although this venue runs as a single process');
  },
};

/** The lease of a venue of one process: every name is held at once and until it is let go. */
export class LocalLease implements Lease {
  readonly #names = new Set<string>();

  async hold(name: string, start: Start, stop: Stop): Promise<Held> {
    assert(!this.#names.has(name), `${name} is already held`);
    this.#names.add(name);
    try {
      await start(ONLY_TERM);
    } catch (error) {
      // Why it did not start says more than why what there was of it did not stop.
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
