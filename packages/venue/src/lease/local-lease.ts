import { assert } from '@oddlot/units';
import type { Held, Lease, Step } from './lease.ts';

/** The lease of a venue of one process: every name is held at once and until it is let go. */
export class LocalLease implements Lease {
  readonly #names = new Set<string>();

  async hold(name: string, start: Step, stop: Step): Promise<Held> {
    assert(!this.#names.has(name), `${name} is held already`);
    this.#names.add(name);
    try {
      await start();
    } catch (error) {
      this.#names.delete(name);
      throw error;
    }
    let released: Promise<void> | undefined;
    return { release: () => (released ??= this.#release(name, stop)) };
  }

  async #release(name: string, stop: Step): Promise<void> {
    try {
      await stop();
    } finally {
      this.#names.delete(name);
    }
  }
}
