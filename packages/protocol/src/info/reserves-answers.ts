/**
 * Liabilities and assets at one block of the venue and one block of the settlement chain, as
 * decimal texts in USDC.
 */
export type ReserveFigures = {
  height: number;
  time: number;
  /** Deposits, including test funds, minus paid withdrawals. */
  owed: string;
  blockNumber: number;
  /** The token balance of the bridge. */
  balance: string;
  /** Part of the balance that belongs to no account. */
  keptAside: string;
  /** Balance minus `keptAside`. */
  assets: string;
  /** Withdrawals that the bridge has paid and the venue still holds. */
  unsettled: string;
  /** Test funds that were granted without a deposit on the chain. */
  unbacked: string;
  /** assets + unsettled + unbacked − owed, which is "0" if no money is missing. */
  difference: string;
};

/** The figures that were recorded in the log, with the root of the tree over all liabilities. */
export type PublishedReserves = ReserveFigures & {
  root: string;
  leaves: number;
  /** The sum of all leaves. */
  liabilities: string;
  /** The total deficit of the accounts below zero: owed + shortfall = liabilities. */
  shortfall: string;
};

/** Contracts on the settlement chain; null without a chain. */
export type ReserveChain = { chainId: number; bridge: string; token: string };

export type Reserves = {
  chain: ReserveChain | null;
  /** Null before the first publication. */
  published: PublishedReserves | null;
  /** Null until the chain has been read. */
  current: ReserveFigures | null;
};

/** Proof that the last publication includes an address; null if it had no account at that time. */
export type ReservesProof = {
  chain: ReserveChain;
  published: PublishedReserves;
  user: string;
  amount: string;
  /** Amounts that add up to `amount`. */
  parts: { perp: string; outcome: string; withdrawHold: string; rewards: string };
  salt: string;
  /** The index of the leaf, starting with 0. */
  index: number;
  /** Siblings from the leaf's level upwards. A level without a neighbour has none. */
  siblings: { hash: string; sum: string }[];
};
