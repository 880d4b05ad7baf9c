import type { Clock } from '../clock.ts';
import type { LocalReplica } from './local-replica.ts';

/** Consensus time moves at least this often, so that timers run and marks are computed. */
const TICK_MS = 1_000;
const LOOK_MS = 200;
/** How often the log records what this replica computed. */
const ATTEST_MS = 10_000;

/**
 * Appends an empty block when nothing else has carried the time for a second (R-clock), and the hash
 * of the newest block now and then.
 */
export class Ticker {
  readonly #replica: LocalReplica;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #attestedMs = 0;

  constructor(replica: LocalReplica, clock: Clock, onError: (error: unknown) => void) {
    this.#replica = replica;
    this.#clock = clock;
    this.#onError = onError;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look().catch(this.#onError), LOOK_MS);
  }

  async #look(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#attestedMs >= ATTEST_MS) {
      this.#attestedMs = nowMs;
      await this.#replica.attest();
    } else if (nowMs - this.#replica.head.timeMs >= TICK_MS) {
      await this.#replica.tick();
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
