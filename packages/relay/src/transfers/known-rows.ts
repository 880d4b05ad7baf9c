import type { Hex } from 'viem';
import type { Arrival } from '../book/records.ts';
import type { Coming } from '../book/relay-book.ts';

/** A row of a peg's ledger that brought money. */
export type PegRow = {
  /** Of the settlement chain; else a transfer inside of the venue. */
  readonly isDeposit: boolean;
  /** Of its block. */
  readonly time: number;
  readonly coming: Omit<Coming, 'key'>;
};

/**
 * Which rows of a peg are in the book. A row is known by what it is, never by where it stands in an answer: a transaction
 * of the venue brings an account money once, so its hash names the row; one of the chain may deposit several times, which
 * the time of the row and its number among those of the same time and transaction tell apart. Rows are only ever added
 * behind, so that number stays.
 */
export class KnownRows {
  readonly #keys: ReadonlySet<string>;
  /** Deposits that a former release has named by their transaction alone, by that. */
  readonly #timeless = new Map<Hex, number>();

  constructor(arrivals: readonly Arrival[]) {
    this.#keys = new Set(arrivals.map(({ key }) => key));
    for (const { key, txHash } of arrivals) {
      if (!key.includes(AT)) this.#timeless.set(txHash, (this.#timeless.get(txHash) ?? 0) + 1);
    }
  }

  /** Whether it, or one of the same time and transaction, is known. */
  has(row: PegRow): boolean {
    const { txHash } = row.coming;
    return this.#timeless.has(txHash) || this.#keys.has(depositKey(row, 0));
  }

  /** Whether deposits may lie behind the end of a page that are told apart from those before it by their number. */
  isCut(rows: readonly PegRow[], endTime: number | undefined): boolean {
    return rows.some(
      ({ coming, isDeposit, time }) =>
        isDeposit && (time === endTime || this.#timeless.has(coming.txHash)),
    );
  }

  /** Rows with their keys, oldest first, without deposits that a former release has taken in. */
  *named(
    rows: readonly PegRow[],
  ): Iterable<{ readonly key: string; readonly coming: PegRow['coming'] }> {
    const timeless = new Map(this.#timeless);
    const counts = new Map<string, number>();
    for (const row of rows) {
      const { coming, isDeposit } = row;
      if (!isDeposit) {
        yield { key: coming.txHash, coming };
        continue;
      }
      const left = timeless.get(coming.txHash) ?? 0;
      if (left > 0) {
        timeless.set(coming.txHash, left - 1);
        continue;
      }
      const first = depositKey(row, 0);
      const count = counts.get(first) ?? 0;
      counts.set(first, count + 1);
      yield { key: depositKey(row, count), coming };
    }
  }
}

const AT = '@';

function depositKey({ coming, time }: PegRow, count: number): string {
  return `${coming.txHash}${AT}${time}:${count}`;
}
