import { findOrder, type State } from '@oddlot/engine';
import type { BlockHead, LogEntry } from '@oddlot/replica/block';
import {
  type FolderFollower,
  followFolder,
  type Snapshotter,
} from '@oddlot/replica/folder-follower';
import type { FollowingReplica } from '@oddlot/replica/following-replica';
import type { Ask } from '../history.ts';
import { buildTree } from '../reserves/build-tree.ts';
import {
  createTreeHasher,
  treeFolder,
  type TreeHasher,
  treeSecret,
} from '../reserves/tree-file.ts';
import type { BlockRows } from '../rows/block-rows.ts';
import { HistoryDamagedError, HistoryFullError } from '../store/store-errors.ts';
import {
  type IndexerOrder,
  type IndexerReport,
  type IndexerRequest,
  type IndexerSettings,
  type Question,
  replyTo,
} from './indexer-messages.ts';
import { FollowedModels, goToBase } from './followed-models.ts';
import { type Readiness, WaitingQuestions } from './waiting-questions.ts';
import { Retention, type RowBuffer, SCRUB_EVERY_MS } from './row-buffer.ts';
import { type MarketTextsOf, RecentChanges, WatchedUsers } from './recent-changes.ts';

/**
 * Rows are collected for this many milliseconds unless a query needs them, because each transaction
 * syncs the disk.
 */
const WRITE_EVERY_MS = 100;
/** The interval between write attempts while the disk is full (R-disk). */
const RETRY_MS = 1_000;
/** How often a replica that does not write reads the writer's progress, in milliseconds. */
const FOLLOW_EVERY_MS = 50;
/**
 * How long a shutdown waits for missing rows at most, in milliseconds. Rows still missing are
 * computed on the next startup.
 */
const CATCH_UP_MS = 4_000;

type IndexerLoopOptions = {
  readonly settings: IndexerSettings;
  readonly rows: RowBuffer | undefined;
  readonly send: (report: IndexerReport) => void;
  /**
   * Called if the store is damaged. The callback moves the store out of the way, and another thread
   * begins a new one.
   */
  readonly onDamaged: (error: HistoryDamagedError) => Promise<void>;
};

/**
 * The main loop of a history thread. It follows the journal's files, applies every block to its own
 * engine, compares states with the main thread, stores rows, serves queries and writes snapshots,
 * each in short turns.
 */
export class IndexerLoop {
  readonly #settings: IndexerSettings;
  readonly #send: IndexerLoopOptions['send'];
  readonly #onDamaged: IndexerLoopOptions['onDamaged'];
  readonly #questions: WaitingQuestions;
  readonly #wake = new WakeSignal();
  readonly #slice = new TimeSlice();
  readonly #answering = new TimeSlice();
  readonly #watched: WatchedUsers;
  readonly #recent: RecentChanges;
  readonly #trees: TreeOrders;
  #rows: RowBuffer | undefined;
  #early: Question[] | undefined = [];
  #folder!: FolderFollower;
  #replica!: FollowingReplica;
  #models!: FollowedModels;
  #snapshotter!: Snapshotter;
  #retention: Retention | undefined;
  #writesSnapshots: boolean;
  #target!: BlockHead;
  #hasSpace = true;
  /**
   * False if another replica writes the rows; blocks are then applied only up to the stored height.
   */
  #leads: boolean;
  #compared = 0;
  #wanted: IndexerRequest<'writeSnapshot'>[] = [];
  #stop: { readonly catchesUp: boolean; readonly untilMs: number } | undefined;

  constructor({ onDamaged, rows, settings, send }: IndexerLoopOptions) {
    this.#settings = settings;
    this.#send = send;
    this.#onDamaged = onDamaged;
    this.#rows = rows;
    this.#writesSnapshots = settings.role === 'both';
    this.#leads = settings.isShared !== true;
    const textsOf: MarketTextsOf = (id) => {
      const listing = this.#models.markets.catalogue.market(id)?.listing;
      return listing === undefined ? undefined : { title: listing.question, slug: listing.slug };
    };
    this.#watched = new WatchedUsers(textsOf);
    this.#recent = new RecentChanges(textsOf);
    this.#trees = new TreeOrders({ send, data: settings.data });
    this.#questions = new WaitingQuestions({
      send,
      settings,
      sums: (user) => this.#models.history.projector.accountSums(user),
      users: (from, limit) => this.#models.history.projector.users(from, limit),
      live: () => (this.#replica.isEarlier ? undefined : this.#models.history.projector.liveRows),
      recent: (ask) => this.#recent.since(ask) ?? this.#prunedSince(ask),
    });
  }

  take(order: IndexerOrder): void {
    switch (order.type) {
      case 'verify':
      case 'start':
        throw new Error('the history indexer has already started');
      case 'durable':
        this.#target = order.head;
        this.#hasSpace = order.hasSpace;
        break;
      case 'ask':
        if (this.#early === undefined) this.#question(order);
        else this.#early.push(order);
        break;
      case 'watch':
        this.#watched.watch(order.user, order.table);
        break;
      case 'unwatch':
        this.#watched.unwatch(order.user, order.table);
        break;
      case 'takeSnapshots':
        this.#writesSnapshots = true;
        break;
      case 'writeSnapshot':
        this.#wanted.push(order);
        break;
      case 'lead':
        this.#rows?.store.lead(order.term);
        this.#leads = order.term !== undefined;
        break;
      case 'stop':
        this.#target = order.head;
        this.#stop = {
          catchesUp: order.catchesUp,
          untilMs: performance.now() + (this.#settings.catchUpMs ?? CATCH_UP_MS),
        };
        break;
    }
    this.#wake.wake();
  }

  async run(start: IndexerRequest<'start'>): Promise<void> {
    const { hasSpace, head } = start;
    this.#target = head;
    this.#hasSpace = hasSpace;
    await this.#open(head);
    const early = this.#rows === undefined ? [] : (this.#early ?? []);
    // Without rows, another thread serves the early queries.
    this.#early = undefined;
    for (const question of early) this.#question(question);
    const { height: from } = this.#replica.head;
    this.#send(replyTo(start, { from, hasRows: this.#rows !== undefined }));
    const folder = this.#folder;
    try {
      while (!this.#isDone) {
        const height = this.#reach;
        if (folder.nextSeq <= height) await folder.readUpTo(height, (entry) => this.#apply(entry));
        else await this.#rest();
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
    } finally {
      await folder.close();
    }
    await this.#finish();
  }

  #question(question: Question): void {
    if (question.topic === 'reserves') this.#trees.take(question, this.#height);
    else this.#questions.take(question, { height: this.#height, reach: this.#reach });
  }

  get #height(): number {
    return this.#replica?.head.height ?? 0;
  }

  get #isDone(): boolean {
    return this.#stop !== undefined && (this.#isHurried || this.#height >= this.#reach);
  }

  /** The height up to which this thread can currently apply blocks. */
  get #reach(): number {
    const { height } = this.#target;
    return this.#leads ? height : Math.min(height, this.#rows?.store.height ?? height);
  }

  /**
   * The height up to which queries can be served. A leader writes applied rows before it responds.
   * A follower responds once its state has reached the height of the store, which can briefly
   * contain rows from later blocks.
   */
  get #readiness(): Readiness {
    const height = this.#height;
    const rows = this.#rows;
    if (this.#leads || rows === undefined) return { answerableHeight: height, isApart: false };
    const { store, stored } = rows;
    const isBehind = height < store.height;
    return { answerableHeight: isBehind ? -1 : stored.height, isApart: isBehind || !rows.isEmpty };
  }

  /** True if the loop must end without catching up. */
  get #isHurried(): boolean {
    const stop = this.#stop;
    return stop !== undefined && (!stop.catchesUp || performance.now() >= stop.untilMs);
  }

  async #open(head: BlockHead): Promise<void> {
    const { data, faucetEveryMs, snapshotEveryBlocks, snapshotEveryCommands } = this.#settings;
    const onPassedOver = (what: string, why: string): void =>
      this.#send({ type: 'passedOver', what, why });
    this.#folder = await followFolder(data, head.height, onPassedOver);
    const { firstSeq, replica } = this.#folder;
    this.#replica = replica;
    this.#models = new FollowedModels(replica, {
      faucetEveryMs,
      onRows: (rows) => this.#onRows(rows),
      isReported: (user) => this.#watched.isWatched(user, 'orders'),
      changes: this.#recent,
    });
    this.#snapshotter = await this.#folder.snapshotter({
      everyBlocks: snapshotEveryBlocks,
      everyCommands: snapshotEveryCommands,
      hasSpace: () => this.#hasSpace,
      pause: () => this.#pause(),
      onFailed: (error) => this.#send({ type: 'snapshotFailed', error }),
    });
    const hasRows = await goToBase({
      replica,
      history: this.#models.history,
      firstSeq,
      settings: this.#settings,
      storedHeight: this.#rows?.stored.height,
      head,
      onPassedOver,
    });
    if (!hasRows) {
      await this.#rows?.store.close();
      this.#rows = undefined;
    }
    // Rows continue after this block, so it must be the same as the stored one.
    await this.#guarded(() => this.#rows?.compare(replica.head));
    const isLive = (orderId: number): boolean =>
      findOrder(this.#replica.state, orderId) !== undefined;
    if (this.#rows !== undefined) {
      this.#retention = new Retention(this.#settings, this.#rows.store, isLive);
    }
  }

  #apply(entry: LogEntry): unknown {
    if (this.#isHurried) throw new StoppedError();
    this.#replica.take(entry);
    this.#compare();
    if (this.#writesSnapshots) this.#snapshotter.count(entry);
    const isDue =
      this.#rows?.isDue === true || this.#isSnapshotDue || this.#trees.isDue(this.#height);
    return isDue || this.#slice.isOver ? this.#between() : undefined;
  }

  /**
   * Stops the venue if the same log has led to a different state from the main thread's
   * (R-determinism).
   */
  #compare(): void {
    const { head } = this.#replica;
    if (head.height !== this.#target.height) return;
    this.#compared += 1;
    const difference = differenceOf(head, this.#target);
    if (difference === undefined) return;
    this.#send({ type: 'diverged', height: head.height, ...difference });
    throw new StoppedError();
  }

  #onRows(rows: BlockRows): void {
    if (this.#rows === undefined) return;
    this.#rows.add(rows);
    this.#recent.add(rows);
    for (const report of this.#watched.reports(rows)) this.#send(report);
  }

  /** Returns `gone` if rows after a block may have been deleted because of their age. */
  #prunedSince({ after }: Ask<'since'>): 'gone' | undefined {
    const { historyKeptMs } = this.#settings;
    if (historyKeptMs === undefined) return undefined;
    const head = this.#replica.headAt(after);
    // A client reconnecting after a short interruption requests rows since a block that this
    // replica still has.
    const isKnown = head !== undefined && this.#replica.head.timeMs - head.timeMs < historyKeptMs;
    return isKnown ? undefined : 'gone';
  }

  /** Runs between two blocks: handles messages and then does the work that is due. */
  async #between(): Promise<void> {
    await this.#pause();
    await this.#write((rows) => rows.isDue);
    if (this.#isSnapshotDue) await this.#snapshot();
    await this.#buildTree();
    // No more blocks are applied while too many rows wait for the disk.
    while (this.#rows?.isFull === true && this.#stop === undefined) {
      await this.#wake.sleep(RETRY_MS);
      await this.#write(() => true);
      await this.#answer();
    }
    this.#slice.begin();
  }

  /**
   * Runs when all blocks have been applied: writes rows, serves queries and waits for more blocks.
   */
  async #rest(): Promise<void> {
    if (!this.#leads) {
      await this.#guarded(() => this.#rows?.refresh());
      // Blocks stored by another replica must be applied before queries are served.
      if (this.#height < this.#reach) return;
    }
    await this.#answer();
    // The other replica may have written in the meantime, and a query may be waiting for those
    // rows.
    if (!this.#leads && this.#height < this.#reach) return;
    // Even if queries are waiting, rows are written only at the usual interval, because each
    // transaction syncs the disk.
    const isBusy = this.#questions.isReady(this.#readiness);
    await this.#write((rows) => !isBusy || rows.isDue || rows.restMs >= WRITE_EVERY_MS);
    if (this.#isSnapshotDue || this.#wanted.length > 0) await this.#snapshot();
    this.#answerWanted();
    await this.#buildTree();
    await this.#retain();
    this.#report();
    if (!this.#questions.isReady(this.#readiness)) {
      await this.#wake.sleep(this.#sleepMs);
      // Waits briefly, so that blocks arriving together are written in one transaction.
      const isCalm = this.#leads && !this.#questions.hasQuestions;
      if (isCalm) await this.#wake.calm(WRITE_EVERY_MS, () => this.#isUrgent);
    }
    // All pending messages are received before a query is served, so that clients are served in
    // turn.
    await turn();
    this.#slice.begin();
  }

  /**
   * The time until this thread has work even if no message arrives, in milliseconds; undefined if
   * it has none.
   */
  get #sleepMs(): number | undefined {
    const scrubMs = this.#retention?.isScrubbing === true ? SCRUB_EVERY_MS : Infinity;
    const retryMs = this.#rows?.isEmpty === false ? RETRY_MS : Infinity;
    const followMs = this.#leads ? Infinity : FOLLOW_EVERY_MS;
    const sleepMs = Math.min(scrubMs, retryMs, followMs, this.#questions.patienceMs ?? Infinity);
    return Number.isFinite(sleepMs) ? sleepMs : undefined;
  }

  get #isUrgent(): boolean {
    const isWanted = this.#questions.hasQuestions || this.#wanted.length > 0;
    return isWanted || this.#trees.hasOrders || this.#stop !== undefined;
  }

  async #pause(): Promise<void> {
    await turn();
    await this.#answer();
  }

  /**
   * Serves queries until the time slice ends; processing of blocks and rows then continues. At
   * least one query is served.
   */
  async #answer(): Promise<void> {
    this.#answering.begin();
    do {
      const due = this.#rows && this.#questions.next(this.#readiness);
      if (due === undefined) return;
      await this.#write((rows) => this.#questions.needsRows(due, rows));
      const rows = this.#rows;
      // If the store is damaged, the query is served by the thread that replaces this one.
      if (rows === undefined) return;
      await this.#guarded(() => this.#questions.answer(due, rows, this.#height));
    } while (!this.#answering.isOver);
  }

  async #write(isWanted: (rows: RowBuffer) => boolean): Promise<void> {
    const rows = this.#rows;
    const isIdle = rows === undefined || rows.isEmpty || !this.#hasSpace || !this.#leads;
    if (isIdle || !isWanted(rows)) return;
    await this.#guarded(() => rows.writeAll());
    this.#report();
  }

  async #retain(): Promise<void> {
    const { timeMs } = this.#replica.head;
    const pause = () => this.#pause().then(() => this.#rows !== undefined);
    if (this.#hasSpace) await this.#guarded(() => this.#retention?.look(timeMs, pause));
  }

  /**
   * Abandons work on a damaged store, because another thread begins a new one. If the store is full
   * or unreachable, the next caller retries the work.
   */
  async #guarded(run: () => Promise<unknown> | undefined): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (error instanceof HistoryFullError) return;
      if (!(error instanceof HistoryDamagedError)) throw error;
      this.#rows = undefined;
      this.#retention = undefined;
      this.#questions.clear();
      await this.#onDamaged(error);
    }
  }

  get #isSnapshotDue(): boolean {
    const { height } = this.#replica.head;
    // No snapshots are written of old blocks, which are replayed only for their rows.
    const isOld = this.#target.height - height > this.#settings.shortBlocks;
    return this.#writesSnapshots && !isOld && this.#snapshotter.isDue;
  }

  /**
   * Writes a snapshot. Rows are written first, because starting from a snapshot requires the rows
   * of all earlier blocks.
   */
  async #snapshot(): Promise<void> {
    await this.#write(() => true);
    if (this.#rows?.isEmpty === false) return;
    const startedMs = performance.now();
    const written = await this.#snapshotter.write();
    if (written === undefined) return;
    const seconds = (performance.now() - startedMs) / 1000;
    const heights = await this.#folder.snapshotHeights();
    const { content, height } = written;
    this.#send({
      type: 'snapshot',
      height,
      content,
      seconds,
      oldest: Math.min(height, ...heights),
    });
  }

  #answerWanted(): void {
    const { height } = this.#snapshotter;
    for (const wanted of this.#wanted.splice(0)) {
      this.#send(replyTo(wanted, { height }));
    }
  }

  /**
   * Builds the requested trees. No block is applied meanwhile, so each tree shows a single state;
   * queries are still served.
   */
  async #buildTree(): Promise<void> {
    const { head, isEarlier, state } = this.#replica;
    if (isEarlier || this.#stop !== undefined) return;
    await this.#trees.build({ state, head, pause: () => this.#pause() });
  }

  #report(): void {
    const stored = this.#rows?.stored ?? { height: 0, timeMs: 0 };
    const { bytes = 0, rows = {} } = this.#retention?.stats ?? {};
    const { height } = this.#replica.head;
    const heldWhy = this.#rows?.heldWhy;
    const compared = this.#compared;
    this.#send({ type: 'progress', height, stored, compared, heldWhy, rows, bytes });
  }

  async #finish(): Promise<void> {
    do await this.#answer();
    while (!this.#isHurried && this.#questions.isReady(this.#readiness));
    await this.#write(() => true);
    const isCaughtUp = this.#stop?.catchesUp === true && this.#height >= this.#reach;
    if (this.#writesSnapshots && isCaughtUp) await this.#snapshot();
    this.#report();
    await this.#rows?.store.close();
  }
}

class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

type Hashes = Pick<BlockHead, 'hash' | 'stateHash'>;

/**
 * Returns the state hashes of two blocks if they differ, or their block hashes if those differ, or
 * undefined if both are equal.
 */
function differenceOf(
  own: Hashes,
  recorded: Hashes,
): { readonly own: string; readonly recorded: string } | undefined {
  if (own.stateHash !== recorded.stateHash) {
    return { own: own.stateHash, recorded: recorded.stateHash };
  }
  return own.hash === recorded.hash ? undefined : { own: own.hash, recorded: recorded.hash };
}

const TURN_MS = 5;

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

class TimeSlice {
  #sinceMs = performance.now();

  begin(): void {
    this.#sinceMs = performance.now();
  }

  get isOver(): boolean {
    return performance.now() - this.#sinceMs > TURN_MS;
  }
}

class WakeSignal {
  #isAwake = false;
  #wake: (() => void) | undefined;

  wake(): void {
    this.#isAwake = true;
    this.#wake?.();
  }

  /**
   * Resolves when woken or when the timeout ends; immediately, if it has been woken since the last
   * call.
   */
  async sleep(timeoutMs?: number): Promise<void> {
    if (!this.#isAwake) await this.#woken(timeoutMs);
    this.#isAwake = false;
  }

  /** Sleeps for the whole duration even if it is woken, unless `isUrgent` becomes true. */
  async calm(durationMs: number, isUrgent: () => boolean): Promise<void> {
    const untilMs = performance.now() + durationMs;
    for (let leftMs = durationMs; leftMs > 0 && !isUrgent(); leftMs = untilMs - performance.now()) {
      await this.#woken(leftMs);
    }
  }

  #woken(timeoutMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer =
        timeoutMs === undefined ? undefined : setTimeout(() => this.#wake?.(), timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

/** If the thread lags behind by more blocks than this, it replies without a tree. */
const TREE_WAIT_BLOCKS_MAX = 10_000;

/**
 * The requests for reserves trees. Each tree shows a single state, at or after the requested block.
 */
class TreeOrders {
  readonly #send: (report: IndexerReport) => void;
  readonly #folder: string;
  #orders: Question[] = [];
  #hasher: Promise<TreeHasher> | undefined;

  constructor(options: { readonly send: (report: IndexerReport) => void; readonly data: string }) {
    this.#send = options.send;
    this.#folder = treeFolder(options.data);
  }

  get hasOrders(): boolean {
    return this.#orders.length > 0;
  }

  take(order: Question, height: number): void {
    if (order.height - height <= TREE_WAIT_BLOCKS_MAX) this.#orders.push(order);
    else this.#send({ type: 'behind', id: order.id, asOf: { height, timeMs: 0 } });
  }

  isDue(height: number): boolean {
    return this.#orders.some((order) => order.height <= height);
  }

  /** Builds one tree for all due requests. The state must not change while it is being built. */
  async build(options: {
    readonly state: State;
    readonly head: { readonly height: number; readonly timeMs: number };
    readonly pause: () => Promise<void>;
  }): Promise<void> {
    const { height, timeMs } = options.head;
    const due = this.#orders.filter((order) => order.height <= height);
    if (due.length === 0) return;
    this.#orders = this.#orders.filter((order) => order.height > height);
    try {
      const hasher = await (this.#hasher ??= createTreeHasher());
      const secret = treeSecret(this.#folder);
      const answer = await buildTree({ ...options, height, secret, folder: this.#folder, hasher });
      for (const { id } of due) {
        this.#send({ type: 'answer', id, asOf: { height, timeMs }, answer, workMs: 0 });
      }
    } catch (error) {
      for (const { id } of due) this.#send({ type: 'failed', id, error });
    }
  }
}
