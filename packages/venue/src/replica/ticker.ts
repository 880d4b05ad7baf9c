import type { Clock } from '../clock.ts';
import type { LocalReplica } from './local-replica.ts';

/** Consensus time moves at least this often, so that timers run and marks are computed. */
const TICK_MS = 1_000;
const LOOK_MS = 200;

/** Appends an empty block when nothing else has carried the time for a second (R-clock). */
export class Ticker {
  readonly #replica: LocalReplica;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(replica: LocalReplica, clock: Clock, onError: (error: unknown) => void) {
    this.#replica = replica;
    this.#clock = clock;
    this.#onError = onError;
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (this.#clock.nowMs() - this.#replica.head.timeMs < TICK_MS) return;
      this.#replica.tick().catch(this.#onError);
    }, LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
