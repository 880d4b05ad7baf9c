import { TokenBucket } from '@oddlot/host/ports';

/**
 * The clock of the WebSocket edge, used for pacing and idle timeouts. The venue's decisions never
 * depend on it.
 */
export interface Timing {
  /** Returns the milliseconds of a monotonic clock with an arbitrary origin. */
  now(): number;
  /** Calls `run` once after a delay; the returned function cancels the call. */
  after(delayMs: number, run: () => void): () => void;
}

/** The clock of the process. Its timers do not keep the process alive. */
export const SYSTEM_TIMING: Timing = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Runs work at most once per interval. A run follows each request within one interval. */
export class Pace {
  readonly #timing: Timing;
  readonly #intervalMs: number;
  readonly #run: () => boolean;
  #lastMs = -Infinity;
  #cancel: (() => void) | undefined;

  /**
   * Creates a pace. `run` returns whether it did any work; a run that did none does not count
   * towards the limit.
   */
  constructor(timing: Timing, intervalMs: number, run: () => boolean) {
    this.#timing = timing;
    this.#intervalMs = intervalMs;
    this.#run = run;
  }

  ask(): void {
    if (this.#cancel !== undefined) return;
    const waitMs = this.#lastMs + this.#intervalMs - this.#timing.now();
    if (waitMs <= 0) this.#go();
    else this.#cancel = this.#timing.after(waitMs, () => this.#go());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #go(): void {
    this.#cancel = undefined;
    if (this.#run()) this.#lastMs = this.#timing.now();
  }
}

/** Limits a client's frames per second and per burst. */
export class FrameBudget {
  readonly #timing: Timing;
  readonly #bucket: TokenBucket;

  constructor(timing: Timing, rate: { perSecond: number; burst: number }) {
    this.#timing = timing;
    this.#bucket = new TokenBucket(rate, timing.now());
  }

  /** Takes one token. Returns false if none is left. */
  take(): boolean {
    return this.#bucket.take(1, this.#timing.now());
  }
}

/** The maximum time to wait for a block reported by another process, in milliseconds. */
const WAIT_MS_MAX = 2_000;
/**
 * A height further ahead than this is invalid, or this process is too far behind to serve the
 * client.
 */
const AHEAD_MAX = 1_000;

type Waiting = { readonly height: number; readonly settle: (isReached: boolean) => void };

/**
 * Waits for blocks, because a client may have seen newer blocks from another process of the venue.
 */
export class BlockWaits {
  readonly #height: () => number;
  readonly #timing: Timing;
  readonly #waiting = new Set<Waiting>();

  constructor(height: () => number, timing: Timing) {
    this.#height = height;
    this.#timing = timing;
  }

  /** The newest block processed by the streams. */
  get height(): number {
    return this.#height();
  }

  /**
   * Resolves with true once the block has been processed, or with false if it does not arrive in
   * time.
   */
  reached(height: number): Promise<boolean> {
    if (height <= this.height) return Promise.resolve(true);
    if (height > this.height + AHEAD_MAX) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        height,
        settle: (isReached) => {
          cancel();
          this.#waiting.delete(waiting);
          resolve(isReached);
        },
      };
      this.#waiting.add(waiting);
      const cancel = this.#timing.after(WAIT_MS_MAX, () => waiting.settle(false));
    });
  }

  /** Called once all streams have processed a block. */
  onBlock(height: number): void {
    for (const waiting of this.#waiting) if (waiting.height <= height) waiting.settle(true);
  }
}
