/** What `reserves` and `reservesProof` answer. Amounts are USDC as decimal text. */

/** What is owed and what there is, of one state of the venue and one block of the settlement chain. */
export type ReserveFigures = {
  height: number;
  time: number;
  /** Deposits, test money included, less withdrawals paid. */
  owed: string;
  blockNumber: number;
  /** What the bridge holds of the token. */
  balance: string;
  /** The part of it that is in nobody's account. */
  keptAside: string;
  /** The balance without it. */
  assets: string;
  /** Withdrawals that the bridge has paid and the venue still holds. */
  unsettled: string;
  /** Test money that was given and is not made on the chain. */
  unbacked: string;
  /** assets + unsettled + unbacked − owed: "0" when everything is there. */
  difference: string;
};

/** The same as it was put into the log, with the tree over what everybody is owed. */
export type PublishedReserves = ReserveFigures & {
  root: string;
  leaves: number;
  /** The sum of all leaves. */
  liabilities: string;
  /** What accounts below zero lack; owed + shortfall = liabilities. */
  shortfall: string;
};

/** Where the money is; null without a settlement chain. */
export type ReserveChain = { chainId: number; bridge: string; token: string };

export type Reserves = {
  chain: ReserveChain | null;
  /** Null before the first. */
  published: PublishedReserves | null;
  /** Null until the chain has been read. */
  current: ReserveFigures | null;
};

/** That an address is counted in what was published last; null when it had no account then. */
export type ReservesProof = {
  chain: ReserveChain;
  published: PublishedReserves;
  user: string;
  amount: string;
  /** What the amount is made of. */
  parts: { perp: string; outcome: string; withdrawHold: string; rewards: string };
  salt: string;
  /** Of the leaf, from 0. */
  index: number;
  /** From the leaf's level up; a node without a neighbour has none. */
  siblings: { hash: string; sum: string }[];
};
