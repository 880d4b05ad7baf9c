import { chainFault } from '@oddlot/custody/chain';
import type { Logger } from '@oddlot/host/log';

/** Something that has work to do on the chain now and then. What it throws is told and tried again. */
export type SettlementWorker = { step(): Promise<unknown> };

export type MayRun = 'yes' | 'wait' | 'failed';

type LaneOptions = {
  /** Whose steps depend on each other's, in this order; nobody else waits for them. */
  readonly workers: readonly SettlementWorker[];
  readonly everyMs: number;
  readonly log: Logger;
  /** Asked before each round: nothing is done unless it says `yes`, and it is asked ever less often when it has failed. */
  readonly mayRun: () => MayRun | Promise<MayRun>;
  /** Told what a step threw; true stops the round. */
  readonly onFailure?: (error: unknown) => boolean;
  readonly afterRound?: () => void;
};

const BACK_OFF_MAX_MS = 30_000;

/** Runs workers round after round, at once while there is more to do, and ever less often while they fail. */
export class WorkerLane {
  readonly #options: LaneOptions;
  #timer: NodeJS.Timeout | undefined = undefined;
  #round: Promise<void> = Promise.resolve();
  #isRunning = false;
  #failures = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    this.#next(0);
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** It is asked as often as if it had not failed. */
  forgive(): void {
    this.#failures = 0;
  }

  #next(waitMs: number): void {
    if (!this.#isRunning) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#runRound();
    }, waitMs);
  }

  async #runRound(): Promise<void> {
    const { afterRound, everyMs, log, mayRun, onFailure, workers } = this.#options;
    let hasMore = false;
    const may = await mayRun();
    let hasFailed = may === 'failed';
    for (const worker of may === 'yes' ? workers : []) {
      if (!this.#isRunning) return;
      try {
        hasMore = (await worker.step()) === true || hasMore;
      } catch (error) {
        hasFailed = true;
        log.warn({ why: chainFault(error) }, 'settlement step failed');
        if (onFailure?.(error) === true) break;
      }
    }
    this.#failures = hasFailed ? this.#failures + 1 : 0;
    afterRound?.();
    const backOffMs = Math.min(BACK_OFF_MAX_MS, everyMs * 2 ** Math.min(this.#failures, 16));
    this.#next(hasMore ? 0 : backOffMs);
  }
}
