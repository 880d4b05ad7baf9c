import {
  applyBlock,
  checkCommand,
  type Command,
  type CommandResult,
  createState,
  dump,
  restore,
  type State,
  type StateDump,
} from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
import type { Clock } from '../clock.ts';
import type { AppliedBlock, BlockHead, Executed } from '../block/applied-block.ts';
import type { LogEntry, LoggedCommand } from '../block/log-entry.ts';
import type { Projection } from '../block/projection.ts';
import type { Log } from '../log/log.ts';
import type { SnapshotStore } from '../log/snapshot-store.ts';
import { type BlockHasher, createBlockHasher, GENESIS_HEAD } from './block-hash.ts';
import { Proposer } from './proposer.ts';
import {
  isNoRoom,
  LogBehindError,
  ReplicaDivergedError,
  SnapshotTooNewError,
} from './replica-error.ts';
import type { Replica } from './replica.ts';

/** Newest blocks whose hashes a replica can still tell. */
const HEADS_KEPT = 4_096;

export type ReplicaOptions = {
  readonly log: Log;
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
  /** The commands of the first block, when the log is empty. */
  readonly genesis: readonly Command[];
  readonly snapshotEveryBlocks: number;
  readonly snapshotEveryCommands: number;
  /** False while the disk has no room for more (R-disk). */
  readonly hasRoom?: () => boolean;
  /** A fault after which the process must not go on. */
  readonly onFatal: (error: unknown) => void;
};

/** What a snapshot file holds. */
type SnapshotPayload = {
  readonly head: BlockHead;
  readonly heads: readonly BlockHead[];
  readonly state: StateDump;
  /** What the projections dumped, by name. */
  readonly companions: Readonly<Record<string, unknown>>;
  /** Versions of those; the first snapshots lack them, and all were 1. */
  readonly versions?: Readonly<Record<string, number>>;
};

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
  readonly #hashBlock: BlockHasher;
  readonly #proposer: Proposer;
  readonly #listeners: ((block: AppliedBlock) => void)[] = [];
  readonly #projections: Projection[] = [];
  #snapshotHeight = 0;
  #commandsSinceSnapshot = 0;
  #snapshotUnderWay: Promise<void> | undefined;
  #isReplaying = true;

  constructor(options: ReplicaOptions, hashBlock: BlockHasher) {
    this.#options = options;
    this.#hashBlock = hashBlock;
    this.#proposer = new Proposer(options.log);
  }

  static async create(options: ReplicaOptions): Promise<LocalReplica> {
    return new LocalReplica(options, await createBlockHasher());
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

  /** Restores, replays, and only then follows. Projections and listeners are attached before. */
  async start(): Promise<{ snapshotHeight: number; replayed: number }> {
    const { log, genesis } = this.#options;
    await this.#assertLogIsWhole();
    await this.#restoreSnapshot();
    const from = this.#head.height;
    await log.replay(from + 1, (entry) => this.#apply(entry));
    log.follow((entry) => this.#apply(entry));
    this.#isReplaying = false;
    if (this.#head.height === 0) await log.append(genesis.map((command) => ({ command })));
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
    await this.#writeSnapshot().catch((error: unknown) => {
      // The next start replays a little more.
      if (!isNoRoom(error)) throw error;
    });
  }

  #hasRoom(): boolean {
    return this.#options.hasRoom?.() ?? true;
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
    this.#proposer.applied(block);
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
    if (!isDue || !this.#hasRoom()) return;
    this.#snapshotUnderWay = this.#writeSnapshot()
      .catch((error: unknown) => {
        // Without room the next one is tried when it is due; the log has all that it would hold.
        if (!isNoRoom(error)) this.#options.onFatal(error);
      })
      .finally(() => {
        this.#snapshotUnderWay = undefined;
      });
  }

  /** The dump is of this moment; the file appears only when everything up to it is stored elsewhere. */
  async #writeSnapshot(): Promise<void> {
    const projections = this.#projections;
    const { hash, height, stateHash, timeMs: blockMs } = this.#head;
    const payload: SnapshotPayload = {
      head: { height, timeMs: blockMs, hash, stateHash },
      heads: [...this.#heads.values()].slice(-1_024),
      state: dump(this.#state),
      companions: Object.fromEntries(projections.map((each) => [each.name, each.dump()])),
      versions: Object.fromEntries(projections.map(({ name, version }) => [name, version])),
    };
    this.#commandsSinceSnapshot = 0;
    this.#snapshotHeight = height;
    const text = JSON.stringify(payload);
    await Promise.all(projections.map((each) => each.flushed?.(height)));
    await this.#options.snapshots.write({ height, payload: text });
  }

  async #restoreSnapshot(): Promise<void> {
    const { log, snapshots } = this.#options;
    // A snapshot beyond what a projection stored would leave a hole in its history.
    const found = await snapshots.newestValid(Math.min(log.lastSeq, ...this.#flushedHeights()));
    if (found === undefined) return;
    const payload = JSON.parse(found.payload.toString()) as SnapshotPayload;
    this.#state = restore(payload.state);
    this.#head = payload.head;
    this.#snapshotHeight = payload.head.height;
    for (const head of payload.heads) this.#remember(head);
    for (const projection of this.#projections) {
      const { name } = projection;
      const data = payload.companions[name];
      if (data === undefined) continue;
      const version = payload.versions?.[name] ?? 1;
      if (version > projection.version) throw new SnapshotTooNewError(name, version);
      projection.restore(data, version);
    }
  }

  #flushedHeights(): number[] {
    return this.#projections.flatMap(({ flushedHeight }) => flushedHeight ?? []);
  }
}
