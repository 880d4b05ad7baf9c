import type { HistOrderRow } from '@oddlot/protocol';
import type { Projection } from '../../block/projection.ts';
import type { Ask, SinceAnswer } from '../history.ts';
import { KEPT_MS_MAX, NewestBlocks } from '../newest-blocks.ts';
import type { AccountType, BlockRows } from '../rows/block-rows.ts';
import type { MarketTextsOf } from './watched-users.ts';

/** Rows of all blocks that are kept, and of the newest, which snapshots hold. */
const KEPT_ROWS_MAX = 50_000;
const DUMPED_ROWS_MAX = 500;

/** What a block said of orders and ledgers. */
type Changes = Pick<BlockRows, 'orders' | 'retold' | 'untold' | 'ledger'> & {
  readonly height: number;
  readonly timeMs: number;
  readonly count: number;
};

type Told = {
  readonly accountTypes: readonly AccountType[];
  readonly row: () => unknown;
};

/**
 * The rows of the newest blocks that the store keeps in their last form only: those of orders that go on and of
 * withdrawals. Whoever comes from another process is told them as they were.
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

  /** It is given rows instead, which are made of the block. */
  onBlock(): void {}

  dump(): readonly Changes[] {
    return this.#blocks.lastOf(DUMPED_ROWS_MAX).map(({ orders, untold = [], ...rest }) => {
      const made = untold.map(({ row, ...each }) => ({ ...each, orderId: 0, row: row() }));
      return { ...rest, orders: [...orders, ...made] };
    });
  }

  restore(data: unknown): void {
    this.#blocks.restore(data as readonly Changes[]);
  }

  add(block: BlockRows): void {
    const { height, timeMs } = block.head;
    const { last } = this.#blocks;
    // What is computed again begins anew.
    if (last !== undefined && last.height !== height - 1) this.reset();
    const { ledger, orders, retold = [], untold = [] } = block;
    const count = 1 + orders.length + retold.length + untold.length + ledger.length;
    const changes = { height, timeMs, orders, retold, untold, ledger, count };
    const oldestMs = timeMs - KEPT_MS_MAX;
    this.#blocks.push(changes, (oldest) => oldest.timeMs < oldestMs);
  }

  /** The rows as they were told, whole blocks at a time; undefined when some of these blocks are not here. */
  since(ask: Ask<'since'>): SinceAnswer | undefined {
    const { accountTypes, after, counts, cursor, limit, table, upTo, user } = ask;
    if (table !== 'orders' && table !== 'ledger') return undefined;
    const kept = this.#blocks.between(cursor?.[1] ?? after, upTo);
    if (kept === undefined) return cursor === undefined ? undefined : 'gone';
    const rows: { height: number; row: unknown }[] = [];
    let blocks = 0;
    for (const block of kept) {
      const told = table === 'orders' ? this.#orders(block, user) : ledgerOf(block, user);
      const his = told.filter((each) =>
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

  /** In their places in the block; parents whose children alone changed come behind. */
  #orders({ orders, retold = [], untold = [] }: Changes, user: string): Told[] {
    const changed = untold.filter((each) => each.user === user);
    for (const [at, { index = at, row, ...each }] of orders.entries()) {
      if (each.user === user) changed.push({ ...each, index, row: () => row });
    }
    changed.sort((left, right) => left.index - right.index);
    for (const { row, ...each } of retold) {
      if (each.user === user) changed.push({ ...each, index: changed.length, row: () => row });
    }
    return changed.map(({ accountType, instrumentId, row }) => ({
      accountTypes: [accountType],
      row: () => this.#withTexts(instrumentId, row()),
    }));
  }

  #withTexts(instrumentId: number, row: HistOrderRow): HistOrderRow {
    const texts = this.#textsOf(instrumentId);
    return texts === undefined ? row : { ...row, order: { ...row.order, ...texts } };
  }
}

function ledgerOf({ ledger }: Changes, user: string): Told[] {
  const his = ledger.filter((each) => each.user === user);
  return his.map(({ accountTypes, row }) => ({ accountTypes, row: () => row }));
}
