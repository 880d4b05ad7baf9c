import type { ReserveFigures } from '../../reserves/reserve-figures.ts';
import type { DepositBook } from '../deposit-book.ts';
import type { Paid } from './read-paid.ts';

type FigureSources = {
  readonly owed: bigint;
  readonly granted: bigint;
  readonly isOpen: (withdrawalId: bigint) => boolean;
  /** What the watcher has made of all blocks up to this one. */
  readonly book: DepositBook;
  readonly blockNumber: number;
  readonly balance: bigint;
  readonly paid: readonly Paid[];
};

/**
 * Undefined while the books are ahead of the block: a payment of a later one is settled already, and the
 * next block that the watcher reads will have it.
 */
export function figuresOf(sources: FigureSources): ReserveFigures | undefined {
  const { balance, blockNumber, book, granted, isOpen, owed, paid } = sources;
  let unsettled = 0n;
  for (const each of paid) {
    const isOwed = isOpen(each.withdrawalId);
    if (each.blockNumber > blockNumber && !isOwed) return undefined;
    if (each.blockNumber <= blockNumber && isOwed) unsettled += each.usd;
  }
  const unbacked = granted - BigInt(book.minted);
  return { owed, blockNumber, balance, keptAside: keptAsideOf(book), unsettled, unbacked };
}

/** Pots that wait for more, what is kept aside, and dust. An event without a transfer brought nothing. */
export function keptAsideOf({ aside, dust, pots }: DepositBook): bigint {
  const small = Object.values(pots).map(({ amount }) => BigInt(amount));
  const kept = aside.filter((each) => each.reason !== 'noTransfer' && !isReturned(each));
  return [...small, ...kept.map(({ amount }) => BigInt(amount))].reduce(
    (sum, each) => sum + each,
    BigInt(dust.amount),
  );
}

/** What was returned to its sender has left the bridge. */
function isReturned(aside: object): boolean {
  return 'returned' in aside && aside.returned !== undefined;
}
