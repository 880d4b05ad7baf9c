import type { Address } from '@oddlot/units';
import type {
  Answer,
  Ask,
  AsOf,
  History,
  HistoryTopic,
  UserPage,
  WatchedRows,
  WatchedTable,
  Watcher,
} from '../../../../packages/history/src/history.ts';
import type { AccountType } from '../../../../packages/history/src/rows/block-rows.ts';

export type TestRow = {
  readonly user: Address;
  readonly table: WatchedTable;
  readonly accountTypes: readonly AccountType[];
  readonly row: unknown;
};

type PendingQuery = {
  readonly table: WatchedTable;
  readonly ask: UserPage & { readonly accountTypes?: readonly AccountType[] };
  readonly resolve: (answer: { asOf: AsOf; answer: unknown }) => void;
  readonly reject: (error: Error) => void;
};

type Watch = {
  readonly user: Address;
  readonly table: WatchedTable;
  readonly watcher: Watcher<WatchedTable>;
};

/** A history with only the rows given by the test, which also decides when it answers. */
export class TestHistory implements History {
  asOf: AsOf = { height: 0, timeMs: 0 };
  /** True if queries are answered immediately; otherwise the test calls `answer`. */
  isPrompt = true;
  readonly #rows: (TestRow & { readonly height: number })[] = [];
  readonly #watches = new Set<Watch>();
  readonly #questions: PendingQuery[] = [];
  #delayedAnswers: (() => void)[] = [];

  get waitingCount(): number {
    return this.#questions.length;
  }

  get watchCount(): number {
    return this.#watches.size;
  }

  take(height: number, rows: readonly TestRow[]): void {
    this.asOf = { height, timeMs: height * 1000 };
    for (const row of rows) this.#rows.push({ ...row, height });
    for (const { table, user, watcher } of this.#watches) {
      const matching = rows.filter((row) => row.user === user && row.table === table);
      if (matching.length > 0)
        watcher.onRows(height, matching as unknown as WatchedRows[WatchedTable]);
    }
  }

  async ask<Topic extends HistoryTopic>(
    topic: Topic,
    question: Ask<Topic>,
  ): Promise<{ readonly asOf: AsOf; readonly answer: Answer<Topic> }> {
    if (topic === 'since') {
      if (!this.isPrompt) await new Promise<void>((resolve) => this.#delayedAnswers.push(resolve));
      return this.#since(question as Ask<'since'>) as never;
    }
    const { promise, reject, resolve } = Promise.withResolvers<{ asOf: AsOf; answer: unknown }>();
    const table = topic as WatchedTable;
    this.#questions.push({ table, ask: question as PendingQuery['ask'], resolve, reject });
    if (this.isPrompt) this.answer();
    return (await promise) as { asOf: AsOf; answer: Answer<Topic> };
  }

  /** Answers pending `since` queries that were delayed because `isPrompt` is false. */
  answerSince(): void {
    for (const answer of this.#delayedAnswers.splice(0)) answer();
  }

  #since({ accountTypes, after, counts, cursor, limit, table, upTo, user }: Ask<'since'>) {
    const { asOf } = this;
    const isHis = (row: TestRow & { readonly height: number }): boolean =>
      row.user === user &&
      row.table === table &&
      row.height > after &&
      row.height <= upTo &&
      row.accountTypes.some((type) => accountTypes.includes(type));
    const all = this.#rows.filter(isHis);
    const blocks = new Set(all.map(({ height }) => height)).size;
    if (counts === true) return { asOf, answer: { rows: [], next: null, blocks } };
    // A page can end anywhere, even within a block.
    const from = cursor?.[2] ?? 0;
    const rows = all.slice(from, from + limit).map(({ height, row }) => ({ height, row }));
    const end = from + rows.length;
    return { asOf, answer: { rows, next: end < all.length ? [0, 0, end] : null } };
  }

  /** Answers the oldest pending query, by default with data from the newest block. */
  answer(height = this.asOf.height): void {
    const question = this.#questions.shift();
    if (question === undefined) throw new Error('nobody asks');
    const { accountTypes = ['perp', 'outcome'], limit, user } = question.ask;
    const rows = this.#rows
      .filter((row) => row.height <= height && row.user === user && row.table === question.table)
      .filter((row) => row.accountTypes.some((type) => accountTypes.includes(type)))
      .toReversed()
      .slice(0, limit)
      .map(({ row }) => row);
    const asOf = { height, timeMs: height * 1000 };
    question.resolve({ asOf, answer: { rows, next: null } });
  }

  fail(): void {
    this.#questions.shift()?.reject(new Error('the history is not there'));
  }

  watch<Table extends WatchedTable>(
    user: Address,
    table: Table,
    watcher: Watcher<Table>,
  ): () => void {
    const watch = { user, table, watcher: watcher as unknown as Watcher<WatchedTable> };
    this.#watches.add(watch);
    return () => void this.#watches.delete(watch);
  }
}
