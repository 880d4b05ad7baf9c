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

/** A history that is further behind is being recomputed, so questions do not wait for it. */
const BLOCKS_WAITED_MAX = 10_000;

/**
 * Milliseconds for which a client may delay the others before clients with lower use are answered first. A client
 * above its pace is answered if no other waits, and for a tenth of the time in any case.
 */
export const HISTORY_PACE = { perSecond: 25, burst: 150 };
const SPARED_FACTOR = 9;
/**
 * An answer is not interrupted, and one that takes longer than this delays other clients. Such answers to clients
 * above their pace get at most a tenth of the time, even if there is no other work.
 */
export const LONG_MS = 10;
/**
 * With a database server, an answer costs the time for which it uses the only connection. A stall of the server is
 * not the client's fault, so one answer is charged at most this.
 */
export const SERVER_MS_MAX = 100;

type Waiting = {
  readonly asked: Question;
  /** It waits for its block until this time. */
  readonly untilMs: number;
  /** The caller has given up at this time. */
  readonly lostMs: number;
};

type DueQuestion = Turn<Waiting>;

/** The state of the thread that answers. */
export type Standing = {
  /** Questions that need a block up to here can be answered. */
  readonly tellable: number;
  /** True while rows and state have different heights, for a short time: current data cannot be returned meanwhile. */
  readonly isApart: boolean;
};

type WaitingQuestionsOptions = {
  readonly settings: Pick<IndexerSettings, 'database' | 'limits'>;
  readonly tell: (report: IndexerReport) => void;
  /** Current sums, which only the indexer has. */
  readonly sums: (user: Address) => AccountSums | null;
  readonly users: GainSources['users'];
  /** Live orders, which are not stored; undefined without a state. */
  readonly live: () => LiveRows | undefined;
  /** Rows of the newest blocks as they were reported; undefined if older ones are needed. */
  readonly recent: (ask: Ask<'since'>) => SinceAnswer | undefined;
};

/** Questions that wait for their block, or for the turn of their client. */
export class WaitingQuestions {
  readonly #options: WaitingQuestionsOptions;
  /** They wait for their block. */
  #waiting: Waiting[] = [];
  readonly #turns: ClientTurns<Waiting>;
  /** The time after which a client above its pace is answered before the others, and whether one is answered now. */
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

  /** The time until a question must be checked again without a message; undefined if there is none. */
  get patienceMs(): number | undefined {
    let untilMs = this.#turns.hasResting ? this.#restUntilMs : Infinity;
    for (const each of this.#waiting) untilMs = Math.min(untilMs, each.untilMs);
    if (untilMs === Infinity) return undefined;
    return Math.max(1, Math.ceil(untilMs - performance.now()));
  }

  /** A question waits for its block, and for all blocks that are applied before it is answered. */
  take(
    asked: Question,
    { height, reach }: { readonly height: number; readonly reach: number },
  ): void {
    const isFar = Math.max(asked.height, reach) - height > BLOCKS_WAITED_MAX;
    const waitMs = isFar ? 0 : asked.waitMs;
    const nowMs = performance.now();
    this.#waiting.push({ asked, untilMs: nowMs + waitMs, lostMs: nowMs + asked.patienceMs });
  }

  /** True if a question does not have to wait for its block, or no longer does. */
  isReady(standing: Standing): boolean {
    const nowMs = performance.now();
    this.#admit(standing, nowMs);
    this.#turns.wake(nowMs);
    return this.#turns.hasNext || (this.#turns.hasResting && nowMs >= this.#restUntilMs);
  }

  clear(): void {
    this.#waiting = [];
    this.#turns.clear();
  }

  /** The next question. The caller answers it before it takes another. */
  next(standing: Standing): DueQuestion | undefined {
    for (;;) {
      const nowMs = performance.now();
      this.#admit(standing, nowMs);
      const due = this.#nextTurn(nowMs);
      if (due === undefined) return undefined;
      this.#turns.begin(due.id, 0, nowMs);
      const isLost = due.item.lostMs <= nowMs;
      if (!isLost && isOver(due.item, standing, nowMs)) return due;
      // A replica that follows another one can fall behind again.
      if (!isLost) this.#waiting.push(due.item);
      this.#turns.end(due.id, 0, nowMs);
    }
  }

  /** True if rows must be stored before the answer. */
  needsRows({ item: { asked } }: DueQuestion, rows: RowBuffer): boolean {
    return !rows.isEmpty && (asked.height > rows.stored.height || isOfNow(asked));
  }

  /** Answers a question as of one height, because nothing is written meanwhile. */
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
      // Also if this answer has exceeded the client's pace: the others are first.
      if (this.#isOfResting || !this.#turns.hasToken(id, nowMs)) {
        this.#spareFromMs = nowMs + SPARED_FACTOR * workMs;
        if (workMs > LONG_MS) this.#restUntilMs = this.#spareFromMs;
      }
    }
  }

  /** Questions that need not wait for their block any longer wait for the turn of their client. */
  #admit(standing: Standing, nowMs: number): void {
    if (this.#waiting.length === 0) return;
    const waiting: Waiting[] = [];
    for (const each of this.#waiting) {
      if (isOver(each, standing, nowMs)) this.#turns.add(each.asked.client, each, nowMs);
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
    const { tell } = this.#options;
    const { asked } = waiting;
    const { id } = asked;
    // Current data is of the last applied block, so the rows must have the same height.
    if (asOf.height < asked.height || (isSplit && isOfNow(asked))) {
      tell({ type: 'behind', id, asOf });
      return;
    }
    try {
      const answer = await this.#find(asked, rows, asOf);
      tell({ type: 'answer', id, asOf, answer, workMs: took() });
    } catch (error) {
      // The thread that replaces this one receives the question.
      if (error instanceof HistoryDamagedError) throw error;
      // The question is repeated after the rows of others have been applied.
      if (error instanceof HistoryMovedError) this.#waiting.push(waiting);
      else if (error instanceof HistoryFullError) tell({ type: 'away', id, why: error.message });
      else tell({ type: 'failed', id, error });
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

/** Topics with data of live orders and accounts. */
const OF_NOW: ReadonlySet<HistoryTopic> = new Set([
  'accountGains',
  'accountSums',
  'orders',
  'executionReport',
]);

/** Data of which the store has only the last version. */
function isOfChanges({ question, topic }: Question): boolean {
  return topic === 'since' && 'table' in question && question.table === 'orders';
}

function isOver(
  { asked, untilMs }: Waiting,
  { isApart, tellable }: Standing,
  nowMs: number,
): boolean {
  if (untilMs <= nowMs) return true;
  return asked.height <= tellable && !(isApart && isOfNow(asked));
}
