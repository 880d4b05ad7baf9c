import { nextDueMs } from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import type { LocalReplica } from './local-replica.ts';

/** Consensus time moves at least this often, so that timers run and marks are computed. */
const TICK_MS = 1_000;
const LOOK_MS = 200;
const RETRY_MS = 5;
/** How often the log records what this replica computed. */
const ATTEST_MS = 10_000;

type TickedReplica = Pick<LocalReplica, 'attest' | 'head' | 'onBlock' | 'state' | 'tick'>;

/**
 * Appends an empty block when nothing else has carried the time for a second, or past something that
 * is due before (R-clock, R-delay), and the hash of the newest block now and then.
 */
export class Ticker {
  readonly #replica: TickedReplica;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #looking: NodeJS.Timeout | undefined;
  #due: NodeJS.Timeout | undefined;
  #isRunning = false;
  #attestedMs = 0;

  constructor(replica: TickedReplica, clock: Clock, onError: (error: unknown) => void) {
    this.#replica = replica;
    this.#clock = clock;
    this.#onError = onError;
    replica.onBlock(() => this.#arm());
  }

  start(): void {
    this.#isRunning = true;
    this.#looking = setInterval(() => this.#look().catch(this.#onError), LOOK_MS);
    this.#arm();
  }

  stop(): void {
    this.#isRunning = false;
    clearInterval(this.#looking);
    clearTimeout(this.#due);
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

  /**
   * Waits for the next thing that is due. What lies further ahead than the next empty block is left to
   * it: each block asks anew.
   */
  #arm(): void {
    clearTimeout(this.#due);
    if (!this.#isRunning) return;
    const waitMs = this.#untilDueMs();
    if (waitMs <= 2 * TICK_MS) this.#wait(waitMs);
  }

  #wait(waitMs: number): void {
    this.#due = setTimeout(() => this.#pass().catch(this.#onError), waitMs);
  }

  async #pass(): Promise<void> {
    const { height } = this.#replica.head;
    if (this.#untilDueMs() === 0) await this.#replica.tick();
    // The timer was early, as time may run slower than it (R-clock), or a block is under way that was
    // stamped before.
    if (this.#isRunning && this.#replica.head.height === height) {
      this.#wait(Math.max(RETRY_MS, this.#untilDueMs()));
    }
  }

  /** Consensus time is never behind the newest block, whatever the clock says. */
  #untilDueMs(): number {
    const { head, state } = this.#replica;
    const nowMs = Math.max(this.#clock.nowMs(), head.timeMs);
    return Math.max(0, (nextDueMs(state) ?? Infinity) - nowMs);
  }
}
