import type { State } from '@oddlot/engine';
import type { FundingRow } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { Projection } from '../../block/projection.ts';
import type { LedgerEntry } from '../../translate/ledger-entries.ts';
import type { BlockRows, FundingRecord, LedgerRecord } from '../rows/block-rows.ts';
import type { HistoryProjector } from '../rows/history-projector.ts';

type ByUser<Row> = readonly (readonly [user: Address, rows: readonly Row[]])[];

/**
 * Rows that earlier releases kept in memory and in snapshots: the newest of each user's ledger and
 * funding. They come with the start of an era, or with a snapshot from which rows begin, and go into the
 * history with the block behind it, under the times that they had. Nothing of them is dumped again.
 */
export class EarlierRows {
  readonly #state: () => State;
  readonly #projector: () => HistoryProjector;
  #ledger: ByUser<LedgerEntry> = [];
  #fundings: ByUser<FundingRow> = [];

  constructor(state: () => State, projector: () => HistoryProjector) {
    this.#state = state;
    this.#projector = projector;
  }

  /** Earlier snapshots hold this under two names; the second is another projection's now. */
  get projections(): readonly Projection[] {
    return [
      taking('ledger', (data) => {
        this.#ledger = (data ?? []) as ByUser<LedgerEntry>;
      }),
      taking('streams', (data) => {
        const { fundings } = (data ?? {}) as { readonly fundings?: ByUser<FundingRow> };
        this.#fundings = fundings ?? [];
      }),
    ];
  }

  /** The rows of a block, and once those that were kept. */
  joined(rows: BlockRows): BlockRows {
    if (this.#ledger.length === 0 && this.#fundings.length === 0) return rows;
    const ledger = [...rows.ledger];
    for (const [user, entries] of this.#ledger) {
      for (const entry of entries) ledger.push(this.#record(user, entry, rows, ledger.length));
    }
    const fundings = [...rows.fundings];
    for (const [user, paid] of this.#fundings) {
      for (const row of paid.flatMap((each) => this.#funding(user, each))) fundings.push(row);
    }
    this.#ledger = [];
    this.#fundings = [];
    return { ...rows, ledger, fundings };
  }

  #record(user: Address, entry: LedgerEntry, { head }: BlockRows, index: number): LedgerRecord {
    const { accountType, alsoIn = accountType, row, withdrawalId } = entry;
    const first = { height: head.height, index };
    const isPending = row.delta.type === 'withdraw' && row.delta.status === 'pending';
    if (withdrawalId !== undefined && isPending) {
      this.#projector().adoptWithdrawal(withdrawalId, { first, row });
    }
    const accountTypes = accountType === alsoIn ? [accountType] : [accountType, alsoIn];
    return { user, accountTypes, first, row };
  }

  /** A perp keeps its name, so the row says which one it is of. */
  #funding(user: Address, row: FundingRow): FundingRecord[] {
    for (const [instrumentId, { definition }] of this.#state().perps) {
      if (definition.name !== row.coin) continue;
      return [{ user, instrumentId, amountMicroUsdc: microUsdcOf(row.usdc), row }];
    }
    return [];
  }
}

function taking(name: string, take: (data: unknown) => void): Projection {
  return {
    name,
    // Whatever version wrote it, the rows are the same.
    version: Number.MAX_SAFE_INTEGER,
    onBlock: () => undefined,
    dump: () => undefined,
    restore: take,
    reset: () => take(undefined),
  };
}

/** Exact: a decimal of at most six places. */
function microUsdcOf(text: string): number {
  const [whole = '', part = ''] = text.replace('-', '').split('.');
  const micro = Number(`${whole}${part.padEnd(6, '0')}`);
  return text.startsWith('-') ? -micro : micro;
}
