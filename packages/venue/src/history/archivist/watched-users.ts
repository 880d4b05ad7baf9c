import type { Address } from '@oddlot/units';
import type { WatchedRows, WatchedTable } from '../history.ts';
import type { BlockRows } from '../rows/block-rows.ts';
import type { ArchivistReport } from './archivist-messages.ts';

/** The texts of an outcome market, which rows carry when they are read. */
export type MarketTextsOf = (
  instrumentId: number,
) => { readonly title: string; readonly slug: string } | undefined;

/** Picks the rows of those who are watched out of the rows of blocks. */
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

  /** What there is to tell of a block: a report for each user and table, rows in order. */
  reports(block: BlockRows): readonly ArchivistReport[] {
    const { height } = block.head;
    const reports: ArchivistReport[] = [];
    const fills = this.#pick('fills', block.fills, ({ accountType, instrumentId, row }) => ({
      accountTypes: [accountType],
      row: this.#withTexts(instrumentId, row),
    }));
    for (const [user, rows] of fills) {
      reports.push({ type: 'rows', table: 'fills', user, height, rows });
    }
    const changed = [...block.orders, ...(block.retold ?? [])];
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
