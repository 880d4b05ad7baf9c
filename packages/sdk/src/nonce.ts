/**
 * Gives each signer nonces that only go up: the clock in milliseconds, or one more than the last
 * when the clock has not moved. Taking one is synchronous, so concurrent calls never share it.
 *
 * The venue wants nonces unique per signer. Two processes that sign with one key can still meet in
 * one millisecond; give each its own agent.
 */
export class NonceSource {
  readonly #now: () => number;
  readonly #last = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The next nonce of a signer; the spelling of its address does not matter. */
  next(signer: string): number {
    const key = signer.toLowerCase();
    const nonce = Math.max(Math.trunc(this.#now()), (this.#last.get(key) ?? 0) + 1);
    this.#last.set(key, nonce);
    return nonce;
  }
}

/** Shared by all clients of the process, because two of them may sign with one key. */
export const SHARED_NONCES = new NonceSource();
