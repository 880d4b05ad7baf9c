import {
  type AsOf,
  HistoryAwayError,
  type WatchedRows,
  type WatchedTable,
  type Watcher,
} from '../history.ts';
import type { IndexerOrder, IndexerReport, Question } from './indexer-messages.ts';
import type { Address } from '@oddlot/units';

/** A question that is answered by nobody is given up after so long: its store hangs. */
const ANSWER_MS_MAX = 8_000;

type OpenQuestion = {
  readonly question: Question;
  readonly resolve: (answered: { readonly asOf: AsOf; readonly answer: never }) => void;
  readonly reject: (error: unknown) => void;
  /** Told what the answer took of the thread that found it. */
  readonly spend: ((ms: number) => void) | undefined;
  readonly askedMs: number;
};

/**
 * The questions that are not answered yet, in the order in which they were asked. Whoever asked waits for a
 * bounded time, whatever the thread waits for that should answer: a server can be silent without being away.
 */
export class OpenQuestions {
  readonly #asOf: () => AsOf;
  readonly #answerMsMax: number;
  readonly #open = new Map<number, OpenQuestion>();
  #timer: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isSilent = false;
  #heardMs = 0;

  constructor(asOf: () => AsOf, answerMsMax = ANSWER_MS_MAX) {
    this.#asOf = asOf;
    this.#answerMsMax = answerMsMax;
  }

  /** Questions since the start. */
  get asked(): number {
    return this.#nextId - 1;
  }

  get size(): number {
    return this.#open.size;
  }

  /** True when the last thing that was heard of the store is that it did not answer. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** How long who asks waits for an answer. */
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

  /** Takes a question whose answer has come. */
  settle(id: number): OpenQuestion | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    this.heard();
    return open;
  }

  /** Whoever should answer has said something. */
  heard(): void {
    this.#heardMs = performance.now();
    this.#isSilent = false;
  }

  /** To be asked of another thread. */
  *all(): Iterable<Question> {
    for (const { question } of this.#open.values()) yield question;
  }

  rejectAll(error: unknown): void {
    clearTimeout(this.#timer);
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  /** All have the same patience, so that the first is the first whose patience ends. */
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
    // Who has nothing else to do need not stay for it.
    this.#timer.unref();
  }

  #giveUp(): void {
    const nowMs = performance.now();
    for (const { askedMs, question, reject } of this.#waiting()) {
      if (askedMs + this.#answerMsMax > nowMs) return;
      this.#open.delete(question.id);
      // A store that has answered others meanwhile is busy, not silent.
      this.#isSilent = this.#heardMs < askedMs;
      reject(new HistoryAwayError('the history does not answer', this.#asOf()));
    }
  }

  /** A tree over all accounts takes as long as it takes, and who wants it has a patience of its own. */
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

/** Who is told of rows as they are made. The thread that makes them knows only whose rows it should tell. */
export class Watchers {
  readonly #order: (order: IndexerOrder) => void;
  readonly #watched = new Map<string, Watched>();

  constructor(order: (order: IndexerOrder) => void) {
    this.#order = order;
  }

  /** True when nobody is told. */
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
    // A thread that begins anew tells old rows again: each watcher is told of a block once.
    let toldHeight = 0;
    const told: AnyWatcher = {
      onRows: (height, rows) => {
        if (height <= toldHeight) return;
        toldHeight = height;
        watcher.onRows(height, rows as WatchedRows[Table]);
      },
    };
    watched.watchers.add(told);
    return () => {
      if (!watched.watchers.delete(told) || watched.watchers.size > 0) return;
      this.#watched.delete(key);
      this.#order({ type: 'unwatch', user, table });
    };
  }

  /** Says it all again, to another thread. */
  repeat(): void {
    for (const { table, user } of this.#watched.values()) {
      this.#order({ type: 'watch', user, table });
    }
  }

  tell({ height, rows, table, user }: Rows): void {
    for (const watcher of this.#watched.get(keyOf(user, table))?.watchers ?? []) {
      watcher.onRows(height, rows);
    }
  }
}

function keyOf(user: Address, table: WatchedTable): string {
  return `${table} ${user}`;
}
