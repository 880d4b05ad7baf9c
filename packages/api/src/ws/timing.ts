import { TokenBucket } from '@oddlot/host/ports';

/** Time as the edge sees it: for pacing and idling, never for what the venue decides. */
export interface Timing {
  /** Milliseconds of a clock that never goes back; its zero means nothing. */
  now(): number;
  /** Runs once after a delay; the answer takes it back. */
  after(delayMs: number, run: () => void): () => void;
}

/** The process's own clock. Its timers do not keep the process alive. */
export const SYSTEM_TIMING: Timing = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Runs work at most once per interval, never later than one interval after it was asked for, and
 * always once after the last time it was asked for.
 */
export class Pace {
  readonly #timing: Timing;
  readonly #intervalMs: number;
  readonly #run: () => boolean;
  #lastMs = -Infinity;
  #cancel: (() => void) | undefined;

  /** `run` says whether it did anything; doing nothing does not use up the interval. */
  constructor(timing: Timing, intervalMs: number, run: () => boolean) {
    this.#timing = timing;
    this.#intervalMs = intervalMs;
    this.#run = run;
  }

  /** There is something to do. */
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

/** Limits how many frames a client sends in a second, and how many at once. */
export class FrameBudget {
  readonly #timing: Timing;
  readonly #bucket: TokenBucket;

  constructor(timing: Timing, rate: { perSecond: number; burst: number }) {
    this.#timing = timing;
    this.#bucket = new TokenBucket(rate, timing.now());
  }

  /** Takes one token; false when there is none. */
  take(): boolean {
    return this.#bucket.take(1, this.#timing.now());
  }
}

/** How long somebody waits who has seen a block elsewhere that is not here yet. */
const WAIT_MS_MAX = 2_000;
/** A block that is further away is none of this venue's, or of a process that is no use to anybody yet. */
const AHEAD_MAX = 1_000;

type Waiting = { readonly height: number; readonly settle: (isReached: boolean) => void };

/** Who waits for blocks: one process of a venue may be some of them behind another. */
export class BlockWaits {
  readonly #height: () => number;
  readonly #timing: Timing;
  readonly #waiting = new Set<Waiting>();

  constructor(height: () => number, timing: Timing) {
    this.#height = height;
    this.#timing = timing;
  }

  /** The newest block that streams were told of. */
  get height(): number {
    return this.#height();
  }

  /** Whether the block comes in time. */
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

  /** All streams were told of a block. */
  onBlock(height: number): void {
    for (const waiting of this.#waiting) if (waiting.height <= height) waiting.settle(true);
  }
}
