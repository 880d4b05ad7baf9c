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

/** How long a question waits for its block. */
export const BLOCK_WAIT_MS = 5_000;
/** Blocks are announced together, with at most this delay; the delay is longer without watchers. */
const TELL_EVERY_MS = 5;
const TELL_UNWATCHED_MS = 20;
/** A thread of rows that is this close to the head takes over the snapshots. */
const NEAR_BLOCKS = 100;
/** A stop waits for the indexer if it lacks fewer blocks than this. */
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
 * The history as seen by the main thread. Other threads follow the log and do all the work: usually one, and a second
 * one while lost rows are recomputed.
 */
export class Indexer implements History {
  readonly #options: IndexerOptions;
  readonly #watchers: Watchers;
  readonly #questions: OpenQuestions;
  /** Writes the snapshots, and the rows unless another thread does. */
  #first: IndexerThread;
  #rows: IndexerThread;
  #head: BlockHead | undefined;
  #toldHeight = 0;
  /** Rows of blocks up to here are only in the store. */
  #seenFrom = 0;
  /** While a few rows are completed, the height at which all are stored. */
  #completeAt = 0;
  #progress: Progress = NOTHING;
  #compared = 0;
  #telling: NodeJS.Timeout | undefined;
  #phase: IndexerPhase = 'opened';
  /** The reason why questions can no longer be answered. */
  #failure: unknown;

  private constructor(options: IndexerOptions) {
    this.#options = options;
    this.#questions = new OpenQuestions(() => this.asOf, options.answerMsMax);
    this.#first = this.#thread('both');
    this.#rows = this.#first;
    this.#watchers = new Watchers((order) => this.#rows.order(order));
  }

  /** Opens the store; the log is not read yet. */
  static async open(options: IndexerOptions): Promise<Indexer> {
    const indexer = new Indexer(options);
    const { height } = await indexer.#first.opened;
    indexer.#progress = { ...NOTHING, height, stored: { height, timeMs: 0 } };
    return indexer;
  }

  /**
   * Checks whether the store belongs to the replayed log: a file of another log is set aside, a server is rejected.
   * Returns the stored height.
   */
  async verify(firstSeq: number, replica: Pick<Replica, 'head' | 'headAt'>): Promise<number> {
    const commonHeight = Math.min(this.storedHeight, replica.head.height);
    const common = replica.headAt(commonHeight);
    const head = common && { height: common.height, hash: common.hash };
    const { height } = await this.#first.request('verify', { firstSeq, head });
    this.#change('verified');
    if (height !== this.storedHeight) {
      this.#progress = NOTHING;
      // The replay has skipped blocks that the store seemed to have.
      this.#seenFrom = commonHeight;
    }
    return height;
  }

  /**
   * Starts to follow the log up to a known block. The main thread has seen all blocks after `seenFrom`. Questions are
   * accepted at once; the promise resolves when the indexer follows.
   */
  async start(
    { hash, height, stateHash, timeMs }: BlockHead,
    { seenFrom }: { readonly seenFrom: number },
  ): Promise<void> {
    this.#seenFrom = Math.max(this.#seenFrom, seenFrom);
    const head = { height, timeMs, hash, stateHash };
    this.#head = head;
    this.#toldHeight = height;
    const hasRoom = this.#options.hasRoom();
    const { from, hasRows } = await this.#first.request('start', { head, hasRoom });
    if (!hasRows) {
      // If damage was reported before, the rebuild has already started.
      if (this.#change('lacks many')) this.#rebuild();
    } else if (this.stats.missing === 0) this.#change('follows');
    else if (this.#change('lacks a few')) {
      this.#completeAt = height;
      this.#options.onRebuild?.({ from, until: height });
    }
  }

  /** A block is durable and applied. */
  follow({ hash, height, stateHash, timeMs }: BlockHead): void {
    this.#head = { height, timeMs, hash, stateHash };
    const waitMs = this.#watchers.isEmpty ? TELL_UNWATCHED_MS : TELL_EVERY_MS;
    this.#telling ??= setTimeout(() => this.#tellHead(), waitMs);
  }

  get asOf(): AsOf {
    return this.#progress.stored;
  }

  /** Rows up to here are stored. */
  get storedHeight(): number {
    return this.#progress.stored.height;
  }

  /** True while lost rows are recomputed by a thread that is far behind or has failed. */
  get isRebuilding(): boolean {
    return this.#rows !== this.#first;
  }

  /** True while the database server is unreachable; rows that are not stored yet are in the log. */
  get isAway(): boolean {
    return this.#options.settings.database !== undefined && this.#progress.heldWhy !== undefined;
  }

  /** True if lost rows cannot be recomputed: there is no history until the next start. */
  get isLost(): boolean {
    return this.#phase === 'lost';
  }

  /** Only the store knows the blocks up to this height. */
  get seenFrom(): number {
    return this.#seenFrom;
  }

  /** The reason why queries of the past cannot be answered now, for the operator. */
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
      /** Questions since the start, and open ones. */
      asked: this.#questions.asked,
      waiting: this.#questions.size,
      rows,
      bytes,
    };
  }

  ask<Topic extends HistoryTopic>(
    topic: Topic,
    question: Ask<Topic>,
    { asker, minHeight }: AskOptions = {},
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
        waitMs: BLOCK_WAIT_MS,
        client: asker?.client ?? '',
        patienceMs: this.#questions.answerMsMax,
      };
      this.#questions.add({ question: asked as never, resolve, reject, spend: asker?.spend });
      // A question may need the newest block, so its height is announced first.
      this.#tellHead();
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

  /** Writes a snapshot of this moment, and resolves with the height of the newest one. */
  async snapshot(): Promise<number> {
    this.#tellHead();
    return (await this.#first.request('writeSnapshot', {})).height;
  }

  /** This replica starts to write to the shared database, in a term; undefined: it stops. */
  lead(term: number | undefined): void {
    this.#first.order({ type: 'lead', term });
  }

  /** Ends the indexer, after rows and a snapshot of all blocks if that is near. */
  async stop(): Promise<void> {
    if (this.#phase === 'ended') return;
    this.#change('ends');
    clearTimeout(this.#telling);
    const head = this.#head;
    if (head === undefined) return this.terminate();
    const stopped = [...new Set([this.#first, this.#rows])].map((thread) => {
      const isNear = head.height - thread.height <= CATCH_UP_MAX;
      return thread.stop(head, isNear && thread === this.#first);
    });
    await Promise.all(stopped);
    this.#fail(new Error('the venue is stopping'));
  }

  /** Ends at once, as a crash would; rows that are not written yet are in the log. */
  async terminate(): Promise<void> {
    this.#change('ends');
    clearTimeout(this.#telling);
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

  #tellHead(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const head = this.#head;
    if (head === undefined || head.height === this.#toldHeight) return;
    this.#toldHeight = head.height;
    const order = { type: 'durable', head, hasRoom: this.#options.hasRoom() } as const;
    for (const thread of new Set([this.#first, this.#rows])) thread.order(order);
  }

  #receive(report: IndexerReport, thread: IndexerThread): void {
    switch (report.type) {
      case 'progress':
        return this.#advance(report, thread);
      case 'rows':
        return thread === this.#rows ? this.#watchers.tell(report) : undefined;
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
    this.#questions.heard();
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

  /** The rows are complete: the thread that computed them takes over all work. */
  #takeOver(thread: IndexerThread): void {
    this.#change('rebuilt');
    const before = this.#first;
    this.#first = thread;
    thread.order({ type: 'takeSnapshots' });
    const head = present(this.#head, 'the head of a log that is followed');
    before.stop(head, false).catch(this.#options.onFatal);
    this.#options.onRebuilt?.(thread.height);
  }

  /** Another thread computes all rows, and answers questions and watches. */
  #rebuild(): void {
    const head = present(this.#head, 'the head of a log that is followed');
    const thread = this.#thread('rows');
    this.#rows = thread;
    const started = thread.request('start', { head, hasRoom: this.#options.hasRoom() });
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
    // Recomputed rows need the log starting with the first block.
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
      // Before the start, the caller receives the error.
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

  /** False if the change is impossible or has already happened, so that nothing must be done. */
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
