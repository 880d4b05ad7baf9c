import type { DepositBook } from '../deposit-book.ts';
import type { Paid } from './paid-logs.ts';

/** What is owed and what there is, of one state and one block of the chain, in micro-USDC. */
export type ReserveFigures = {
  /** Deposits and grants less withdrawals paid. */
  readonly owed: bigint;
  readonly blockNumber: number;
  /** What the bridge holds of the token. */
  readonly balance: bigint;
  /** The part of it that is in nobody's account yet, or has to be returned. */
  readonly keptAside: bigint;
  /** Withdrawals that the bridge has paid and the venue still holds: owed by its books, gone from the bridge. */
  readonly unsettled: bigint;
  /** Test money that was given and is not made on the chain: owed, and never in the bridge. */
  readonly unbacked: bigint;
};

export type FigureSources = {
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

/** What the bridge has and the venue does not count as its own; zero or money is missing, or too much. */
export function differenceOf(figures: Omit<ReserveFigures, 'blockNumber'>): bigint {
  const { balance, keptAside, owed, unbacked, unsettled } = figures;
  return balance - keptAside + unsettled + unbacked - owed;
}

/** Pots that wait for more, and what is kept aside. An event without a transfer brought nothing. */
export function keptAsideOf({ aside, pots }: DepositBook): bigint {
  const small = Object.values(pots).map(({ amount }) => BigInt(amount));
  const kept = aside.filter((each) => each.reason !== 'noTransfer' && !isReturned(each));
  return [...small, ...kept.map(({ amount }) => BigInt(amount))].reduce(
    (sum, each) => sum + each,
    0n,
  );
}

/** What was returned to its sender has left the bridge. */
function isReturned(aside: object): boolean {
  return 'returned' in aside && aside.returned !== undefined;
}
