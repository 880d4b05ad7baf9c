import { type Lease, LocalLease } from '@oddlot/venue/in-hand';

/** Who goes by the clock of the host would make blocks of its own. */
const BY_THE_CLOCK: ReadonlySet<string> = new Set(['ticker', 'oracle']);

/** Everything that a venue has one of runs, but for time and prices: those are in the hand of the test. */
export class LeaseInHand implements Lease {
  readonly #lease = new LocalLease();

  hold(...[name, start, stop]: Parameters<Lease['hold']>): ReturnType<Lease['hold']> {
    if (!BY_THE_CLOCK.has(name)) return this.#lease.hold(name, start, stop);
    return Promise.resolve({ release: () => Promise.resolve() });
  }
}
