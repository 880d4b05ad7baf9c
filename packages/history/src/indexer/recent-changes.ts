import type { HistOrderRow } from '@oddlot/protocol';
import type { Projection } from '@oddlot/replica/block';
import type { Ask, SinceAnswer, WatchedRows, WatchedTable } from '../history.ts';
import { KEPT_MS_MAX, NewestBlocks } from '../recent-blocks.ts';
import type { AccountType, BlockRows, OrderRecord } from '../rows/block-rows.ts';
import type { Address } from '@oddlot/units';
import type { IndexerReport } from './indexer-messages.ts';

/** The maximum number of rows kept in memory. The second limit applies to snapshots. */
const KEPT_ROWS_MAX = 50_000;
const DUMPED_ROWS_MAX = 500;

type Changes = Pick<BlockRows, 'orders' | 'updatedParents' | 'unstoredOrders' | 'ledger'> & {
  readonly height: number;
  readonly timeMs: number;
  readonly count: number;
};

type ChangedRow = {
  readonly accountTypes: readonly AccountType[];
  readonly row: () => unknown;
};

/**
 * Rows from the newest blocks that the store has only in their latest version: those of live orders
 * and withdrawals. A client reconnecting to another process receives them as first reported.
 */
export class RecentChanges implements Projection {
  readonly name = 'recentChanges';
  readonly version = 1;
  readonly #textsOf: MarketTextsOf;
  readonly #blocks: NewestBlocks<Changes>;

  constructor(textsOf: MarketTextsOf, rowsMax = KEPT_ROWS_MAX) {
    this.#textsOf = textsOf;
    this.#blocks = new NewestBlocks(({ count }) => count, rowsMax);
  }

  /** Does nothing, because `add` receives the rows of the block. */
  onBlock(): void {}

  dump(): readonly Changes[] {
    return this.#blocks.lastOf(DUMPED_ROWS_MAX).map(({ orders, unstoredOrders, ...rest }) => ({
      ...rest,
      orders: [...orders, ...(unstoredOrders?.records() ?? [])],
    }));
  }

  restore(data: unknown): void {
    this.#blocks.restore(data as readonly Changes[]);
  }

  add(block: BlockRows): void {
    const { height, timeMs } = block.head;
    const { last } = this.#blocks;
    if (last !== undefined && last.height !== height - 1) this.reset();
    const { ledger, orders, updatedParents = [], unstoredOrders } = block;
    const unstored = unstoredOrders?.length ?? 0;
    const count = 1 + orders.length + updatedParents.length + unstored + ledger.length;
    const changes = { height, timeMs, orders, updatedParents, unstoredOrders, ledger, count };
    const oldestMs = timeMs - KEPT_MS_MAX;
    this.#blocks.push(changes, (oldest) => oldest.timeMs < oldestMs);
  }

  /**
   * Returns the rows as first reported, in whole blocks, or undefined if some of the blocks are no
   * longer kept.
   */
  since(ask: Ask<'since'>): SinceAnswer | undefined {
    const { accountTypes, after, counts, cursor, limit, table, upTo, user } = ask;
    if (table !== 'orders' && table !== 'ledger') return undefined;
    const found = this.#blocks.between(cursor?.[1] ?? after, upTo);
    if (found === undefined) return cursor === undefined ? undefined : 'gone';
    const rows: { height: number; row: unknown }[] = [];
    let blocks = 0;
    for (const block of found) {
      const changed = table === 'orders' ? this.#orders(block, user) : ledgerOf(block, user);
      const his = changed.filter((each) =>
        each.accountTypes.some((type) => accountTypes.includes(type)),
      );
      if (his.length === 0) continue;
      blocks += 1;
      if (counts === true) continue;
      for (const { row } of his) rows.push({ height: block.height, row: row() });
      if (rows.length >= limit) return { rows, next: [0, block.height, 0] };
    }
    return { rows, next: null, blocks };
  }

  reset(): void {
    this.#blocks.clear();
  }

  /**
   * Returns a user's changed orders in block order. Parents where only children changed come last.
   */
  #orders({ orders, updatedParents = [], unstoredOrders }: Changes, user: string): ChangedRow[] {
    const isHis = (each: OrderRecord): boolean => each.user === user;
    const changed = [...(unstoredOrders?.records(user) ?? []), ...orders.filter(isHis)];
    changed.sort((left, right) => left.index - right.index);
    return [...changed, ...updatedParents.filter(isHis)].map(
      ({ accountType, instrumentId, row }) => ({
        accountTypes: [accountType],
        row: () => this.#withTexts(instrumentId, row),
      }),
    );
  }

  #withTexts(instrumentId: number, row: HistOrderRow): HistOrderRow {
    const texts = this.#textsOf(instrumentId);
    return texts === undefined ? row : { ...row, order: { ...row.order, ...texts } };
  }
}

function ledgerOf({ ledger }: Changes, user: string): ChangedRow[] {
  const his = ledger.filter((each) => each.user === user);
  return his.map(({ accountTypes, row }) => ({ accountTypes, row: () => row }));
}

export type MarketTextsOf = (
  instrumentId: number,
) => { readonly title: string; readonly slug: string } | undefined;

export class WatchedUsers {
  readonly #textsOf: MarketTextsOf;
  readonly #users: Readonly<Record<WatchedTable, Set<Address>>> = {
    fills: new Set(),
    orders: new Set(),
    fundings: new Set(),
    ledger: new Set(),
  };

  constructor(textsOf: MarketTextsOf) {
    this.#textsOf = textsOf;
  }

  watch(user: Address, table: WatchedTable): void {
    this.#users[table].add(user);
  }

  unwatch(user: Address, table: WatchedTable): void {
    this.#users[table].delete(user);
  }

  isWatched(user: Address, table: WatchedTable): boolean {
    return this.#users[table].has(user);
  }

  reports(block: BlockRows): readonly IndexerReport[] {
    const { height } = block.head;
    const reports: IndexerReport[] = [];
    const fills = this.#pick('fills', block.fills, ({ accountType, instrumentId, row }) => ({
      accountTypes: [accountType],
      row: this.#withTexts(instrumentId, row),
    }));
    for (const [user, rows] of fills) {
      reports.push({ type: 'rows', table: 'fills', user, height, rows });
    }
    const changed = [...block.orders, ...(block.updatedParents ?? [])];
    const orders = this.#pick('orders', changed, ({ accountType, instrumentId, row }) => ({
      accountTypes: [accountType],
      row: { ...row, order: this.#withTexts(instrumentId, row.order) },
    }));
    for (const [user, rows] of orders) {
      reports.push({ type: 'rows', table: 'orders', user, height, rows });
    }
    const fundings = this.#pick('fundings', block.fundings, ({ row }) => ({
      accountTypes: ['perp'],
      row,
    }));
    for (const [user, rows] of fundings) {
      reports.push({ type: 'rows', table: 'fundings', user, height, rows });
    }
    const ledger = this.#pick('ledger', block.ledger, ({ accountTypes, row }) => ({
      accountTypes,
      row,
    }));
    for (const [user, rows] of ledger) {
      reports.push({ type: 'rows', table: 'ledger', user, height, rows });
    }
    return reports;
  }

  #pick<Table extends WatchedTable, Row extends { readonly user: Address }>(
    table: Table,
    rows: readonly Row[],
    shown: (row: Row) => WatchedRows[Table][number],
  ): Map<Address, WatchedRows[Table][number][]> {
    const picked = new Map<Address, WatchedRows[Table][number][]>();
    const users = this.#users[table];
    if (users.size === 0) return picked;
    for (const row of rows) {
      if (!users.has(row.user)) continue;
      const known = picked.get(row.user);
      if (known === undefined) picked.set(row.user, [shown(row)]);
      else known.push(shown(row));
    }
    return picked;
  }

  #withTexts<Row extends { title?: string; slug?: string }>(instrumentId: number, row: Row): Row {
    const texts = this.#textsOf(instrumentId);
    return texts === undefined ? row : { ...row, title: texts.title, slug: texts.slug };
  }
}
