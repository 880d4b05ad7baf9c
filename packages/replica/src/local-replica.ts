import { setTimeout as later } from 'node:timers/promises';
import {
  checkCommand,
  type Command,
  type CommandResult,
  nextDueMs,
  RULES_VERSION,
  type State,
} from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import { hash as hashOf } from '@oddlot/units';
import type { AppliedBlock, BlockHead, Executed, LogEntry, Projection } from './block.ts';
import type { EraStore, SnapshotStore } from './log/checked-stores.ts';
import type { Log } from './log/log.ts';
import { attestedIn, type HashVerdict } from './attestations.ts';
import { createTextHasher, type TextHasher } from './block-hash.ts';
import type { RulesStep } from './earlier-engine.ts';
import { FollowingReplica } from './following-replica.ts';
import { Proposer } from './proposer.ts';
import {
  LaterReleaseError,
  LogBehindError,
  type Replica,
  ReplicaDivergedError,
} from './replica.ts';
import type { PackedPayload, WrittenSnapshot } from './snapshot-codec.ts';

/** How often a replica waiting for its era checks for the announcement, in milliseconds. */
const LOOK_AGAIN_MS = 50;

type ReplicaOptions = {
  readonly log: Log;
  /** This replica only reads snapshots; the follower on another thread writes them. */
  readonly snapshots: SnapshotStore;
  readonly eras: EraStore;
  /** The rules of this program; tests pass those of a later version. */
  readonly step?: RulesStep | undefined;
  readonly clock: Clock;
  readonly name?: string | undefined;
  readonly genesis: readonly Command[];
  /**
   * Called when the log has been replayed but nothing has been appended yet. Returns the newest
   * block recorded anywhere outside the log. A log that ends before this block has lost blocks.
   */
  readonly knownHeight?: () => Promise<number>;
  /**
   * Called if a snapshot or the start of an era is intact but unusable here; an older one is tried
   * next.
   */
  readonly onPassedOver?: (what: string, why: string) => void;
  /** Called when the rules have changed and the log continues in a new era. */
  readonly onEra?: (era: { readonly rules: number; readonly from: number }) => void;
};

/** The height a startup began from, and the number of blocks it applied. */
type CaughtUp = { readonly snapshotHeight: number; readonly replayed: number };

/**
 * A complete replica in one process: it follows the log, applies every block to its own engine,
 * notifies its listeners, and proposes the commands of its clients. It starts from the newest valid
 * snapshot and replays the later blocks.
 */
export class LocalReplica implements Replica {
  readonly #options: ReplicaOptions;
  readonly #following: FollowingReplica;
  readonly #proposer: Proposer;
  readonly #publication = new Publication();
  #isReplaying = true;
  #isWaiting = false;
  #isStopped = false;
  #announced = 0;
  #outdated: LaterReleaseError | undefined;
  /** The contested blocks for which an attestation has been proposed. */
  readonly #attested = new Set<number>();
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

  /** True while old blocks are being replayed. No caller is waiting for them. */
  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  headAt(height: number): BlockHead | undefined {
    return this.#following.headAt(height);
  }

  firstApplicable(): Promise<number> {
    return this.#following.firstApplicable();
  }

  onBlock(listener: (block: AppliedBlock) => void): void {
    this.#following.onBlock(listener);
  }

  /** Calls back after each block, once the proposers of its commands have their responses. */
  onPublish(listener: (block: AppliedBlock) => void): void {
    this.#publication.onBlock(listener);
  }

  publish(): void {
    this.#publication.publish();
  }

  /**
   * Passes every block to a projection, starting with the first, and includes its dump in
   * snapshots.
   */
  attach(projection: Projection): void {
    this.#following.attach(projection);
  }

  /** Begins restoring while the caller prepares other things; `start` reports the result. */
  restore(): void {
    this.#restored ??= this.#restore();
    this.#restored.catch(() => undefined);
  }

  /**
   * Restores the state, replays the existing log, follows new blocks, and only then begins
   * proposing.
   */
  async start(): Promise<CaughtUp> {
    const { knownHeight, log } = this.#options;
    this.restore();
    await this.#restored;
    const from = this.head.height;
    await log.follow(from + 1, (entry) => this.#take(entry), { withRequests: true });
    const replayed = this.head.height - from;
    const known = (await knownHeight?.()) ?? 0;
    // Another replica may have written rows for blocks that arrived in the meantime.
    await log.reach?.(known);
    this.#assertReaches(known);
    this.#assertAgrees();
    if (this.#options.name !== undefined) await this.#waitForEra();
    const opening = this.head.height === 0 ? this.#genesis() : await this.#nextEra();
    this.#isReplaying = false;
    // If several replicas open the log at the same time, one opening applies to all of them.
    const commands = opening.map((command) => ({ command }));
    if (opening.length > 0) await log.appendBehind(this.head.height, commands);
    this.#attestContested();
    await this.#attestBeginning();
    return { snapshotHeight: from, replayed };
  }

  check(command: Command): CommandResult {
    const { state } = this;
    return checkCommand(state, command, Math.max(state.timeMs, this.#options.clock.nowMs()));
  }

  propose(command: Command, request?: string, encoded?: Uint8Array): Promise<Executed> {
    return this.#proposer.propose(
      request === undefined ? { command } : { command, request, encoded },
    );
  }

  /** Advances consensus time if no other block does so (R-clock). */
  async tick(): Promise<void> {
    await this.#proposer.tick();
  }

  /**
   * Records the newest block's hash in the log, so that every replica and every replay compares it.
   */
  async attest(): Promise<void> {
    await this.#attest(this.head);
  }

  /**
   * Records the hash of a snapshot's content in the log, so that a replica starting from the
   * snapshot can verify it. Returns false if the block is too old, or if proposing has stopped.
   */
  async attestSnapshot({ content, height }: WrittenSnapshot): Promise<boolean> {
    const head = this.headAt(height);
    const isSilent = this.#isStopped || this.#isReplaying || this.#outdated !== undefined;
    if (head === undefined || isSilent) return false;
    await this.#attest(head, { snapshot: content });
    return true;
  }

  /** True while the replica follows a log under earlier rules and must not open an era. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** The reason why no more blocks are applied: the log continues under later rules. */
  get outdated(): LaterReleaseError | undefined {
    return this.#outdated;
  }

  get verdict(): HashVerdict {
    return this.#following.attestations.verdict(this.#options.name);
  }

  get queued(): number {
    return this.#proposer.queued;
  }

  /** Returns the commands not executed yet that will precede a new proposal in the log. */
  underWay(): Iterable<Command> {
    return this.#proposer.underWay();
  }

  payload(): PackedPayload {
    return this.#following.payload();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#proposer.drain();
  }

  async #restore(): Promise<void> {
    this.#assertReaches((await this.#options.snapshots.list())[0]?.height ?? 0);
    await this.#following.restoreBase();
  }

  #take(entry: LogEntry): void {
    if (this.#outdated !== undefined) return this.#proposer.refused(entry.proposal, this.#outdated);
    this.publish();
    const block = this.#apply(entry);
    if (block === undefined) return this.#proposer.refused(entry.proposal, this.#outdated);
    this.#proposer.applied(entry.proposal, block);
    this.#publication.plan(block);
    if (block.commands.some(({ command }) => command.type === 'attest')) this.#attestContested();
    return undefined;
  }

  /**
   * Returns undefined if the log continues under rules this program does not support. The replica
   * then serves its last state and applies nothing.
   */
  #apply(entry: LogEntry): AppliedBlock | undefined {
    for (const { command } of entry.commands)
      if (command.type === 'announceEra') this.#announced = command.rules;
    try {
      return this.#following.take(entry);
    } catch (error) {
      const isOvertaken =
        error instanceof LaterReleaseError &&
        this.#options.name !== undefined &&
        !this.#isReplaying;
      if (!isOvertaken) throw error;
      this.#outdated = error;
      return undefined;
    }
  }

  async #attest(
    { hash, height }: Pick<BlockHead, 'hash' | 'height'>,
    more: Pick<Extract<Command, { readonly type: 'attest' }>, 'snapshot'> = {},
  ): Promise<void> {
    const { name } = this.#options;
    const by = name === undefined ? {} : { replica: name };
    await this.propose({ type: 'attest', height, hash, ...by, ...more });
  }

  /**
   * Attests this replica's hash of each block that replicas disagree on, so that all replicas can
   * count the votes.
   */
  #attestContested(): void {
    const { name } = this.#options;
    if (name === undefined || this.#isReplaying) return;
    for (const { hash: own, height } of this.#following.attestations.wantedOf(name)) {
      if (this.#attested.has(height)) continue;
      this.#attested.add(height);
      this.#attest({ height, hash: hashOf(own) })
        // A failed attestation is retried when another replica attests the block again.
        .catch(() => undefined)
        .finally(() => this.#attested.delete(height));
    }
  }

  /**
   * Attests the snapshot from which this replica started, so that other replicas can start from it
   * too. A run writes its last snapshot after proposing has stopped, so it could not be attested
   * then. A single replica does not need this.
   */
  async #attestBeginning(): Promise<void> {
    const { log, name } = this.#options;
    const { begunWith } = this.#following;
    if (name === undefined || begunWith === undefined) return;
    if ((await attestedIn(log, begunWith.height)) !== undefined) return;
    // A failed attestation is retried on the next startup or with the next snapshot.
    this.attestSnapshot(begunWith).catch(() => undefined);
  }

  /**
   * Throws if a replica running alone disagrees with the attested hashes, because no other replica
   * could confirm its hash later.
   */
  #assertAgrees(): void {
    if (this.#options.name !== undefined) return;
    const { height, kind, own, votes } = this.verdict;
    if (kind === 'agreed') return;
    const other = [...votes.values()].find((each) => each !== own) ?? '';
    throw new ReplicaDivergedError(height, own, other);
  }

  /**
   * Returns the commands that open the era of these rules if the log ends in an earlier one
   * (R-era). The era's first state is stored before the log refers to it, so a crash in between
   * only leaves an unused file.
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

  /**
   * Waits until the log is in the era of these rules. A replica must not open an era on its own,
   * because other replicas may support only the old rules. It waits until an operator announces the
   * new rules in the log, and then opens the era after the pending blocks, unless another replica
   * has done so.
   */
  async #waitForEra(): Promise<void> {
    const { eras, log } = this.#options;
    while (this.#following.isEarlier) {
      this.#isWaiting = true;
      if (this.#announced < RULES_VERSION) {
        await later(LOOK_AGAIN_MS);
        continue;
      }
      const { command, start } = this.#following.nextEra();
      await eras.write(start);
      await log.appendBehind(start.height, [{ command }]);
    }
    this.#isWaiting = false;
  }

  /** A new log begins with the era of an empty venue. */
  #genesis(): readonly Command[] {
    return [this.#following.firstEra(), ...this.#options.genesis];
  }

  /**
   * Throws if the log has lost blocks: records are stored only after their block is durable, so a
   * record proves that the log once contained the block.
   */
  #assertReaches(known: number): void {
    const { log } = this.#options;
    if (known > log.lastSeq) throw new LogBehindError(log.lastSeq, known);
  }
}

/**
 * Notifies the listeners that pass blocks on, but only after the callers waiting for a block, so
 * that a reply is sent before a thousand streams are updated. Blocks are published in order, each
 * before the next is applied, because listeners read the state.
 */
class Publication {
  readonly #listeners: ((block: AppliedBlock) => void)[] = [];
  #block: AppliedBlock | undefined;
  #planned: NodeJS.Immediate | undefined;

  onBlock(listener: (block: AppliedBlock) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Publishes a block in the next phase of the event loop, because responses are written at the end
   * of the current one.
   */
  plan(block: AppliedBlock): void {
    this.publish();
    this.#block = block;
    this.#planned = setImmediate(() => this.publish());
  }

  /**
   * Publishes the planned block immediately, for a caller that must not see a state before its
   * publication.
   */
  publish(): void {
    const block = this.#block;
    if (block === undefined) return;
    clearImmediate(this.#planned);
    this.#block = undefined;
    for (const listener of this.#listeners) listener(block);
  }
}

/** Consensus time advances at least this often, so that timers run and marks are computed. */
const TICK_MS = 1_000;
const LOOK_MS = 200;
const RETRY_MS = 5;
/** How often the hash computed by this replica is recorded in the log, in milliseconds. */
const ATTEST_MS = 10_000;

type TickedReplica = Pick<LocalReplica, 'attest' | 'head' | 'onBlock' | 'state' | 'tick'>;

/**
 * Appends an empty block if no other block has advanced the time for a second, or by the time a
 * timer is due (R-clock, R-delay). Periodically appends the hash of the newest block.
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

  /** Sets a timer for the next due time. A block applied before then resets the timer. */
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
    // The timer fired early: consensus time can run slower than the timer (R-clock), or a block
    // with an earlier time is pending.
    if (this.#isRunning && this.#replica.head.height === height) {
      this.#wait(Math.max(RETRY_MS, this.#untilDueMs()));
    }
  }

  /**
   * Returns the time until something is due. Consensus time is never earlier than the newest block,
   * even if the clock is.
   */
  #untilDueMs(): number {
    const { head, state } = this.#replica;
    const nowMs = Math.max(this.#clock.nowMs(), head.timeMs);
    return Math.max(0, (nextDueMs(state) ?? Infinity) - nowMs);
  }
}
