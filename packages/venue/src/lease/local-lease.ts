import { assert } from '@oddlot/units';
import type { Held, Lease, Start, Stop, Term } from './lease.ts';

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
