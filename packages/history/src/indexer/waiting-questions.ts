import { ClientTurns, NO_PACE, type Turn } from '@oddlot/host/client-turns';
import type { Address } from '@oddlot/units';
import type {
  AccountSums,
  Answer,
  Ask,
  AsOf,
  HistoryTopic,
  SinceAnswer,
  StoreTopic,
} from '../history.ts';
import { accountGains, type GainSources } from '../portfolio.ts';
import type { LiveRows } from '../rows/block-rows.ts';
import { HistoryDamagedError, HistoryFullError, HistoryMovedError } from '../store/store-errors.ts';
import type { IndexerReport, IndexerSettings, Question } from './indexer-messages.ts';
import type { RowBuffer } from './row-buffer.ts';

/**
 * If the history lags behind by more blocks than this, it is being recomputed, and queries do not
 * wait for it.
 */
const BLOCKS_WAITED_MAX = 10_000;

/**
 * A client's pace, in milliseconds of the indexer thread's time. Clients above it are served after
 * all others, but still get a tenth of the time.
 */
export const HISTORY_PACE = { perSecond: 25, burst: 150 };
const SPARED_FACTOR = 9;
/**
 * A query cannot be interrupted, so one that takes longer than this delays other clients. Long
 * queries of clients above their pace get at most a tenth of the time, even if the thread is
 * otherwise idle.
 */
export const LONG_MS = 10;
/**
 * The maximum charge for one query to a database server, in milliseconds. The charge is the time
 * for which the query occupies the only connection, but the client is not at fault if the server
 * stalls.
 */
export const SERVER_MS_MAX = 100;

type Waiting = {
  readonly asked: Question;
  readonly untilMs: number;
  readonly lostMs: number;
};

type DueQuestion = Turn<Waiting>;

export type Readiness = {
  /** The highest block that a query can require and still be served. */
  readonly answerableHeight: number;
  /**
   * True while the rows and the state briefly have different heights, so that current data cannot
   * be returned.
   */
  readonly isApart: boolean;
};

type WaitingQuestionsOptions = {
  readonly settings: Pick<IndexerSettings, 'database' | 'limits'>;
  readonly send: (report: IndexerReport) => void;
  /** Returns the current totals of an account, which are known only to the indexer. */
  readonly sums: (user: Address) => AccountSums | null;
  readonly users: GainSources['users'];
  /** Returns the live orders, which are not stored; undefined if there is no state. */
  readonly live: () => LiveRows | undefined;
  /** Returns rows of the newest blocks as first reported, or undefined if older rows are needed. */
  readonly recent: (ask: Ask<'since'>) => SinceAnswer | undefined;
};

export class WaitingQuestions {
  readonly #options: WaitingQuestionsOptions;
  #waiting: Waiting[] = [];
  readonly #turns: ClientTurns<Waiting>;
  /** When a client above its pace is next served ahead of the others. */
  #spareFromMs = 0;
  #isOfResting = false;
  #restUntilMs = 0;

  constructor(options: WaitingQuestionsOptions) {
    this.#options = options;
    this.#turns = new ClientTurns(options.settings.limits === false ? NO_PACE : HISTORY_PACE);
  }

  get hasQuestions(): boolean {
    return this.#waiting.length > 0 || this.#turns.hasNext || this.#turns.hasResting;
  }

  /**
   * The time until a query must be checked again even if no message arrives; undefined if no query
   * is waiting.
   */
  get patienceMs(): number | undefined {
    let untilMs = this.#turns.hasResting ? this.#restUntilMs : Infinity;
    for (const each of this.#waiting) untilMs = Math.min(untilMs, each.untilMs);
    if (untilMs === Infinity) return undefined;
    return Math.max(1, Math.ceil(untilMs - performance.now()));
  }

  /** Adds a query. It waits for its block and for all blocks applied before the next response. */
  take(
    asked: Question,
    { height, reach }: { readonly height: number; readonly reach: number },
  ): void {
    const isFar = Math.max(asked.height, reach) - height > BLOCKS_WAITED_MAX;
    const waitMs = isFar ? 0 : asked.waitMs;
    const nowMs = performance.now();
    this.#waiting.push({ asked, untilMs: nowMs + waitMs, lostMs: nowMs + asked.patienceMs });
  }

  /** True if a query can be served now or has waited long enough. */
  isReady(readiness: Readiness): boolean {
    const nowMs = performance.now();
    this.#admit(readiness, nowMs);
    this.#turns.wake(nowMs);
    return this.#turns.hasNext || (this.#turns.hasResting && nowMs >= this.#restUntilMs);
  }

  clear(): void {
    this.#waiting = [];
    this.#turns.clear();
  }

  /** Returns the next query to serve. The caller serves it before it requests another. */
  next(readiness: Readiness): DueQuestion | undefined {
    for (;;) {
      const nowMs = performance.now();
      this.#admit(readiness, nowMs);
      const due = this.#nextTurn(nowMs);
      if (due === undefined) return undefined;
      this.#turns.begin(due.id, 0, nowMs);
      const isLost = due.item.lostMs <= nowMs;
      if (!isLost && isOver(due.item, readiness, nowMs)) return due;
      // A follower of a shared store can fall behind again, so the query waits again.
      if (!isLost) this.#waiting.push(due.item);
      this.#turns.end(due.id, 0, nowMs);
    }
  }

  /** True if rows must be stored before this query is served. */
  needsRows({ item: { asked } }: DueQuestion, rows: RowBuffer): boolean {
    return !rows.isEmpty && (asked.height > rows.stored.height || isOfNow(asked));
  }

  /**
   * Serves a query as of one height. The caller must not write anything until the query has been
   * answered.
   */
  async answer({ id, item }: DueQuestion, rows: RowBuffer, height: number): Promise<void> {
    const asOf = rows.stored;
    const isSplit = !rows.isEmpty || height < rows.store.height;
    const startedMs = performance.now();
    const before = process.threadCpuUsage();
    const took = (): number => {
      const { system, user } = process.threadCpuUsage(before);
      const cpuMs = (system + user) / 1000;
      const isOnServer = this.#options.settings.database !== undefined;
      const heldMs = isOnServer ? performance.now() - startedMs : 0;
      return Math.max(cpuMs, Math.min(heldMs, SERVER_MS_MAX));
    };
    try {
      await this.#answer(item, rows, { asOf, isSplit, took });
    } finally {
      const nowMs = performance.now();
      const workMs = took();
      this.#turns.end(id, nowMs - startedMs, nowMs);
      // This also applies if this query itself used up the client's pace.
      if (this.#isOfResting || !this.#turns.hasToken(id, nowMs)) {
        this.#spareFromMs = nowMs + SPARED_FACTOR * workMs;
        if (workMs > LONG_MS) this.#restUntilMs = this.#spareFromMs;
      }
    }
  }

  #admit(readiness: Readiness, nowMs: number): void {
    if (this.#waiting.length === 0) return;
    const waiting: Waiting[] = [];
    for (const each of this.#waiting) {
      if (isOver(each, readiness, nowMs)) this.#turns.add(each.asked.client, each, nowMs);
      else waiting.push(each);
    }
    this.#waiting = waiting;
  }

  #nextTurn(nowMs: number): DueQuestion | undefined {
    this.#turns.wake(nowMs);
    const spared = nowMs >= this.#spareFromMs ? this.#turns.nextResting() : undefined;
    const first = spared ?? this.#turns.next();
    this.#isOfResting = spared !== undefined || first === undefined;
    if (first !== undefined || nowMs < this.#restUntilMs) return first;
    return this.#turns.nextResting();
  }

  async #answer(
    waiting: Waiting,
    rows: RowBuffer,
    { asOf, isSplit, took }: { asOf: AsOf; isSplit: boolean; took: () => number },
  ): Promise<void> {
    const { send } = this.#options;
    const { asked } = waiting;
    const { id } = asked;
    // The current data belongs to the last applied block, so the stored rows must have the same
    // height.
    if (asOf.height < asked.height || (isSplit && isOfNow(asked))) {
      send({ type: 'behind', id, asOf });
      return;
    }
    try {
      const answer = await this.#find(asked, rows, asOf);
      send({ type: 'answer', id, asOf, answer, workMs: took() });
    } catch (error) {
      // The query stays open and is served by the thread that replaces this one.
      if (error instanceof HistoryDamagedError) throw error;
      // The query is repeated once the other writer's rows have been applied.
      if (error instanceof HistoryMovedError) this.#waiting.push(waiting);
      else if (error instanceof HistoryFullError) send({ type: 'away', id, why: error.message });
      else send({ type: 'failed', id, error });
    }
  }

  async #find(
    { question, topic }: Question,
    { store }: RowBuffer,
    asOf: AsOf,
  ): Promise<Answer<HistoryTopic>> {
    if (topic === 'accountSums') {
      return this.#options.sums((question as { readonly user: Address }).user);
    }
    if (topic === 'accountGains') {
      const { sums, users } = this.#options;
      const valuesAt = (ask: Ask<'valuesAt'>) => store.ask('valuesAt', ask);
      const sources = { nowMs: asOf.timeMs, sums, users, valuesAt };
      return accountGains(question as Ask<'accountGains'>, sources);
    }
    if (topic === 'since') {
      const known = this.#options.recent(question as Ask<'since'>);
      if (known !== undefined) return known;
    }
    return store.ask(topic as StoreTopic, question as never, this.#options.live());
  }
}

function isOfNow(asked: Question): boolean {
  return OF_NOW.has(asked.topic) || isOfChanges(asked);
}

/** The topics whose responses contain live orders or current account totals. */
const OF_NOW: ReadonlySet<HistoryTopic> = new Set([
  'accountGains',
  'accountSums',
  'orders',
  'executionReport',
]);

/** True for rows that the store has only in their latest version. */
function isOfChanges({ question, topic }: Question): boolean {
  return topic === 'since' && 'table' in question && question.table === 'orders';
}

function isOver(
  { asked, untilMs }: Waiting,
  { isApart, answerableHeight }: Readiness,
  nowMs: number,
): boolean {
  if (untilMs <= nowMs) return true;
  return asked.height <= answerableHeight && !(isApart && isOfNow(asked));
}
