import {
  applyBlock,
  type BookObserver,
  type Command,
  createState,
  dump,
  DUMP_VERSION,
  dumpPacked,
  type OpenEraCommand,
  PACKED_DUMP_VERSION,
  restore,
  type State,
} from '@oddlot/engine';
import { present, timeMs } from '@oddlot/units';
import type { AppliedBlock, BlockHead, LogEntry, Projection } from './block.ts';
import type { EraStore, SnapshotStore } from './log/checked-stores.ts';
import { EarlierReleaseError, type Log } from './log/log.ts';
import { Attestations, type SnapshotJudge, unlessContradicted } from './attestations.ts';
import { type Base, basesUpTo, entryAt, openingOf } from './bases.ts';
import {
  type BlockHasher,
  createBlockHasher,
  createTextHasher,
  GENESIS_HEAD,
  stateHashOf,
  type TextHasher,
} from './block-hash.ts';
import { type EarlierReplica, RULES_STEP, type RulesStep } from './earlier-engine.ts';
import { EraStartError, LaterReleaseError, ReplicaDivergedError } from './replica.ts';
import type { PackedPayload, SnapshotPayload, WrittenSnapshot } from './snapshot-codec.ts';

const HEADS_KEPT = 4_096;
const HEADS_IN_SNAPSHOT = 1_024;

/** The state formats this program can restore. */
const DUMPS_READ: readonly number[] = [DUMP_VERSION, PACKED_DUMP_VERSION];

type FollowingOptions = {
  readonly log: Pick<Log, 'beginning' | 'firstSeq' | 'lastSeq' | 'replay'>;
  readonly snapshots: Pick<SnapshotStore, 'newestValid'>;
  readonly eras: Pick<EraStore, 'list' | 'read'>;
  /** The rules of this program; tests pass those of a later version. */
  readonly step?: RulesStep | undefined;
  /**
   * Judges each snapshot before it is used. By default, snapshots are used unless the log
   * contradicts them.
   */
  readonly faultOf?: SnapshotJudge | undefined;
  /**
   * Called if a snapshot or the start of an era is intact but unusable here; an older one is tried
   * next.
   */
  readonly onPassedOver?: (what: string, why: string) => void;
};

type EraStart = Parameters<EraStore['write']>[0];

/**
 * Follows a log on any thread: restores a state, applies every later block under the rules of its
 * era, chains the hashes, notifies listeners, and dumps its state for a snapshot. It neither
 * proposes blocks nor writes files.
 */
export class FollowingReplica {
  #state: State = createState();
  #head: BlockHead = GENESIS_HEAD;
  readonly #heads = new Map<number, BlockHead>();
  readonly #options: FollowingOptions;
  readonly #step: RulesStep;
  readonly #hashText: TextHasher;
  readonly #hashBlock: BlockHasher;
  readonly #listeners: ((block: AppliedBlock) => void)[] = [];
  readonly #projections: Projection[] = [];
  #observer: BookObserver | undefined;
  /** The replica with the engine of the previous rules, set while blocks are of that version. */
  #earlier: EarlierReplica | undefined;
  readonly #crossed: EraStart[] = [];
  #begunWith: WrittenSnapshot | undefined;
  /** Attestations by other replicas of blocks that this replica has applied. */
  readonly attestations = new Attestations();

  constructor(options: FollowingOptions, hashText: TextHasher) {
    this.#options = options;
    this.#step = options.step ?? RULES_STEP;
    this.#hashText = hashText;
    this.#hashBlock = createBlockHasher(hashText);
  }

  static async create(options: FollowingOptions): Promise<FollowingReplica> {
    return new FollowingReplica(options, await createTextHasher());
  }

  get state(): State {
    return this.#state;
  }

  get head(): BlockHead {
    return this.#head;
  }

  /**
   * The snapshot from which this replica was restored; undefined if it started from another state.
   */
  get begunWith(): WrittenSnapshot | undefined {
    return this.#begunWith;
  }

  headAt(height: number): BlockHead | undefined {
    return this.#heads.get(height);
  }

  onBlock(listener: (block: AppliedBlock) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Passes every block to a projection, starting with the first, and includes its dump in
   * snapshots.
   */
  attach(projection: Projection): void {
    this.#projections.push(projection);
    this.#observer ??= projection.observer;
    this.onBlock((block) => projection.onBlock(block));
  }

  /**
   * Restores the newest state that `accepted` accepts and that this program can continue from;
   * otherwise starts before the first block. Projections and listeners must be attached before the
   * call.
   */
  async restoreBase(
    accepted: {
      readonly maxHeight?: number;
      readonly suits?: (payload: SnapshotPayload) => boolean;
    } = {},
  ): Promise<void> {
    const { log, onPassedOver = () => undefined } = this.#options;
    const maxHeight = Math.min(log.lastSeq, accepted.maxHeight ?? Infinity);
    for await (const base of this.bases(maxHeight)) {
      if (accepted.suits?.(base.payload) === false) continue;
      try {
        await this.goTo(base.payload);
        const { content, payload } = base;
        this.#begunWith = content && { height: payload.head.height, content };
        return;
      } catch (error) {
        if (error instanceof LaterReleaseError) throw error;
        onPassedOver(base.what, error instanceof Error ? error.message : String(error));
      }
    }
    await this.goToBeginning();
  }

  bases(maxHeight: number): AsyncGenerator<Base> {
    const { eras, log, onPassedOver = () => undefined, snapshots } = this.#options;
    const faultOf = this.#options.faultOf ?? unlessContradicted(log);
    const hashText = this.#hashText;
    return basesUpTo({ log, snapshots, eras, hashText, faultOf, onPassedOver }, maxHeight);
  }

  async firstApplicable(): Promise<number> {
    const { eras, log } = this.#options;
    for (const { height, rules } of await eras.list()) {
      if (rules !== this.#step.rules - 1 || height < log.firstSeq) continue;
      // An era that was not opened in the log never began.
      if (openingOf(await entryAt(log, height + 1))?.rules === rules) return height + 1;
    }
    return log.firstSeq;
  }

  /** Returns to the state before the first block, with the engine of that block's era. */
  async goToBeginning(): Promise<void> {
    this.#reset();
    const { log } = this.#options;
    const first = log.lastSeq === 0 ? await log.beginning?.() : await entryAt(log, 1);
    if (log.lastSeq === 0 && first === undefined) return;
    const rules = openingOf(first)?.rules ?? 1;
    if (rules < this.#step.rules) await this.#goBackTo(rules, undefined);
  }

  /**
   * Continues from a stored state. Throws if this program cannot do so; the replica then has no
   * state.
   */
  async goTo(payload: SnapshotPayload): Promise<void> {
    const { rules = 1 } = payload as Partial<SnapshotPayload>;
    if (rules > this.#step.rules) throw new LaterReleaseError(rules, this.#step.rules);
    try {
      if (rules === this.#step.rules) this.#restore(payload);
      else await this.#goBackTo(rules, payload);
    } catch (error) {
      this.#reset();
      throw error;
    }
  }

  /**
   * Applies an entry under the rules of its era. Returns undefined for an entry from an earlier
   * era.
   */
  take(entry: LogEntry): AppliedBlock | undefined {
    const opening = openingOf(entry);
    const { rules } = this.#step;
    if (opening !== undefined && opening.rules > rules) {
      throw new LaterReleaseError(opening.rules, rules);
    }
    if (this.#earlier !== undefined && opening?.rules === rules) this.#cross(opening);
    if (this.#earlier === undefined) return this.#apply(entry);
    this.#applyEarlier(entry, this.#earlier);
    return undefined;
  }

  /**
   * Returns the whole state as of the newest block. No block may be applied until the caller has
   * read it.
   */
  payload(): PackedPayload {
    // A projection without a dump is omitted together with its version.
    const dumps = this.#projections.map((each) => ({ each, data: each.dump() }));
    const included = dumps.filter(({ data }) => data !== undefined);
    const { hash, height, stateHash, timeMs: blockMs } = this.#head;
    return {
      rules: this.#step.rules,
      head: { height, timeMs: blockMs, hash, stateHash },
      heads: [...this.#heads.values()].slice(-HEADS_IN_SNAPSHOT),
      state: dumpPacked(this.#state),
      companions: Object.fromEntries(included.map(({ data, each }) => [each.name, data])),
      versions: Object.fromEntries(included.map(({ each }) => [each.name, each.version])),
    };
  }

  /** True while blocks follow the previous rules version, which has its own engine and dumps. */
  get isEarlier(): boolean {
    return this.#earlier !== undefined;
  }

  /**
   * Returns the command that would open the era of these rules after the newest block, and the
   * state the era would start from. The replica stays in its current era.
   */
  nextEra(): { readonly command: OpenEraCommand; readonly start: EraStart } {
    const payload = this.#eraStart();
    const { hash: previousHash, height } = payload.head;
    const stateHash = this.#hashText(JSON.stringify(payload.state));
    const { rules } = this.#step;
    return {
      command: { type: 'openEra', rules, stateHash, previousHash },
      start: { height, rules, payload: JSON.stringify(payload) },
    };
  }

  /**
   * Leaves the earlier era that the log ends in. Returns the command that records this in the log
   * (R-era).
   */
  openEra(): OpenEraCommand {
    const payload = this.#eraStart();
    const { hash: previousHash } = payload.head;
    const stateHash = this.#hashText(JSON.stringify(payload.state));
    this.#enter(payload);
    return { type: 'openEra', rules: this.#step.rules, stateHash, previousHash };
  }

  /** Returns the command that opens a new log. The log begins with the era of an empty venue. */
  firstEra(): OpenEraCommand {
    const stateHash = this.#hashText(JSON.stringify(dump(createState())));
    const { hash: previousHash } = GENESIS_HEAD;
    return { type: 'openEra', rules: this.#step.rules, stateHash, previousHash };
  }

  takeCrossed(): readonly EraStart[] {
    return this.#crossed.splice(0);
  }

  /**
   * Throws if the hash attested in the log for a block differs from the one this replica computed,
   * because a replica with a wrong state must not serve it (R-determinism).
   */
  #compare(command: Command): void {
    if (command.type !== 'attest') return;
    const { hash, height, replica } = command;
    const own = this.#heads.get(height)?.hash;
    if (replica !== undefined) this.attestations.take({ height, hash, replica }, own);
    else if (own !== undefined && own !== hash) throw new ReplicaDivergedError(height, own, hash);
  }

  /**
   * Listeners receive nothing here, because the start of the next era contains everything they
   * need.
   */
  #applyEarlier(entry: LogEntry, earlier: EarlierReplica): void {
    for (const { command } of entry.commands) this.#compare(command);
    const block = { ...earlier.apply(entry), proposal: entry.proposal };
    this.#head = block.head;
    this.#remember(block.head);
    for (const projection of this.#projections) projection.onEarlierBlock?.(block);
  }

  #cross({ previousHash, stateHash }: OpenEraCommand): void {
    const payload = this.#eraStart();
    const { height, hash } = payload.head;
    if (this.#hashText(JSON.stringify(payload.state)) !== stateHash || hash !== previousHash) {
      throw new EraStartError(
        height,
        'its state or its predecessor differs from the one recorded in the log',
      );
    }
    this.#enter(payload);
  }

  #enter(payload: SnapshotPayload): void {
    const { height } = payload.head;
    // The start is stored as text, because restored models can modify the payload before it is
    // written.
    const start = { height, rules: payload.rules, payload: JSON.stringify(payload) };
    try {
      this.#restore(payload);
    } catch (cause) {
      throw new EraStartError(height, 'the companion data does not match', cause);
    }
    this.#crossed.push(start);
  }

  /**
   * Returns the first state under this program's rules, migrated from the last one under the
   * previous rules.
   */
  #eraStart(): SnapshotPayload {
    const earlier = present(this.#earlier, 'a replica of the previous rules');
    const { companions, head, state: last, versions } = earlier.dump();
    try {
      const state = this.#step.migrate(last);
      const heads = [...this.#heads.values()].slice(-HEADS_IN_SNAPSHOT);
      const dumps = { ...companions, ...this.#ofAllEras() };
      const start = { rules: this.#step.rules, head, heads, state, companions: dumps };
      return versions === undefined ? start : { ...start, versions };
    } catch (cause) {
      throw new EraStartError(head.height, 'the last state does not match these rules', cause);
    }
  }

  #ofAllEras(): Readonly<Record<string, unknown>> {
    const independent = this.#projections.filter(({ isOfAllEras }) => isOfAllEras);
    const dumps = independent.map((each) => [each.name, each.dump()] as const);
    return Object.fromEntries(dumps.filter(([, data]) => data !== undefined));
  }

  #apply(entry: LogEntry): AppliedBlock {
    const commands = entry.commands.map(({ command }) => command);
    for (const command of commands) this.#compare(command);
    const block = { height: entry.seq, timeMs: timeMs(entry.timeMs), commands };
    const result = applyBlock(this.#state, block, this.#observer);
    const applied = this.#hashBlock(this.#head, entry, result);
    this.#head = applied;
    const { hash, height, stateHash, timeMs: blockMs } = applied;
    this.#remember({ height, timeMs: blockMs, hash, stateHash });
    for (const listener of this.#listeners) listener(applied);
    return applied;
  }

  #remember(head: BlockHead): void {
    this.#heads.set(head.height, head);
    this.#heads.delete(head.height - HEADS_KEPT);
  }

  async #goBackTo(rules: number, payload: SnapshotPayload | undefined): Promise<void> {
    const { loadEarlier, rules: own } = this.#step;
    if (rules < own - 1) throw new EarlierReleaseError(`rules version ${rules}`);
    const engine = await loadEarlier();
    this.#reset();
    this.#earlier = await engine.open(payload);
    if (payload === undefined) return;
    for (const each of this.#projections) if (each.isOfAllEras) restoreFrom(payload, each);
    this.#startAt(payload);
  }

  #restore(payload: SnapshotPayload): void {
    const { head, state } = payload;
    if (!DUMPS_READ.includes(state.format)) {
      throw new Error(`its dump has the format ${String(state.format)}`);
    }
    this.#reset();
    this.#state = restore(state);
    const stateHash = stateHashOf(this.#hashText, head.height, this.#state.digest.hex());
    if (stateHash !== head.stateHash) throw new Error('its state does not belong to its block');
    for (const projection of this.#projections) restoreFrom(payload, projection);
    this.#startAt(payload);
  }

  #startAt({ head, heads }: SnapshotPayload): void {
    this.#head = head;
    for (const each of heads) this.#remember(each);
  }

  #reset(): void {
    this.#state = createState();
    this.#head = GENESIS_HEAD;
    this.#heads.clear();
    this.#earlier = undefined;
    for (const projection of this.#projections) projection.reset();
  }
}

function restoreFrom({ companions, versions }: SnapshotPayload, projection: Projection): void {
  const { name } = projection;
  const data = companions[name];
  if (data === undefined) return;
  const version = versions?.[name] ?? 1;
  if (version > projection.version) throw new Error(`its ${name} has the version ${version}`);
  projection.restore(data, version);
}
