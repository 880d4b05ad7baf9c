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
/** Blocks are told together: what follows is behind by so much at most, and by more where nobody is told of rows. */
const TELL_EVERY_MS = 5;
const TELL_UNWATCHED_MS = 20;
/** A thread of rows that is so near to the head takes the snapshots too. */
const NEAR_BLOCKS = 100;
/** At the end the indexer catches up if it lacks fewer blocks than this, as far as there is time. */
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
 * The history as the main thread sees it. Threads of its own follow the log and do all the work: one by
 * rule, and a second one while rows that were lost are computed again.
 */
export class Indexer implements History {
  readonly #options: IndexerOptions;
  readonly #watchers: Watchers;
  readonly #questions: OpenQuestions;
  /** Writes the snapshots, and the rows unless another does. */
  #first: IndexerThread;
  #rows: IndexerThread;
  #head: BlockHead | undefined;
  #toldHeight = 0;
  /** Rows of blocks up to here are in the store or nowhere. */
  #seenFrom = 0;
  /** While a few rows are completed: they are there again with this block. */
  #completeAt = 0;
  #progress: Progress = NOTHING;
  #compared = 0;
  #telling: NodeJS.Timeout | undefined;
  #phase: IndexerPhase = 'opened';
  /** Why nothing can be asked any more. */
  #failure: unknown;

  private constructor(options: IndexerOptions) {
    this.#options = options;
    this.#questions = new OpenQuestions(() => this.asOf, options.answerMsMax);
    this.#first = this.#thread('both');
    this.#rows = this.#first;
    this.#watchers = new Watchers((order) => this.#rows.order(order));
  }

  /** Opens the store; nothing is read from the log yet. */
  static async open(options: IndexerOptions): Promise<Indexer> {
    const indexer = new Indexer(options);
    const { height } = await indexer.#first.opened;
    indexer.#progress = { ...NOTHING, height, stored: { height, timeMs: 0 } };
    return indexer;
  }

  /**
   * Looks whether the store is of a log that was replayed: one in a file that is not is set aside, one on
   * a server is refused. Returns how far it goes then.
   */
  async verify(firstSeq: number, replica: Pick<Replica, 'head' | 'headAt'>): Promise<number> {
    const commonHeight = Math.min(this.storedHeight, replica.head.height);
    const common = replica.headAt(commonHeight);
    const head = common && { height: common.height, hash: common.hash };
    const { height } = await this.#first.request('verify', { firstSeq, head });
    this.#change('verified');
    if (height !== this.storedHeight) {
      this.#progress = NOTHING;
      // The replay has left out what the store seemed to have.
      this.#seenFrom = commonHeight;
    }
    return height;
  }

  /**
   * Begins to follow the log, which is known to reach up to a block. What happened behind another the
   * main thread has seen by itself. It can be asked at once, and resolves when it follows.
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
      // Unless that was told before, as damage.
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

  /** True while rows that were lost are computed again, by a thread that is far behind or has failed. */
  get isRebuilding(): boolean {
    return this.#rows !== this.#first;
  }

  /** True while the server that has the rows can't be reached: what is not stored yet is in the log. */
  get isAway(): boolean {
    return this.#options.settings.database !== undefined && this.#progress.heldWhy !== undefined;
  }

  /** True when rows that were lost can't be computed: until the next start there is no history. */
  get isLost(): boolean {
    return this.#phase === 'lost';
  }

  /** What happened up to here nobody but the store can know. */
  get seenFrom(): number {
    return this.#seenFrom;
  }

  /** Why queries of the past can't be answered now, for whoever operates the venue. */
  get trouble(): string | undefined {
    const { heldWhy } = this.#progress;
    if (this.isLost)
      return 'the history cannot be recomputed; see the log of the venue, then restart it';
    if (this.isAway) return `the history database is unavailable: ${heldWhy}`;
    if (this.#questions.isSilent) return 'the history database does not answer';
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
      /** Questions since the start, and those that are not answered yet. */
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
      // What is asked for may be told with it only: a question is not told before its block.
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

  /** Writes a snapshot of this moment, and resolves with the block that the newest one is of. */
  async snapshot(): Promise<number> {
    this.#tellHead();
    return (await this.#first.request('writeSnapshot', {})).height;
  }

  /** Of the replicas that share the database this one writes from now on, in a term; undefined: no longer. */
  lead(term: number | undefined): void {
    this.#first.order({ type: 'lead', term });
  }

  /** Comes to an end: with rows and a snapshot of everything, where that is near. */
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

  /** Ends at once, as a crash would: what is not written yet is in the log. */
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

  /** The rows are there again: who has made them does everything from now on. */
  #takeOver(thread: IndexerThread): void {
    this.#change('rebuilt');
    const before = this.#first;
    this.#first = thread;
    thread.order({ type: 'takeSnapshots' });
    const head = present(this.#head, 'the head of a log that is followed');
    before.stop(head, false).catch(this.#options.onFatal);
    this.#options.onRebuilt?.(thread.height);
  }

  /** Rows begin anew on a thread of their own; questions and watches go there. */
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
    // Rows that are computed again need everything from the first block on.
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
      // Before the start whoever waits for it is told.
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

  /** False when it can't be any more, or is so already: then nothing has to be done about it. */
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
