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

/** What the bridge has and the venue does not count as its own; zero or money is missing, or too much. */
export function differenceOf(figures: Omit<ReserveFigures, 'blockNumber'>): bigint {
  const { balance, keptAside, owed, unbacked, unsettled } = figures;
  return balance - keptAside + unsettled + unbacked - owed;
}
