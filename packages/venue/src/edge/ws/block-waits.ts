import type { Timing } from './timing.ts';

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
