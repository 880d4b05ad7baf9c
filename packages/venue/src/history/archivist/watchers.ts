import type { Address } from '@oddlot/units';
import type { WatchedRows, WatchedTable, Watcher } from '../history.ts';
import type { ArchivistOrder, ArchivistReport } from './archivist-messages.ts';

type Rows = Extract<ArchivistReport, { type: 'rows' }>;
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
  readonly #order: (order: ArchivistOrder) => void;
  readonly #watched = new Map<string, Watched>();

  constructor(order: (order: ArchivistOrder) => void) {
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
