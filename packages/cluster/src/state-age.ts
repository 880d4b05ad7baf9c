import { withinMs } from './retry-until-answered.ts';

/**
 * After this time without a response, other replicas may have executed commands that are unknown
 * here. It is longer than the interval of queries.
 */
const OLD_MS = 1_500;
const CURRENT_MS_MAX = 5_000;

type StateAgeOptions = {
  readonly end: () => Promise<number>;
  /** Resolves with true when a block is applied here, or with false if it cannot be. */
  readonly reach: (seq: number) => Promise<boolean>;
};

/**
 * Tracks whether the state of a replica may be outdated. A process that was frozen serves requests
 * from its sockets before it has read the blocks written in the meantime, and receiving a first
 * message does not mean that it has read all of them.
 */
export class StateAge {
  readonly #options: StateAgeOptions;
  #lastAnswerMs = performance.now();
  /**
   * True from the first message after an interruption until all blocks that the stream contained by
   * then have been applied.
   */
  #wasSilent = false;
  #catchingUp: Promise<boolean> | undefined;

  constructor(options: StateAgeOptions) {
    this.#options = options;
  }

  /** The time of the servers' last response, as measured by `performance.now`. */
  get lastAnswerMs(): number {
    return this.#lastAnswerMs;
  }

  isOld(): boolean {
    return this.#wasSilent || performance.now() - this.#lastAnswerMs > OLD_MS;
  }

  recordAnswer(): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastAnswerMs > OLD_MS) this.#wasSilent = true;
    this.#lastAnswerMs = nowMs;
  }

  /**
   * Resolves with true when all blocks that the stream contains at the time of the call are
   * applied, or with false if that takes too long.
   */
  current(): Promise<boolean> {
    this.#catchingUp ??= this.#catchUp().finally(() => (this.#catchingUp = undefined));
    return this.#catchingUp;
  }

  /** Records the last block of the stream, as returned for a query sent at `askedMs`. */
  async recordEnd(seq: number, askedMs: number): Promise<boolean> {
    this.recordAnswer();
    // A response that was delayed here can be from before the interruption.
    if (performance.now() - askedMs > OLD_MS) return false;
    if (this.#wasSilent && !(await this.#options.reach(seq))) return false;
    this.#wasSilent = false;
    return true;
  }

  async #catchUp(): Promise<boolean> {
    const over = new AbortController();
    return withinMs(this.#reachEnd(over.signal), CURRENT_MS_MAX)
      .catch(() => false)
      .finally(() => over.abort());
  }

  async #reachEnd(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const askedMs = performance.now();
      try {
        const seq = await this.#options.end();
        if (await this.recordEnd(seq, askedMs)) return await this.#options.reach(seq);
      } catch {
        // No server responds, or the stream has lost local blocks.
        return false;
      }
    }
    return false;
  }
}
