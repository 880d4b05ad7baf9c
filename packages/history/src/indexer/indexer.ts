import type { Address } from '@oddlot/units';
import { present } from '@oddlot/units';
import type { BlockHead } from '@oddlot/replica/block';
import { type Replica, ReplicaDivergedError } from '@oddlot/replica/replica';
import {
  type Answer,
  type Ask,
  type AskOptions,
  type AsOf,
  type History,
  HistoryAwayError,
  HistoryBehindError,
  type HistoryTopic,
  type WatchedTable,
  type Watcher,
} from '../history.ts';
import type { IndexerReport, IndexerSettings, Progress, Question } from './indexer-messages.ts';
import {
  type IndexerChange,
  type IndexerOptions,
  type IndexerPhase,
  IndexerThread,
  phaseAfter,
} from './indexer-thread.ts';
import { OpenQuestions, Watchers } from './open-questions.ts';

export const BLOCK_WAIT_MS = 5_000;
/**
 * The maximum delay before new blocks are announced to the indexer together, in milliseconds. It is
 * longer if there are no watchers.
 */
const SEND_EVERY_MS = 5;
const SEND_UNWATCHED_MS = 20;
/** A thread that recomputes rows takes over the snapshots when it is this close to the head. */
const NEAR_BLOCKS = 100;
/** A shutdown waits for the indexer only if fewer blocks than this are missing. */
const CATCH_UP_MAX = 20_000;

const NOTHING: Progress = {
  type: 'progress',
  height: 0,
  stored: { height: 0, timeMs: 0 },
  compared: 0,
  heldWhy: undefined,
  rows: {},
  bytes: 0,
};

/**
 * The main-thread side of the history. Other threads follow the log and do all the work: usually
 * one thread, and a second one while lost rows are recomputed.
 */
export class Indexer implements History {
  readonly #options: IndexerOptions;
  readonly #watchers: Watchers;
  readonly #questions: OpenQuestions;
  /**
   * The thread that writes the snapshots, and also the rows unless `#rows` is a different thread.
   */
  #first: IndexerThread;
  #rows: IndexerThread;
  #head: BlockHead | undefined;
  #sentHeight = 0;
  /** The height up to which blocks are only in the store. */
  #seenFrom = 0;
  /** The height at which all of the few missing rows will be stored. */
  #completeAt = 0;
  #progress: Progress = NOTHING;
  #compared = 0;
  #sendTimer: NodeJS.Timeout | undefined;
  #phase: IndexerPhase = 'opened';
  #failure: unknown;

  private constructor(options: IndexerOptions) {
    this.#options = options;
    this.#questions = new OpenQuestions(() => this.asOf, options.answerMsMax);
    this.#first = this.#thread('both');
    this.#rows = this.#first;
    this.#watchers = new Watchers((order) => this.#rows.order(order));
  }

  /** Opens the store without reading the log. */
  static async open(options: IndexerOptions): Promise<Indexer> {
    const indexer = new Indexer(options);
    const { height } = await indexer.#first.opened;
    indexer.#progress = { ...NOTHING, height, stored: { height, timeMs: 0 } };
    return indexer;
  }

  /**
   * Checks that the store belongs to the replayed log, and returns the stored height. A file that
   * belongs to another log is moved out of the way; a database that belongs to another log is
   * rejected.
   */
  async verify(firstSeq: number, replica: Pick<Replica, 'head' | 'headAt'>): Promise<number> {
    const commonHeight = Math.min(this.storedHeight, replica.head.height);
    const common = replica.headAt(commonHeight);
    const head = common && { height: common.height, hash: common.hash };
    const { height } = await this.#first.request('verify', { firstSeq, head });
    this.#change('verified');
    if (height !== this.storedHeight) {
      this.#progress = NOTHING;
      // The replay skipped blocks because the store seemed to contain them.
      this.#seenFrom = commonHeight;
    }
    return height;
  }

  /**
   * Starts to follow the log up to a known block. The main thread has seen all blocks after
   * `seenFrom`. Queries are accepted immediately; the promise resolves once the indexer is
   * following the log.
   */
  async start(
    { hash, height, stateHash, timeMs }: BlockHead,
    { seenFrom }: { readonly seenFrom: number },
  ): Promise<void> {
    this.#seenFrom = Math.max(this.#seenFrom, seenFrom);
    const head = { height, timeMs, hash, stateHash };
    this.#head = head;
    this.#sentHeight = height;
    const hasSpace = this.#options.hasSpace();
    const { from, hasRows } = await this.#first.request('start', { head, hasSpace });
    if (!hasRows) {
      // If damage has already been reported, the rebuild has already started.
      if (this.#change('lacks many')) this.#rebuild();
    } else if (this.stats.missing === 0) this.#change('follows');
    else if (this.#change('lacks a few')) {
      this.#completeAt = height;
      this.#options.onRebuild?.({ from, until: height });
    }
  }

  follow({ hash, height, stateHash, timeMs }: BlockHead): void {
    this.#head = { height, timeMs, hash, stateHash };
    const waitMs = this.#watchers.isEmpty ? SEND_UNWATCHED_MS : SEND_EVERY_MS;
    this.#sendTimer ??= setTimeout(() => this.#sendHead(), waitMs);
  }

  get asOf(): AsOf {
    return this.#progress.stored;
  }

  get storedHeight(): number {
    return this.#progress.stored.height;
  }

  /** True while a second thread recomputes lost rows, or after that thread failed. */
  get isRebuilding(): boolean {
    return this.#rows !== this.#first;
  }

  /**
   * True while the database server is unreachable. Rows that are not stored yet can be recomputed
   * from the log.
   */
  get isAway(): boolean {
    return this.#options.settings.database !== undefined && this.#progress.heldWhy !== undefined;
  }

  /** True if the history failed and will be unavailable until the next startup. */
  get isLost(): boolean {
    return this.#phase === 'lost';
  }

  /** The height up to which blocks are only in the store. */
  get seenFrom(): number {
    return this.#seenFrom;
  }

  /** The reason why historical queries cannot be served, as shown to the operator. */
  get trouble(): string | undefined {
    const { heldWhy } = this.#progress;
    if (this.isLost)
      return "the history cannot be recomputed. See the venue's log output, then restart the venue";
    if (this.isAway) return `the history database is unavailable: ${heldWhy}`;
    if (this.#questions.isSilent) return 'the history database is not responding';
    if (!this.isRebuilding && this.stats.missing === 0) return undefined;
    return `the history is being recomputed from the log and has reached block ${this.storedHeight}`;
  }

  get stats() {
    const { bytes, height, rows } = this.#progress;
    const lag = Math.max(0, (this.#head?.height ?? 0) - height);
    return {
      height: this.storedHeight,
      lag,
      missing: Math.max(0, this.#seenFrom - this.storedHeight),
      compared: this.#compared,
      /** The number of queries since the start; `waiting` is the number of open ones. */
      asked: this.#questions.asked,
      waiting: this.#questions.size,
      rows,
      bytes,
    };
  }

  ask<Topic extends HistoryTopic>(
    topic: Topic,
    question: Ask<Topic>,
    { requester, minHeight }: AskOptions = {},
  ): Promise<{ readonly asOf: AsOf; readonly answer: Answer<Topic> }> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      const asked: Question<Topic> = {
        type: 'ask',
        id: this.#questions.nextId(),
        topic,
        question,
        height: minHeight ?? this.#head?.height ?? 0,
        waitMs: this.#options.blockWaitMs ?? BLOCK_WAIT_MS,
        client: requester?.client ?? '',
        patienceMs: this.#questions.answerMsMax,
      };
      this.#questions.add({ question: asked as never, resolve, reject, spend: requester?.spend });
      // A query may need the newest block, so the block is announced first.
      this.#sendHead();
      this.#rows.order(asked as never);
    });
  }

  watch<Table extends WatchedTable>(
    user: Address,
    table: Table,
    watcher: Watcher<Table>,
  ): () => void {
    return this.#watchers.add(user, table, watcher);
  }

  /**
   * Writes a snapshot of the current block, and resolves with the height of the newest snapshot.
   */
  async snapshot(): Promise<number> {
    this.#sendHead();
    return (await this.#first.request('writeSnapshot', {})).height;
  }

  /**
   * Sets the term in which this replica writes to the shared database; undefined if it is to stop
   * writing.
   */
  lead(term: number | undefined): void {
    this.#first.order({ type: 'lead', term });
  }

  /**
   * Ends the indexer. If it is close to the head, it first writes the remaining rows and a
   * snapshot.
   */
  async stop(): Promise<void> {
    if (this.#phase === 'ended') return;
    this.#change('ends');
    clearTimeout(this.#sendTimer);
    const head = this.#head;
    if (head === undefined) return this.terminate();
    const stopped = [...new Set([this.#first, this.#rows])].map((thread) => {
      const isNear = head.height - thread.height <= CATCH_UP_MAX;
      return thread.stop(head, isNear && thread === this.#first);
    });
    await Promise.all(stopped);
    this.#fail(new Error('the venue is stopping'));
  }

  /**
   * Ends the indexer without writing anything, as a crash would. Unwritten rows are recomputed from
   * the log.
   */
  async terminate(): Promise<void> {
    this.#change('ends');
    clearTimeout(this.#sendTimer);
    await Promise.all([this.#first.terminate(), this.#rows.terminate()]);
    this.#fail(new Error('the venue has stopped'));
  }

  #thread(role: IndexerSettings['role']): IndexerThread {
    const thread: IndexerThread = new IndexerThread(
      { ...this.#options.settings, role },
      {
        onReport: (report) => this.#receive(report, thread),
        onLost: (error) => this.#lose(error, thread),
      },
      this.#options.startIndexer,
    );
    return thread;
  }

  #sendHead(): void {
    clearTimeout(this.#sendTimer);
    this.#sendTimer = undefined;
    const head = this.#head;
    if (head === undefined || head.height === this.#sentHeight) return;
    this.#sentHeight = head.height;
    const order = { type: 'durable', head, hasSpace: this.#options.hasSpace() } as const;
    for (const thread of new Set([this.#first, this.#rows])) thread.order(order);
  }

  #receive(report: IndexerReport, thread: IndexerThread): void {
    switch (report.type) {
      case 'progress':
        return this.#advance(report, thread);
      case 'rows':
        return thread === this.#rows ? this.#watchers.report(report) : undefined;
      case 'answer': {
        const open = this.#questions.settle(report.id);
        open?.spend?.(report.workMs);
        return open?.resolve(report as never);
      }
      case 'behind': {
        const open = this.#questions.settle(report.id);
        return open?.reject(new HistoryBehindError(report.asOf, open.question.height));
      }
      case 'away':
        return this.#questions
          .settle(report.id)
          ?.reject(new HistoryAwayError(report.why, this.asOf));
      case 'failed':
        return this.#questions.settle(report.id)?.reject(report.error);
      case 'snapshot':
        return this.#onSnapshot(report);
      case 'snapshotFailed':
        return this.#options.onSnapshotFailed?.(report.error);
      case 'damaged':
        return this.#onDamaged(report, thread);
      case 'diverged':
        return this.#options.onFatal(
          new ReplicaDivergedError(
            report.height,
            report.own,
            report.recorded,
            'the main thread has',
          ),
        );
      case 'passedOver':
        return this.#options.onPassedOver?.(report.what, report.why);
      default:
        return undefined;
    }
  }

  #advance(progress: Progress, thread: IndexerThread): void {
    if (thread === this.#first) this.#compared = progress.compared;
    if (thread !== this.#rows) return;
    const wasAway = this.isAway;
    this.#progress = progress;
    this.#questions.recordMessage();
    if (this.isAway && !wasAway) this.#options.onAway?.(progress.heldWhy ?? '');
    if (!this.isAway && wasAway) this.#options.onBack?.(progress.stored.height);
    this.#options.onStored?.(progress.stored.height);
    const { height } = progress.stored;
    if (this.#phase === 'completing' && height >= this.#completeAt) {
      this.#change('rebuilt');
      this.#options.onRebuilt?.(height);
    }
    const isNear = (this.#head?.height ?? 0) - progress.height <= NEAR_BLOCKS;
    if (this.#phase === 'rebuilding' && isNear) this.#takeOver(thread);
  }

  #takeOver(thread: IndexerThread): void {
    this.#change('rebuilt');
    const before = this.#first;
    this.#first = thread;
    thread.order({ type: 'takeSnapshots' });
    const head = present(this.#head, 'the head of a log that is followed');
    before.stop(head, false).catch(this.#options.onFatal);
    this.#options.onRebuilt?.(thread.height);
  }

  #rebuild(): void {
    const head = present(this.#head, 'the head of a log that is followed');
    const thread = this.#thread('rows');
    this.#rows = thread;
    const started = thread.request('start', { head, hasSpace: this.#options.hasSpace() });
    this.#watchers.repeat();
    for (const question of this.#questions.all()) thread.order(question);
    const reported = started.then(({ from }) =>
      this.#options.onRebuild?.({ from, until: head.height }),
    );
    reported.catch(() => undefined);
  }

  #onSnapshot({
    content,
    height,
    oldest,
    seconds,
  }: Extract<IndexerReport, { type: 'snapshot' }>): void {
    // Recomputing the rows requires the log from the first block.
    const stored = this.isRebuilding ? 0 : this.storedHeight;
    const neededFrom = Math.min(oldest, stored) + 1;
    this.#options.onSnapshot?.({ height, content, seconds, neededFrom });
  }

  #onDamaged(
    damage: {
      readonly why: string;
      readonly movedTo: string | undefined;
      readonly isMended: boolean;
    },
    thread: IndexerThread,
  ): void {
    const { movedTo, why } = damage;
    this.#options.onDamaged?.({ why, movedTo });
    if (damage.isMended || thread !== this.#rows || !this.#change('damaged')) return;
    this.#seenFrom = Math.max(this.#seenFrom, this.storedHeight);
    this.#progress = NOTHING;
    if (thread !== this.#first) {
      const head = present(this.#head, 'the head of a log that is followed');
      thread.stop(head, false).catch(this.#options.onFatal);
    }
    this.#rebuild();
  }

  #lose(error: Error, thread: IndexerThread): void {
    if (this.#phase === 'ended') return;
    if (thread === this.#first) {
      this.#fail(error);
      // The error is passed to the caller of `open` or `verify`.
      if (this.#head === undefined) return;
      this.#change('lost');
      const stands = `the history indexer stopped: ${error.message}`;
      this.#options.onFatal(new Error(stands, { cause: error }));
    } else if (thread === this.#rows && this.#change('lost')) {
      const why = `the history cannot be recomputed: ${error.message}`;
      this.#fail(new HistoryAwayError(why, this.asOf));
      this.#options.onRebuildFailed?.(error);
    }
  }

  /**
   * Returns false if the change is impossible in this phase or has already happened; the caller
   * then does nothing.
   */
  #change(change: IndexerChange): boolean {
    const next = phaseAfter(this.#phase, change);
    if (next === undefined) return false;
    this.#phase = next;
    return true;
  }

  #fail(error: unknown): void {
    this.#failure = error;
    this.#questions.rejectAll(error);
    this.#first.abandon(error);
  }
}
