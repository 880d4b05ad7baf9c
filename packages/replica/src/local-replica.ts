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
import type {
  AppliedBlock,
  BlockHead,
  Executed,
  LogEntry,
  LoggedCommand,
  Projection,
} from './block.ts';
import type { EraStore, SnapshotStore } from './log/checked-stores.ts';
import type { Log } from './log/log.ts';
import { attestedIn, type Standing } from './attestations.ts';
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

/** How often one that waits for its era looks whether it was announced. */
const LOOK_AGAIN_MS = 50;

type ReplicaOptions = {
  readonly log: Log;
  /** Only read: whoever follows on another thread writes them. */
  readonly snapshots: SnapshotStore;
  readonly eras: EraStore;
  /** The rules of this program; tests bring the next ones. */
  readonly step?: RulesStep | undefined;
  readonly clock: Clock;
  /** What this replica is called, where others follow the same log. */
  readonly name?: string | undefined;
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
  #isWaiting = false;
  #isStopped = false;
  /** The rules that were announced last in what was applied here. */
  #announced = 0;
  #outdated: LaterReleaseError | undefined;
  /** Contested blocks whose attestation is under way. */
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

  /** True while the blocks are old ones: listeners store them, but nobody is waiting. */
  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  headAt(height: number): BlockHead | undefined {
    return this.#following.headAt(height);
  }

  /** The oldest block of the log that can be applied. */
  firstApplicable(): Promise<number> {
    return this.#following.firstApplicable();
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
    const known = (await knownHeight?.()) ?? 0;
    // Another replica may have written the history of blocks that came meanwhile.
    await log.reach?.(known);
    this.#assertReaches(known);
    this.#assertAgrees();
    if (this.#options.name !== undefined) await this.#waitForEra();
    const opening = this.head.height === 0 ? this.#genesis() : await this.#nextEra();
    this.#isReplaying = false;
    // Where several begin at once, what one of them opens is the same for all.
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
    await this.#attest(this.head);
  }

  /**
   * Puts the hash of a snapshot's content into the log: a replica that begins with the snapshot compares.
   * False for a block that is too old to be known here, and while nothing is proposed any more.
   */
  async attestSnapshot({ content, height }: WrittenSnapshot): Promise<boolean> {
    const head = this.headAt(height);
    const isSilent = this.#isStopped || this.#isReplaying || this.#outdated !== undefined;
    if (head === undefined || isSilent) return false;
    await this.#attest(head, { snapshot: content });
    return true;
  }

  /** True while it follows a log of earlier rules and may not open an era. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Why nothing more is applied: the log went on under later rules. */
  get outdated(): LaterReleaseError | undefined {
    return this.#outdated;
  }

  /** How what other replicas have attested stands to what this one has. */
  get standing(): Standing {
    return this.#following.attestations.standing(this.#options.name);
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

  /** Others go on under rules that this program does not know: it shows what it has, and takes nothing. */
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
    const said = name === undefined ? {} : { replica: name };
    await this.propose({ type: 'attest', height, hash, ...said, ...more });
  }

  /** Where others do not have a block alike, this one says what it has, for all to count. */
  #attestContested(): void {
    const { name } = this.#options;
    if (name === undefined || this.#isReplaying) return;
    for (const { hash: own, height } of this.#following.attestations.wantedOf(name)) {
      if (this.#attested.has(height)) continue;
      this.#attested.add(height);
      this.#attest({ height, hash: hashOf(own) })
        // What did not arrive is said again when somebody else says something.
        .catch(() => undefined)
        .finally(() => this.#attested.delete(height));
    }
  }

  /**
   * The last snapshot of a run is written when nothing is proposed any more. A replica that begins with it attests it,
   * so that another can join with it; alone there is no other.
   */
  async #attestBeginning(): Promise<void> {
    const { log, name } = this.#options;
    const { begunWith } = this.#following;
    if (name === undefined || begunWith === undefined) return;
    if ((await attestedIn(log, begunWith.height)) !== undefined) return;
    // What did not arrive is attested at the next start, or with the next snapshot.
    this.attestSnapshot(begunWith).catch(() => undefined);
  }

  /** Alone there is nobody who could still say otherwise. */
  #assertAgrees(): void {
    if (this.#options.name !== undefined) return;
    const { height, kind, own, votes } = this.standing;
    if (kind === 'agreed') return;
    const other = [...votes.values()].find((each) => each !== own) ?? '';
    throw new ReplicaDivergedError(height, own, other);
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

  /**
   * One of several does not open an era by itself: others may know the old rules alone. It follows until an operator has
   * announced the new ones in the log, and then opens their era behind what was under way, unless another does.
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

/**
 * Tells those who pass a block on to others, behind those who wait for it: a reply goes out before the same news goes to
 * a thousand streams. Blocks are told in order, each before the next one is applied, since whoever is told reads the state.
 */
class Publication {
  readonly #listeners: ((block: AppliedBlock) => void)[] = [];
  #block: AppliedBlock | undefined;
  #planned: NodeJS.Immediate | undefined;

  onBlock(listener: (block: AppliedBlock) => void): void {
    this.#listeners.push(listener);
  }

  /** Replies are written at the end of this turn of the event loop; the block is told in the next phase. */
  plan(block: AppliedBlock): void {
    this.publish();
    this.#block = block;
    this.#planned = setImmediate(() => this.publish());
  }

  /** Tells what is planned now: for whoever must not see a state that was not told yet. */
  publish(): void {
    const block = this.#block;
    if (block === undefined) return;
    clearImmediate(this.#planned);
    this.#block = undefined;
    for (const listener of this.#listeners) listener(block);
  }
}

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
