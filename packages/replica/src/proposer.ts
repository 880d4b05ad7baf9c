import { randomUUID } from 'node:crypto';
import type { Command } from '@oddlot/engine';
import { assert, present } from '@oddlot/units';
import type { AppliedBlock, Executed, LoggedCommand } from './block.ts';
import type { Log } from './log/log.ts';

/** Commands of one block: bounds how long a block keeps the others waiting. */
const BLOCK_COMMANDS_MAX = 1_000;
/** Who has proposed nothing for so long goes by another name: a log that many write forgets old ones. */
const NAME_MS_MAX = 3_600_000;
/** Bytes of one block, about: bounds how long its write does. */
const BLOCK_BYTES_MAX = 8 * 1024 * 1024;
/** What the log keeps of a command: the request, and what was made of it in longer words. */
const BYTES_PER_CHARACTER = 4;
const BYTES_PER_COMMAND = 512;

type Waiting = {
  readonly logged: LoggedCommand;
  readonly resolve: (executed: Executed) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Turns what clients send into blocks. There is no timer: whatever queued while the last block was
 * being written becomes the next one, so a lone command goes at once and a crowd shares a sync. Two
 * blocks are so in flight under load: one is written while the one before is applied.
 */
export class Proposer {
  readonly #log: Pick<Log, 'append' | 'isWriting' | 'onFree'>;
  /** Ids of this proposer's blocks begin so, whoever else writes to the log. */
  #name = randomUUID();
  #proposed = 0;
  #proposedMs = performance.now();
  /** A number was given and may never come: whatever went on behind it would be out of turn for ever. */
  #hasGap = false;
  #queue: Waiting[] = [];
  /** Blocks that the log has and has not handed back, by the ids that this proposer gave them. */
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

  /** Blocks on their way through the log. */
  get inFlight(): number {
    return this.#flights.size;
  }

  /** What was proposed and is not applied, in the order of the log. */
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

  /** Appends an empty block, unless one is under way that carries the time anyway. */
  tick(): Promise<void> {
    if (this.#flights.size > 0 || this.#queue.length > 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      // Nobody waits for a command of it, but somebody does for the block.
      this.#append([], reject).then(resolve, reject);
    });
  }

  /** Answers those who wait for a block, when it is one of this proposer's. */
  applied(proposal: string | undefined, block: AppliedBlock): void {
    const batch = proposal === undefined ? undefined : this.#flights.get(proposal);
    if (batch === undefined || proposal === undefined) return;
    this.#flights.delete(proposal);
    for (const [index, { resolve }] of batch.entries()) {
      const outcome = present(block.result.outcomes[index], 'the outcome of a command');
      resolve({ block, index, outcome });
    }
  }

  /** Tells those who wait for a block that it is not applied here, when it is one of this proposer's. */
  refused(proposal: string | undefined, error: unknown): void {
    const batch = proposal === undefined ? undefined : this.#flights.get(proposal);
    if (batch === undefined || proposal === undefined) return;
    this.#flights.delete(proposal);
    for (const { reject } of batch) reject(error);
  }

  /** Resolves when nothing is queued or under way. */
  drain(): Promise<void> {
    if (this.#flights.size === 0 && this.#queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Waits for the end of this turn of the event loop, so that what arrives together goes together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      // A log that writes takes the next block when it is done: more can queue until then.
      if (!this.#log.isWriting) this.#next();
    });
  }

  #next(): void {
    if (this.#queue.length === 0) return;
    // Under another name it could come ahead of what was sent before it.
    if (this.#hasGap && this.#flights.size > 0) return;
    void this.#append(this.#queue.splice(0, this.#fitting()));
  }

  /** How many of the queue fit into a block; at least one, however large. */
  #fitting(): number {
    let bytes = 0;
    for (const [index, { logged }] of this.#queue.entries()) {
      bytes += BYTES_PER_COMMAND + BYTES_PER_CHARACTER * (logged.request?.length ?? 0);
      const isFull = index === BLOCK_COMMANDS_MAX || bytes > BLOCK_BYTES_MAX;
      if (isFull && index > 0) return index;
    }
    return this.#queue.length;
  }

  async #append(batch: readonly Waiting[], onFailed?: (error: unknown) => void): Promise<void> {
    const proposal = this.#nextProposal();
    this.#flights.set(proposal, batch);
    try {
      const commands = batch.map(({ logged }) => logged);
      await this.#log.append(commands, proposal);
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

  /** The name of this proposer and a number, from 1 on without a gap. */
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
