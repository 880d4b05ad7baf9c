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
  /** The newest block of the chain that the books of the log rest on, whichever replica brought it. */
  readonly bookedBlock: number;
  readonly balance: bigint;
  readonly paid: readonly Paid[];
};

/**
 * Compares what is owed with what is held as of one block of the chain. Undefined while the books are
 * ahead of that block, because another replica has credited or settled by a later one: the balance of
 * the block would then lack what the books count, or the other way round.
 */
export function figuresOf(sources: FigureSources): ReserveFigures | undefined {
  const { balance, blockNumber, book, bookedBlock, granted, isOpen, owed, paid } = sources;
  if (bookedBlock > blockNumber) return undefined;
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
