import { randomUUID } from 'node:crypto';
import type { Command } from '@oddlot/engine';
import { assert, present } from '@oddlot/units';
import type { AppliedBlock, Executed, LoggedCommand } from './block.ts';
import type { Log } from './log/log.ts';

/** The maximum number of commands per block, which bounds how long a block delays others. */
const BLOCK_COMMANDS_MAX = 1_000;
/**
 * An idle proposer takes a new name after this many milliseconds, because a log with several
 * writers forgets old names.
 */
const NAME_MS_MAX = 3_600_000;
/** The approximate maximum size of a block, which bounds the duration of its write. */
const BLOCK_BYTES_MAX = 8 * 1024 * 1024;
/** The estimated size in the log: bytes per character of a request, plus bytes per command. */
const BYTES_PER_CHARACTER = 4;
const BYTES_PER_COMMAND = 512;

type Waiting = {
  readonly logged: LoggedCommand;
  readonly resolve: (executed: Executed) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Turns client commands into blocks. There is no timer: all commands queued during the last write
 * become the next block, so a single command is sent immediately, and many commands share one sync.
 * Under load, two blocks are in flight: one is being written while the previous one is being
 * applied.
 */
export class Proposer {
  readonly #log: Pick<Log, 'append' | 'isWriting' | 'onFree'>;
  /** The prefix for the ids of this proposer's blocks, unique among all writers of the log. */
  #name = randomUUID();
  #proposed = 0;
  #proposedMs = performance.now();
  /** True if a numbered block was lost, after which no later block under this name would count. */
  #hasGap = false;
  #queue: Waiting[] = [];
  readonly #flights = new Map<string, readonly Waiting[]>();
  #isScheduled = false;
  #idle: (() => void)[] = [];

  constructor(log: Pick<Log, 'append' | 'isWriting' | 'onFree'>) {
    this.#log = log;
    log.onFree(() => this.#next());
  }

  get queued(): number {
    return this.#queue.length;
  }

  get inFlight(): number {
    return this.#flights.size;
  }

  /** Yields the commands proposed but not yet applied, in log order. */
  *underWay(): Iterable<Command> {
    for (const batch of this.#flights.values())
      for (const { logged } of batch) yield logged.command;
    for (const { logged } of this.#queue) yield logged.command;
  }

  propose(logged: LoggedCommand): Promise<Executed> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ logged, resolve, reject });
      this.#schedule();
    });
  }

  /** Appends an empty block, unless a pending block will advance the time anyway. */
  tick(): Promise<void> {
    if (this.#flights.size > 0 || this.#queue.length > 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      // The block has no commands, so its append must report errors to this caller.
      this.#append([], reject).then(resolve, reject);
    });
  }

  /** Returns the results to the callers of a block, if this proposer sent it. */
  applied(proposal: string | undefined, block: AppliedBlock): void {
    const batch = proposal === undefined ? undefined : this.#flights.get(proposal);
    if (batch === undefined || proposal === undefined) return;
    this.#flights.delete(proposal);
    const { outcomes } = block.result;
    let index = 0;
    for (const { resolve } of batch) {
      resolve({ block, index, outcome: present(outcomes[index], 'the outcome of a command') });
      index += 1;
    }
  }

  /** Tells the callers of a block that it is not applied here, if this proposer sent it. */
  refused(proposal: string | undefined, error: unknown): void {
    const batch = proposal === undefined ? undefined : this.#flights.get(proposal);
    if (batch === undefined || proposal === undefined) return;
    this.#flights.delete(proposal);
    for (const { reject } of batch) reject(error);
  }

  drain(): Promise<void> {
    if (this.#flights.size === 0 && this.#queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /**
   * Waits for the end of this turn of the event loop, so that commands arriving together share a
   * block.
   */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      // A log that is writing requests the next block when its write is complete; more commands can
      // be queued until then.
      if (!this.#log.isWriting) this.#next();
    });
  }

  #next(): void {
    if (this.#queue.length === 0) return;
    // Under a new name, the block could overtake blocks sent before it.
    if (this.#hasGap && this.#flights.size > 0) return;
    void this.#append(this.#take(this.#fitting()));
  }

  #take(count: number): readonly Waiting[] {
    if (count < this.#queue.length) return this.#queue.splice(0, count);
    const all = this.#queue;
    this.#queue = [];
    return all;
  }

  /** Returns how many queued commands fit into a block: at least one, however large. */
  #fitting(): number {
    let bytes = 0;
    let count = 0;
    for (const { logged } of this.#queue) {
      bytes += BYTES_PER_COMMAND + BYTES_PER_CHARACTER * (logged.request?.length ?? 0);
      const isFull = count === BLOCK_COMMANDS_MAX || bytes > BLOCK_BYTES_MAX;
      if (isFull && count > 0) break;
      count += 1;
    }
    return count;
  }

  async #append(batch: readonly Waiting[], onFailed?: (error: unknown) => void): Promise<void> {
    const proposal = this.#nextProposal();
    this.#flights.set(proposal, batch);
    try {
      const commands = batch.map(({ logged }) => logged);
      await this.#log.append(commands, proposal);
      for (const logged of commands) logged.encoded = undefined;
      assert(!this.#flights.has(proposal), 'an entry returns to its proposer before it completes');
    } catch (error) {
      this.#flights.delete(proposal);
      this.#hasGap = true;
      for (const { reject } of batch) reject(error);
      onFailed?.(error);
    }
    if (this.#queue.length > 0) this.#schedule();
    else if (this.#flights.size === 0) this.#rest();
  }

  /** Returns this proposer's name with the next number. Numbers start at 1 and have no gaps. */
  #nextProposal(): string {
    const nowMs = performance.now();
    const isOld = nowMs - this.#proposedMs > NAME_MS_MAX;
    if (this.#flights.size === 0 && (isOld || this.#hasGap)) {
      this.#name = randomUUID();
      this.#proposed = 0;
      this.#hasGap = false;
    }
    this.#proposedMs = nowMs;
    this.#proposed += 1;
    return `${this.#name}:${this.#proposed}`;
  }

  #rest(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}
