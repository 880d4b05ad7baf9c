/**
 * The liabilities and assets at one block of the venue and one of the settlement chain, as decimal
 * strings in USDC.
 */
export type ReserveFigures = {
  height: number;
  time: number;
  /** Deposits, including test funds, minus withdrawals paid. */
  owed: string;
  blockNumber: number;
  /** The bridge's token balance. */
  balance: string;
  /** The part of the balance that does not belong to any account. */
  keptAside: string;
  /** The balance minus `keptAside`. */
  assets: string;
  /** Withdrawals that the bridge has paid but the venue still holds. */
  unsettled: string;
  /** Test funds granted without a deposit on the chain. */
  unbacked: string;
  /** The sum assets + unsettled + unbacked − owed, which is "0" if no money is missing. */
  difference: string;
};

/** The figures recorded in the log, with the root of the tree over all liabilities. */
export type PublishedReserves = ReserveFigures & {
  root: string;
  leaves: number;
  /** The sum of all leaves. */
  liabilities: string;
  /** The total deficit of accounts below zero, so that owed + shortfall = liabilities. */
  shortfall: string;
};

/** The contracts on the settlement chain; null without a chain. */
export type ReserveChain = { chainId: number; bridge: string; token: string };

export type Reserves = {
  chain: ReserveChain | null;
  /** The last publication; null before the first one. */
  published: PublishedReserves | null;
  /** The current figures; null until the chain has been read. */
  current: ReserveFigures | null;
};

/**
 * Proof that the last publication includes an address; null if the address had no account at that
 * time.
 */
export type ReservesProof = {
  chain: ReserveChain;
  published: PublishedReserves;
  user: string;
  amount: string;
  /** The amounts that add up to `amount`. */
  parts: { perp: string; outcome: string; withdrawHold: string; rewards: string };
  salt: string;
  /** The index of the leaf, starting with 0. */
  index: number;
  /** The siblings, from the leaf's level upwards. A level without a neighbour has no entry. */
  siblings: { hash: string; sum: string }[];
};
