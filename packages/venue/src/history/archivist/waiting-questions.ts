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
import { accountGains, type GainSources } from '../account-gains.ts';
import type { LiveRows } from '../rows/live-rows.ts';
import { HistoryDamagedError, HistoryFullError, HistoryMovedError } from '../store/store-errors.ts';
import type { ArchivistReport, Question } from './archivist-messages.ts';
import type { RowBuffer } from './row-buffer.ts';

/** A history that is further behind than this is being computed: nobody waits for it. */
const BLOCKS_WAITED_MAX = 10_000;

type Waiting = { readonly asked: Question; readonly untilMs: number };

/** How far who answers is. */
export type Standing = {
  /** Whoever needs a block up to here can be answered. */
  readonly tellable: number;
  /** True while rows and the state are not of the same block, which passes: what is of now can't be told meanwhile. */
  readonly isApart: boolean;
};

type WaitingQuestionsOptions = {
  readonly tell: (report: ArchivistReport) => void;
  /** The sums of now, which only who makes the rows has. */
  readonly sums: (user: Address) => AccountSums | null;
  readonly users: GainSources['users'];
  /** The orders that live now, which nobody has stored; undefined where there is no such state. */
  readonly live: () => LiveRows | undefined;
  /** Rows of the newest blocks as they were told; undefined when it needs more than these. */
  readonly recent: (ask: Ask<'since'>) => SinceAnswer | undefined;
};

/** The questions that wait: for their block, or for their turn. */
export class WaitingQuestions {
  readonly #options: WaitingQuestionsOptions;
  #waiting: Waiting[] = [];

  constructor(options: WaitingQuestionsOptions) {
    this.#options = options;
  }

  get hasQuestions(): boolean {
    return this.#waiting.length > 0;
  }

  /** How long until somebody's patience is at its end; undefined when nobody waits. */
  get patienceMs(): number | undefined {
    if (this.#waiting.length === 0) return undefined;
    const untilMs = Math.min(...this.#waiting.map((each) => each.untilMs));
    return Math.max(1, Math.ceil(untilMs - performance.now()));
  }

  /** True when somebody asks for more than receipts, which the main thread has until they are stored. */
  get needsRows(): boolean {
    return this.#waiting.some(({ asked }) => asked.topic !== 'receipt');
  }

  /** Whoever needs a block waits for it, or for all that is to be applied before it is answered. */
  take(
    asked: Question,
    { height, reach }: { readonly height: number; readonly reach: number },
  ): void {
    const isFar = Math.max(asked.height, reach) - height > BLOCKS_WAITED_MAX;
    const waitMs = isFar ? 0 : asked.waitMs;
    this.#waiting.push({ asked, untilMs: performance.now() + waitMs });
  }

  /** True when somebody need not or does not wait any longer. */
  isReady(standing: Standing): boolean {
    const nowMs = performance.now();
    return this.#waiting.some((each) => isOver(each, standing, nowMs));
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Answers those. Each answer is of one moment: nothing is written meanwhile. */
  async answer(rows: RowBuffer, height: number, standing: Standing): Promise<void> {
    const nowMs = performance.now();
    const ready = this.#waiting.filter((each) => isOver(each, standing, nowMs));
    this.#waiting = this.#waiting.filter((each) => !ready.includes(each));
    const asOf = rows.stored;
    const isSplit = !rows.isEmpty || height < rows.store.height;
    const answered = ready.map((each) => this.#answer(each, rows, { asOf, isSplit }));
    const damaged = (await Promise.all(answered)).find((each) => each !== undefined);
    if (damaged !== undefined) throw damaged;
  }

  async #answer(
    waiting: Waiting,
    rows: RowBuffer,
    { asOf, isSplit }: { readonly asOf: AsOf; readonly isSplit: boolean },
  ): Promise<HistoryDamagedError | undefined> {
    const { tell } = this.#options;
    const { asked } = waiting;
    const { id } = asked;
    // What is of now is of the last block that was applied, so its rows must be there too, and no others.
    if (asOf.height < asked.height || (isSplit && isOfNow(asked))) {
      tell({ type: 'behind', id, asOf });
      return undefined;
    }
    try {
      tell({ type: 'answer', id, asOf, answer: await this.#find(asked, rows, asOf) });
    } catch (error) {
      // Whoever begins anew is asked again.
      if (error instanceof HistoryDamagedError) return error;
      // So is this one, when it has applied what others have written.
      if (error instanceof HistoryMovedError) this.#waiting.push(waiting);
      else if (error instanceof HistoryFullError) tell({ type: 'away', id, why: error.message });
      else tell({ type: 'failed', id, error });
    }
    return undefined;
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

/** What is told of orders that live, and of accounts. */
const OF_NOW: ReadonlySet<HistoryTopic> = new Set([
  'accountGains',
  'accountSums',
  'orders',
  'executionReport',
]);

/** What the store keeps in its last form only. */
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
