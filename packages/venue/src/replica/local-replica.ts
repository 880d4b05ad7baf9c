import { checkCommand, type Command, type CommandResult, type State } from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import type { AppliedBlock, BlockHead, Executed } from '../block/applied-block.ts';
import type { LogEntry, LoggedCommand } from '../block/log-entry.ts';
import type { Projection } from '../block/projection.ts';
import type { EraStore } from '../log/era-store.ts';
import type { Log } from '../log/log.ts';
import type { SnapshotStore } from '../log/snapshot-store.ts';
import { createTextHasher, type TextHasher } from './block-hash.ts';
import { FollowingReplica } from './following-replica.ts';
import { Proposer } from './proposer.ts';
import { Publication } from './publication.ts';
import { LogBehindError } from './replica-error.ts';
import type { Replica } from './replica.ts';
import type { PackedPayload } from './snapshot-payload.ts';

type ReplicaOptions = {
  readonly log: Log;
  /** Only read: whoever follows on another thread writes them. */
  readonly snapshots: SnapshotStore;
  readonly eras: EraStore;
  readonly clock: Clock;
  /** The commands of the first block, when the log is empty. */
  readonly genesis: readonly Command[];
  /**
   * Asked when the log is replayed and nothing is added to it yet: the newest block that anything beside
   * the log knows of it. A log that ends before it lacks blocks.
   */
  readonly knownHeight?: () => Promise<number>;
  /** A snapshot or the start of an era is whole but can't serve here; an older one does. */
  readonly onPassedOver?: (what: string, why: string) => void;
  /** The rules have changed: the log goes on in a new era. */
  readonly onEra?: (era: { readonly rules: number; readonly from: number }) => void;
};

/** Where a start began, and how many blocks it applied. */
type CaughtUp = { readonly snapshotHeight: number; readonly replayed: number };

/**
 * A whole replica in one process: it follows the log, applies every block to its own engine, tells
 * its listeners, and proposes what its clients send. Start is the newest valid snapshot and a replay
 * of the blocks after it.
 */
export class LocalReplica implements Replica {
  readonly #options: ReplicaOptions;
  readonly #following: FollowingReplica;
  readonly #proposer: Proposer;
  readonly #publication = new Publication();
  #isReplaying = true;
  #restored: Promise<void> | undefined;

  constructor(options: ReplicaOptions, hashText: TextHasher) {
    this.#options = options;
    this.#following = new FollowingReplica(options, hashText);
    this.#proposer = new Proposer(options.log);
  }

  static async create(options: ReplicaOptions): Promise<LocalReplica> {
    return new LocalReplica(options, await createTextHasher());
  }

  get state(): State {
    return this.#following.state;
  }

  get head(): BlockHead {
    return this.#following.head;
  }

  /** True while the blocks are old ones: listeners store them, but nobody is waiting. */
  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  headAt(height: number): BlockHead | undefined {
    return this.#following.headAt(height);
  }

  onBlock(listener: (block: AppliedBlock) => void): void {
    this.#following.onBlock(listener);
  }

  /** Calls back after each block, when those who proposed its commands have their answers. */
  onPublish(listener: (block: AppliedBlock) => void): void {
    this.#publication.onBlock(listener);
  }

  /** Makes sure that whoever publishes blocks has been told the newest one. */
  publish(): void {
    this.#publication.publish();
  }

  /** Feeds a projection with every block from the start on; snapshots bring it back. */
  attach(projection: Projection): void {
    this.#following.attach(projection);
  }

  /** Begins to restore, for whoever has other things to do until the start, which tells how it went. */
  restore(): void {
    this.#restored ??= this.#restore();
    this.#restored.catch(() => undefined);
  }

  /** Restores, replays what is there, follows what comes, and only then leads. */
  async start(): Promise<CaughtUp> {
    const { knownHeight, log } = this.#options;
    this.restore();
    await this.#restored;
    const from = this.head.height;
    await log.follow(from + 1, (entry) => this.#take(entry), { withRequests: true });
    const replayed = this.head.height - from;
    this.#assertReaches((await knownHeight?.()) ?? 0);
    const opening = this.head.height === 0 ? this.#genesis() : await this.#nextEra();
    this.#isReplaying = false;
    if (opening.length > 0) await log.append(opening.map((command) => ({ command })));
    return { snapshotHeight: from, replayed };
  }

  check(command: Command): CommandResult {
    const { state } = this;
    return checkCommand(state, command, Math.max(state.timeMs, this.#options.clock.nowMs()));
  }

  propose(command: Command, request?: string): Promise<Executed> {
    const logged: LoggedCommand = request === undefined ? { command } : { command, request };
    return this.#proposer.propose(logged);
  }

  /** Lets time pass when nothing else does (R-clock). */
  async tick(): Promise<void> {
    await this.#proposer.tick();
  }

  /** Puts the newest block's hash into the log, for every replica and every replay to compare. */
  async attest(): Promise<void> {
    const { hash, height } = this.head;
    await this.propose({ type: 'attest', height, hash });
  }

  /** How many commands wait for a block. */
  get queued(): number {
    return this.#proposer.queued;
  }

  /** The commands that stand in the log, or will, ahead of one that is proposed now, and have not executed. */
  underWay(): Iterable<Command> {
    return this.#proposer.underWay();
  }

  /** What a snapshot of this moment would hold. */
  payload(): PackedPayload {
    return this.#following.payload();
  }

  /** Finishes what was proposed. */
  async stop(): Promise<void> {
    await this.#proposer.drain();
  }

  async #restore(): Promise<void> {
    this.#assertReaches((await this.#options.snapshots.list())[0]?.height ?? 0);
    await this.#following.restoreBase();
  }

  #take(entry: LogEntry): void {
    this.publish();
    const block = this.#following.take(entry);
    if (block === undefined) return;
    this.#proposer.applied(entry.proposal, block);
    this.#publication.plan(block);
  }

  /**
   * What opens the era of these rules, when the log ends in an earlier one (R-era). The start is durable
   * before the log names it: a crash between leaves a file that nothing refers to.
   */
  async #nextEra(): Promise<readonly Command[]> {
    const { eras, onEra } = this.#options;
    const opening: Command[] = [];
    if (this.#following.isEarlier) {
      const command = this.#following.openEra();
      opening.push(command);
      onEra?.({ rules: command.rules, from: this.head.height });
    }
    for (const start of this.#following.takeCrossed()) await eras.write(start);
    return opening;
  }

  /** A new log begins with an era too, that of an empty venue. */
  #genesis(): readonly Command[] {
    return [this.#following.firstEra(), ...this.#options.genesis];
  }

  /** What was stored after a block became durable proves that the log had it. */
  #assertReaches(known: number): void {
    const { log } = this.#options;
    if (known > log.lastSeq) throw new LogBehindError(log.lastSeq, known);
  }
}
