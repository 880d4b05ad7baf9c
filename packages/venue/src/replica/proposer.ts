import { present } from '@oddlot/units';
import type { LoggedCommand } from '../block/log-entry.ts';
import type { Log } from '../log/log.ts';
import type { AppliedBlock, Executed } from '../block/applied-block.ts';

/** Commands of one block: bounds how long a block keeps the others waiting. */
const BLOCK_COMMANDS_MAX = 1_000;

type Waiting = {
  readonly logged: LoggedCommand;
  readonly resolve: (executed: Executed) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Turns what clients send into blocks. There is no timer: whatever queued while the last block was
 * being made durable becomes the next one, so a lone command goes at once and a crowd shares a sync.
 */
export class Proposer {
  readonly #log: Log;
  #queue: Waiting[] = [];
  #inFlight = false;
  #isScheduled = false;
  /** The block that the log last handed over, until its proposer has answered. */
  #lastApplied: AppliedBlock | undefined;
  #idle: (() => void)[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  get queued(): number {
    return this.#queue.length;
  }

  propose(logged: LoggedCommand): Promise<Executed> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ logged, resolve, reject });
      this.#schedule();
    });
  }

  /** Appends an empty block, unless one is under way that carries the time anyway. */
  async tick(): Promise<void> {
    if (this.#inFlight || this.#queue.length > 0) return;
    await this.#append([]);
  }

  applied(block: AppliedBlock): void {
    this.#lastApplied = block;
  }

  /** Resolves when nothing is queued or under way. */
  drain(): Promise<void> {
    if (!this.#inFlight && this.#queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Waits for the end of this turn of the event loop, so that what arrives together goes together. */
  #schedule(): void {
    if (this.#inFlight || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#inFlight) this.#next();
    });
  }

  #next(): void {
    if (this.#queue.length === 0) {
      const idle = this.#idle;
      this.#idle = [];
      for (const resolve of idle) resolve();
      return;
    }
    const batch = this.#queue.splice(0, BLOCK_COMMANDS_MAX);
    void this.#append(batch);
  }

  async #append(batch: readonly Waiting[]): Promise<void> {
    this.#inFlight = true;
    try {
      await this.#log.append(batch.map(({ logged }) => logged));
      this.#answer(batch);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#inFlight = false;
    this.#next();
  }

  #answer(batch: readonly Waiting[]): void {
    const block = present(this.#lastApplied, 'the block that was just appended');
    for (const [index, { resolve }] of batch.entries()) {
      const outcome = present(block.result.outcomes[index], 'the outcome of a command');
      resolve({ block, index, outcome });
    }
  }
}
