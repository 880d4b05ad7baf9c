import {
  applyBlock,
  checkCommand,
  checkInvariants,
  type Command,
  type CommandResult,
  createState,
  dump,
  DUMP_VERSION,
  type OpenEraCommand,
  restore,
  RULES_VERSION,
  type State,
} from '@oddlot/engine';
import { present, timeMs } from '@oddlot/units';
import type { Clock } from '../clock.ts';
import type { AppliedBlock, BlockHead, Executed } from '../block/applied-block.ts';
import type { LogEntry, LoggedCommand } from '../block/log-entry.ts';
import type { Projection } from '../block/projection.ts';
import type { EraStore } from '../log/era-store.ts';
import type { Log } from '../log/log.ts';
import type { SnapshotStore } from '../log/snapshot-store.ts';
import { basesUpTo, entryAt, openingOf } from './bases.ts';
import {
  type BlockHasher,
  createBlockHasher,
  createTextHasher,
  GENESIS_HEAD,
  stateHashOf,
  type TextHasher,
} from './block-hash.ts';
import { type EarlierReplica, loadEarlierEngine, migrated } from './earlier-engine.ts';
import { Proposer } from './proposer.ts';
import {
  EraStartError,
  LaterReleaseError,
  LogBehindError,
  ReplicaDivergedError,
} from './replica-error.ts';
import type { Replica } from './replica.ts';
import { rulesOf, type SnapshotPayload } from './snapshot-payload.ts';

/** Newest blocks whose hashes a replica can still tell. */
const HEADS_KEPT = 4_096;
/** After a snapshot that could not be written, the next is tried this much later. */
const SNAPSHOT_RETRY_MS = 30_000;
const HEADS_IN_SNAPSHOT = 1_024;

export type ReplicaOptions = {
  readonly log: Log;
  readonly snapshots: SnapshotStore;
  readonly eras: EraStore;
  readonly clock: Clock;
  /** The commands of the first block, when the log is empty. */
  readonly genesis: readonly Command[];
  readonly snapshotEveryBlocks: number;
  readonly snapshotEveryCommands: number;
  /** A snapshot could not be written: the log holds all of it, and it is tried again later. */
  readonly onSnapshotFailed?: (error: unknown) => void;
  /** What is older goes, of the part of the log that no start from a kept snapshot needs; by default nothing does. */
  readonly logKeptMs?: number;
  /** False while the disk has no room for more (R-disk). */
  readonly hasRoom?: () => boolean;
  /** A fault after which the process must not go on. */
  readonly onFatal: (error: unknown) => void;
  /** A snapshot or the start of an era is whole but can't serve here; an older one does. */
  readonly onPassedOver?: (what: string, why: string) => void;
  /** The rules have changed: the log goes on in a new era. */
  readonly onEra?: (era: { readonly rules: number; readonly from: number }) => void;
};

/** Where a start began, and how many blocks it applied. */
export type CaughtUp = { readonly snapshotHeight: number; readonly replayed: number };

/**
 * A whole replica in one process: it follows the log, applies every block to its own engine, tells
 * its listeners, and proposes what its clients send. Start is the newest valid snapshot and a replay
 * of the blocks after it.
 */
export class LocalReplica implements Replica {
  #state: State = createState();
  #head: BlockHead = GENESIS_HEAD;
  readonly #heads = new Map<number, BlockHead>();
  readonly #options: ReplicaOptions;
  readonly #hashText: TextHasher;
  readonly #hashBlock: BlockHasher;
  readonly #proposer: Proposer;
  readonly #listeners: ((block: AppliedBlock) => void)[] = [];
  readonly #projections: Projection[] = [];
  #snapshotHeight = 0;
  #commandsSinceSnapshot = 0;
  #snapshotUnderWay: Promise<void> | undefined;
  /** Block time before which no snapshot is tried, after one that failed. */
  #snapshotNotBeforeMs = 0;
  #isReplaying = true;
  /** While the blocks are of an earlier era, the engine of that one. */
  #earlier: { readonly rules: number; readonly replica: EarlierReplica } | undefined;
  /** Starts of eras that were crossed and are not kept, or not whole. */
  readonly #unkept: SnapshotPayload[] = [];

  constructor(options: ReplicaOptions, hashText: TextHasher) {
    this.#options = options;
    this.#hashText = hashText;
    this.#hashBlock = createBlockHasher(hashText);
    this.#proposer = new Proposer(options.log);
  }

  static async create(options: ReplicaOptions): Promise<LocalReplica> {
    return new LocalReplica(options, await createTextHasher());
  }

  get state(): State {
    return this.#state;
  }

  get head(): BlockHead {
    return this.#head;
  }

  /** True while the blocks are old ones: listeners store them, but nobody is waiting. */
  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  headAt(height: number): BlockHead | undefined {
    return this.#heads.get(height);
  }

  onBlock(listener: (block: AppliedBlock) => void): void {
    this.#listeners.push(listener);
  }

  /** Feeds a projection with every block from the start on, and lets it ride along in snapshots. */
  attach(projection: Projection): void {
    this.#projections.push(projection);
    this.onBlock((block) => projection.onBlock(block));
  }

  /** Restores and replays what is there. Projections and listeners are attached before. */
  catchUp(): Promise<CaughtUp> {
    const { log } = this.#options;
    return this.#catchUp(log.replay.bind(log));
  }

  /** Catches up and follows in one, and only then leads. */
  async start(): Promise<CaughtUp> {
    const { log } = this.#options;
    const caughtUp = await this.#catchUp(log.follow.bind(log));
    const opening = this.#head.height === 0 ? this.#genesis() : await this.#nextEra();
    this.#isReplaying = false;
    if (opening.length > 0) await log.append(opening.map((command) => ({ command })));
    return caughtUp;
  }

  async #catchUp(read: Log['follow']): Promise<CaughtUp> {
    await this.#assertLogIsWhole();
    await this.#restoreBase();
    const from = this.#head.height;
    for (const projection of this.#projections) projection.startAt?.(from);
    await read(from + 1, (entry) => this.#take(entry), { withRequests: true });
    return { snapshotHeight: from, replayed: this.#head.height - from };
  }

  check(command: Command): CommandResult {
    const nowMs = Math.max(this.#state.timeMs, this.#options.clock.nowMs());
    return checkCommand(this.#state, command, nowMs);
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
    const { hash, height } = this.#head;
    await this.propose({ type: 'attest', height, hash });
  }

  /** How many commands wait for a block. */
  get queued(): number {
    return this.#proposer.queued;
  }

  /** Finishes what was proposed, then writes a last snapshot so that the next start is short. */
  async stop(): Promise<void> {
    await this.#proposer.drain();
    await this.#snapshotUnderWay;
    if (this.#head.height <= this.#snapshotHeight || !this.#hasRoom()) return;
    // The next start replays a little more.
    await this.#writeSnapshot().catch((error: unknown) => this.#snapshotFailed(error));
  }

  #hasRoom(): boolean {
    return this.#options.hasRoom?.() ?? true;
  }

  /** Applies an entry by the rules of its era, an old one or a new one. */
  #take(entry: LogEntry): void {
    const opening = openingOf(entry);
    if (opening !== undefined && opening.rules > RULES_VERSION) {
      throw new LaterReleaseError(opening.rules, RULES_VERSION);
    }
    const isCrossed = opening !== undefined && opening.rules > (this.#earlier?.rules ?? Infinity);
    if (isCrossed) this.#cross(opening);
    if (this.#earlier === undefined) this.#apply(entry);
    else this.#applyEarlier(entry, this.#earlier.replica);
  }

  /** Listeners are not told: the start of the next era brings what they would know. */
  #applyEarlier(entry: LogEntry, earlier: EarlierReplica): void {
    for (const { command } of entry.commands) if (command.type === 'attest') this.#compare(command);
    const block = earlier.apply(entry);
    this.#head = block.head;
    this.#remember(block.head);
    for (const projection of this.#projections) projection.onEarlierBlock?.(block);
  }

  /** Goes from an earlier era into this one, in the middle of the log. */
  #cross({ previousHash, stateHash }: OpenEraCommand): void {
    const payload = this.#eraStart();
    const { height, hash } = payload.head;
    if (this.#hashText(JSON.stringify(payload.state)) !== stateHash || hash !== previousHash) {
      throw new EraStartError(height, 'its state or its past is not the one that the log names');
    }
    this.#enter(payload);
  }

  #enter(payload: SnapshotPayload): void {
    try {
      this.#restore(payload);
    } catch (cause) {
      throw new EraStartError(payload.head.height, 'what rode along does not fit', cause);
    }
    this.#unkept.push(payload);
  }

  /** The state that this era starts from, made of the last one of the era before. */
  #eraStart(): SnapshotPayload {
    const { replica, rules } = present(this.#earlier, 'an earlier era');
    const { companions, head, state } = replica.dump();
    try {
      const restored = restore(migrated(rules, state));
      checkInvariants(restored);
      const heads = [...this.#heads.values()].slice(-HEADS_IN_SNAPSHOT);
      return { rules: RULES_VERSION, head, heads, state: dump(restored), companions };
    } catch (cause) {
      throw new EraStartError(head.height, 'the last state does not fit these rules', cause);
    }
  }

  /**
   * What opens the era of these rules, when the log ends in an earlier one (R-era). The start is durable
   * before the log names it: a crash between leaves a file that nothing refers to.
   */
  async #nextEra(): Promise<readonly Command[]> {
    const { eras, onEra } = this.#options;
    const opening: Command[] = [];
    if (this.#earlier !== undefined) {
      const payload = this.#eraStart();
      const { hash: previousHash, height } = payload.head;
      // The era can start there only if the rows of the one before are stored.
      await Promise.all(this.#projections.map((each) => each.flushed?.(height)));
      const stateHash = this.#hashText(JSON.stringify(payload.state));
      opening.push({ type: 'openEra', rules: RULES_VERSION, stateHash, previousHash });
      this.#enter(payload);
      onEra?.({ rules: RULES_VERSION, from: height });
    }
    for (const payload of this.#unkept.splice(0)) {
      const { height } = payload.head;
      await eras.write({ height, rules: RULES_VERSION, payload: JSON.stringify(payload) });
    }
    return opening;
  }

  /** A new log begins with an era too, that of an empty venue. */
  #genesis(): readonly Command[] {
    const stateHash = this.#hashText(JSON.stringify(dump(createState())));
    const { hash: previousHash } = GENESIS_HEAD;
    const opening: Command = { type: 'openEra', rules: RULES_VERSION, stateHash, previousHash };
    return [opening, ...this.#options.genesis];
  }

  #apply(entry: LogEntry): void {
    const commands = entry.commands.map(({ command }) => command);
    for (const command of commands) if (command.type === 'attest') this.#compare(command);
    const result = applyBlock(this.#state, {
      height: entry.seq,
      timeMs: timeMs(entry.timeMs),
      commands,
    });
    const block = this.#hashBlock(this.#head, entry, result);
    this.#head = block;
    this.#remember({
      height: block.height,
      timeMs: block.timeMs,
      hash: block.hash,
      stateHash: block.stateHash,
    });
    for (const listener of this.#listeners) listener(block);
    this.#proposer.applied(entry.proposal, block);
    this.#commandsSinceSnapshot += commands.length;
    this.#maybeSnapshot();
  }

  /** Same log, same hash: a replica that computes another state must not serve it (R-determinism). */
  #compare({ hash, height }: { readonly height: number; readonly hash: string }): void {
    const own = this.#heads.get(height);
    if (own === undefined || own.hash === hash) return;
    throw new ReplicaDivergedError(height, own.hash, hash);
  }

  /** What was stored after a block became durable proves that the log had it. */
  async #assertLogIsWhole(): Promise<void> {
    const { log, snapshots } = this.#options;
    const newest = (await snapshots.list())[0]?.height ?? 0;
    const known = Math.max(newest, ...this.#flushedHeights());
    if (known > log.lastSeq) throw new LogBehindError(log.lastSeq, known);
  }

  #remember(head: BlockHead): void {
    this.#heads.set(head.height, head);
    this.#heads.delete(head.height - HEADS_KEPT);
  }

  #maybeSnapshot(): void {
    if (this.#isReplaying || this.#snapshotUnderWay !== undefined) return;
    const { snapshotEveryBlocks, snapshotEveryCommands } = this.#options;
    const isDue =
      this.#head.height - this.#snapshotHeight >= snapshotEveryBlocks ||
      this.#commandsSinceSnapshot >= snapshotEveryCommands;
    if (!isDue || !this.#hasRoom() || this.#head.timeMs < this.#snapshotNotBeforeMs) return;
    this.#snapshotUnderWay = this.#writeSnapshot()
      .catch((error: unknown) => this.#snapshotFailed(error))
      .finally(() => {
        this.#snapshotUnderWay = undefined;
      });
  }

  /** Nothing is lost by a snapshot that failed, but for the length of the next start. */
  #snapshotFailed(error: unknown): void {
    this.#snapshotNotBeforeMs = this.#head.timeMs + SNAPSHOT_RETRY_MS;
    this.#options.onSnapshotFailed?.(error);
  }

  /** The dump is of this moment; the file appears only when everything up to it is stored elsewhere. */
  async #writeSnapshot(): Promise<void> {
    const projections = this.#projections;
    const { hash, height, stateHash, timeMs: blockMs } = this.#head;
    const payload: SnapshotPayload = {
      rules: RULES_VERSION,
      head: { height, timeMs: blockMs, hash, stateHash },
      heads: [...this.#heads.values()].slice(-HEADS_IN_SNAPSHOT),
      state: dump(this.#state),
      companions: Object.fromEntries(projections.map((each) => [each.name, each.dump()])),
      versions: Object.fromEntries(projections.map(({ name, version }) => [name, version])),
    };
    const commands = this.#commandsSinceSnapshot;
    const text = JSON.stringify(payload);
    await Promise.all(projections.map((each) => each.flushed?.(height)));
    await this.#options.snapshots.write({ height, payload: text });
    // Counted from the dump, but only once there is a file.
    this.#commandsSinceSnapshot -= commands;
    this.#snapshotHeight = height;
    await this.#compactLog();
  }

  /** Every kept snapshot can be started from, and every projection can go on from its own height. */
  async #compactLog(): Promise<void> {
    const { log, logKeptMs = Infinity, snapshots } = this.#options;
    const kept = (await snapshots.list()).map(({ height }) => height);
    const belowSeq = Math.min(...kept, ...this.#flushedHeights()) + 1;
    // Nothing is dropped that something is still computed from. Nobody waits for it.
    const isWholeNeeded = this.#projections.some((each) => each.needsWholeLog);
    const keptMs = log.firstSeq === 1 && isWholeNeeded ? Infinity : logKeptMs;
    void log.compact({ belowSeq, dropBeforeMs: this.#head.timeMs - keptMs });
  }

  /** Takes the newest state that this program can go on from, or starts before the first block. */
  async #restoreBase(): Promise<void> {
    const { eras, log, onPassedOver = () => undefined, snapshots } = this.#options;
    const sources = { log, snapshots, eras, hashText: this.#hashText, onPassedOver };
    // A snapshot beyond what a projection stored would leave a hole in its history.
    const maxHeight = Math.min(log.lastSeq, ...this.#flushedHeights());
    for await (const { payload, what } of basesUpTo(sources, maxHeight)) {
      const rules = rulesOf(payload);
      if (rules > RULES_VERSION) throw new LaterReleaseError(rules, RULES_VERSION);
      try {
        if (rules === RULES_VERSION) this.#restore(payload);
        else await this.#goBackTo(rules, payload);
        return;
      } catch (error) {
        onPassedOver(what, error instanceof Error ? error.message : String(error));
        this.#reset();
      }
    }
    if (log.lastSeq === 0) return;
    const rules = openingOf(await entryAt(log, 1))?.rules ?? 1;
    if (rules < RULES_VERSION) await this.#goBackTo(rules, undefined);
  }

  async #goBackTo(rules: number, payload: SnapshotPayload | undefined): Promise<void> {
    const engine = await loadEarlierEngine(rules);
    this.#earlier = { rules, replica: engine.open(payload) };
    if (payload !== undefined) this.#startAt(payload);
  }

  /** Throws when the payload is of another shape. */
  #restore(payload: SnapshotPayload): void {
    const { companions, head, state, versions } = payload;
    if (state.format !== DUMP_VERSION) throw new Error(`its dump has the format ${state.format}`);
    this.#reset();
    this.#state = restore(state);
    const stateHash = stateHashOf(this.#hashText, head.height, this.#state.digest.hex());
    if (stateHash !== head.stateHash) throw new Error('its state is not that of its block');
    for (const projection of this.#projections) {
      const { name } = projection;
      const data = companions[name];
      if (data === undefined) continue;
      const version = versions?.[name] ?? 1;
      if (version > projection.version) throw new Error(`its ${name} has the version ${version}`);
      projection.restore(data, version);
    }
    this.#startAt(payload);
  }

  #startAt({ head, heads }: SnapshotPayload): void {
    this.#head = head;
    this.#snapshotHeight = head.height;
    for (const each of heads) this.#remember(each);
  }

  #reset(): void {
    this.#state = createState();
    this.#head = GENESIS_HEAD;
    this.#heads.clear();
    this.#snapshotHeight = 0;
    this.#earlier = undefined;
    for (const projection of this.#projections) projection.reset();
  }

  #flushedHeights(): number[] {
    return this.#projections.flatMap(({ flushedHeight }) => flushedHeight ?? []);
  }
}
