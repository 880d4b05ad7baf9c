import {
  type AsOf,
  HistoryAwayError,
  type WatchedRows,
  type WatchedTable,
  type Watcher,
} from '../history.ts';
import type { IndexerOrder, IndexerReport, Question } from './indexer-messages.ts';
import type { Address } from '@oddlot/units';

/** A pending query fails after this many milliseconds, because its store is probably hanging. */
const ANSWER_MS_MAX = 8_000;

type OpenQuestion = {
  readonly question: Question;
  readonly resolve: (answered: { readonly asOf: AsOf; readonly answer: never }) => void;
  readonly reject: (error: unknown) => void;
  readonly spend: ((ms: number) => void) | undefined;
  readonly askedMs: number;
};

/**
 * The pending queries in the order they were made. Each has a timeout, because a database server
 * can stop responding even if it is reachable.
 */
export class OpenQuestions {
  readonly #asOf: () => AsOf;
  readonly #answerMsMax: number;
  readonly #open = new Map<number, OpenQuestion>();
  #timer: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isSilent = false;
  #messageMs = 0;

  constructor(asOf: () => AsOf, answerMsMax = ANSWER_MS_MAX) {
    this.#asOf = asOf;
    this.#answerMsMax = answerMsMax;
  }

  get asked(): number {
    return this.#nextId - 1;
  }

  get size(): number {
    return this.#open.size;
  }

  /** True if the store did not respond before the last timeout. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  get answerMsMax(): number {
    return this.#answerMsMax;
  }

  nextId(): number {
    this.#nextId += 1;
    return this.#nextId - 1;
  }

  add(open: Omit<OpenQuestion, 'askedMs'>): void {
    this.#open.set(open.question.id, { ...open, askedMs: performance.now() });
    this.#watch();
  }

  settle(id: number): OpenQuestion | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    this.recordMessage();
    return open;
  }

  /** Records that the indexer thread has sent a message. */
  recordMessage(): void {
    this.#messageMs = performance.now();
    this.#isSilent = false;
  }

  *all(): Iterable<Question> {
    for (const { question } of this.#open.values()) yield question;
  }

  rejectAll(error: unknown): void {
    clearTimeout(this.#timer);
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  /** Sets one timer for the oldest query; all queries have the same timeout. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    const first = this.#waiting().next().value;
    if (first === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#giveUp();
        this.#watch();
      },
      Math.max(1, first.askedMs + this.#answerMsMax - performance.now()),
    );
    this.#timer.unref();
  }

  #giveUp(): void {
    const nowMs = performance.now();
    for (const { askedMs, question, reject } of this.#waiting()) {
      if (askedMs + this.#answerMsMax > nowMs) return;
      this.#open.delete(question.id);
      // A store that has responded to other queries since is busy, not silent.
      this.#isSilent = this.#messageMs < askedMs;
      reject(new HistoryAwayError('the history is not responding', this.#asOf()));
    }
  }

  /**
   * Reserves trees are excluded, because building them can take a long time and their caller has
   * its own timeout.
   */
  *#waiting(): Generator<OpenQuestion> {
    for (const open of this.#open.values()) if (open.question.topic !== 'reserves') yield open;
  }
}

type Rows = Extract<IndexerReport, { type: 'rows' }>;
type AnyWatcher = {
  onRows(height: number, rows: WatchedRows[WatchedTable]): void;
};
type Watched = {
  readonly user: Address;
  readonly table: WatchedTable;
  readonly watchers: Set<AnyWatcher>;
};

/**
 * The subscribers to new rows. The indexer thread reports rows only of accounts with a subscriber.
 */
export class Watchers {
  readonly #order: (order: IndexerOrder) => void;
  readonly #watched = new Map<string, Watched>();

  constructor(order: (order: IndexerOrder) => void) {
    this.#order = order;
  }

  get isEmpty(): boolean {
    return this.#watched.size === 0;
  }

  add<Table extends WatchedTable>(
    user: Address,
    table: Table,
    watcher: Watcher<Table>,
  ): () => void {
    const key = keyOf(user, table);
    const watched = this.#watched.get(key) ?? { user, table, watchers: new Set() };
    if (watched.watchers.size === 0) {
      this.#watched.set(key, watched);
      this.#order({ type: 'watch', user, table });
    }
    // A restarted thread reports old rows again, but a watcher must receive each block only once.
    let reportedHeight = 0;
    const uniqueWatcher: AnyWatcher = {
      onRows: (height, rows) => {
        if (height <= reportedHeight) return;
        reportedHeight = height;
        watcher.onRows(height, rows as WatchedRows[Table]);
      },
    };
    watched.watchers.add(uniqueWatcher);
    return () => {
      if (!watched.watchers.delete(uniqueWatcher) || watched.watchers.size > 0) return;
      this.#watched.delete(key);
      this.#order({ type: 'unwatch', user, table });
    };
  }

  repeat(): void {
    for (const { table, user } of this.#watched.values()) {
      this.#order({ type: 'watch', user, table });
    }
  }

  report({ height, rows, table, user }: Rows): void {
    for (const watcher of this.#watched.get(keyOf(user, table))?.watchers ?? []) {
      watcher.onRows(height, rows);
    }
  }
}

function keyOf(user: Address, table: WatchedTable): string {
  return `${table} ${user}`;
}
