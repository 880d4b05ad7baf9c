/** The answers to `reserves` and `reservesProof`. Amounts are USDC as decimal text. */

/** Liabilities and assets at one state of the venue and one block of the settlement chain. */
export type ReserveFigures = {
  height: number;
  time: number;
  /** Deposits, including test funds, less paid withdrawals. */
  owed: string;
  blockNumber: number;
  /** The bridge's token balance. */
  balance: string;
  /** The part of it that belongs to no account. */
  keptAside: string;
  /** The balance less that part. */
  assets: string;
  /** Withdrawals that the bridge has paid and the venue still holds. */
  unsettled: string;
  /** Test funds that were granted without a deposit on the chain. */
  unbacked: string;
  /** assets + unsettled + unbacked − owed: "0" when no money is missing. */
  difference: string;
};

/** The same figures as logged, with the tree over all liabilities. */
export type PublishedReserves = ReserveFigures & {
  root: string;
  leaves: number;
  /** The sum of all leaves. */
  liabilities: string;
  /** The total deficit of accounts below zero; owed + shortfall = liabilities. */
  shortfall: string;
};

/** The settlement chain's contracts; null without a chain. */
export type ReserveChain = { chainId: number; bridge: string; token: string };

export type Reserves = {
  chain: ReserveChain | null;
  /** Null before the first publication. */
  published: PublishedReserves | null;
  /** Null until the chain has been read. */
  current: ReserveFigures | null;
};

/** The proof that the last publication includes an address; null when it had no account then. */
export type ReservesProof = {
  chain: ReserveChain;
  published: PublishedReserves;
  user: string;
  amount: string;
  /** The parts of the amount. */
  parts: { perp: string; outcome: string; withdrawHold: string; rewards: string };
  salt: string;
  /** Of the leaf, starting with 0. */
  index: number;
  /** From the leaf's level up; a node without a neighbour has none. */
  siblings: { hash: string; sum: string }[];
};
