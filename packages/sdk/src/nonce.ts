/**
 * Returns increasing nonces for each signer: the time in milliseconds, or the last nonce plus one
 * if the clock has not advanced. `next` is synchronous, so concurrent calls never get the same
 * nonce. Two processes with the same key can still get equal nonces, so give each process its own
 * agent.
 */
export class NonceSource {
  readonly #now: () => number;
  readonly #last = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Returns the next nonce of a signer, whose address may be in any case. */
  next(signer: string): number {
    const key = signer.toLowerCase();
    const nonce = Math.max(Math.trunc(this.#now()), (this.#last.get(key) ?? 0) + 1);
    this.#last.set(key, nonce);
    return nonce;
  }
}

/** One source for all clients in the process, because several may sign with the same key. */
export const SHARED_NONCES = new NonceSource();
