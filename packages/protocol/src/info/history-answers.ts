import type { ActionResultStatus, OrderResult } from './venue-answers.ts';

/** A builder's claim. Only executed claims are included. */
export type BuilderClaim = {
  amount: string;
  asset: 'USDC';
  status: 'success';
  time: number;
  /** The builder's address. */
  to: string;
  txHash: string;
};

/**
 * A builder's reward for one order. Amounts and sizes are sums over the order's fills, and the
 * price is their average.
 */
export type BuilderEarning = {
  builderFee: string;
  /** The rate as a fraction. */
  builderFeeRate: string;
  /** The value of `f` in the order, in tenths of a basis point. */
  builderFeeRateF: number;
  instrumentId: number;
  instrumentName: string;
  marketType: 'perps' | 'outcome';
  notional: string;
  orderId: number;
  price: string;
  qty: string;
  /** The role of the order's last fill, which also determines `time`, `tradeId` and `txHash`. */
  role: 'Taker' | 'Maker';
  time: number;
  tradeId: number;
  txHash: string;
  /** The user's address, masked. */
  user: string;
};

/** A page of a builder's rows. `total` counts orders or claims. */
export type BuilderRows<Row> = { items: Row[]; page: number; pageSize: number; total: number };

/** One user's or instrument's share of a builder's fees. */
export type BuilderShare = {
  /** The name of the instrument; empty for a user and for an unknown instrument. */
  instrumentName: string;
  /** The masked address, or the instrument id in decimal. */
  key: string;
  label: string;
  /** The fraction of the total in the window. */
  ratio: number;
  /** The fees in USDC. */
  value: string;
};

/** The shares of all users or of all instruments, largest first. */
export type BuilderShares = {
  dimension: 'user' | 'instrument';
  items: BuilderShare[];
  metric: 'fee';
  window: '7d' | '30d' | '90d' | 'all';
};

/** A builder's unclaimed rewards, as of the last block in the history database. */
export type BuilderClaimable = {
  claimable: string;
  hasAggregate: boolean;
  source: 'aggregate';
  totalClaimed: string;
  totalEarned: string;
  /** The time of that block; absent before the builder's first fee. */
  asOf?: number;
};

/** A block as it appears in lists. */
export type BlockRow = {
  height: number;
  blockTime: number;
  hash: string;
  parentHash: string;
  stateHash: string;
  proposer: string;
  numTxs: number;
};

/** A signed request executed in a block. `error` is its execution error. */
export type TxRow = {
  hash: string;
  time: number;
  user: string;
  action: { type: string };
  block: number;
  error: string | null;
};

export type BlockDetail = BlockRow & { txs: TxRow[] };

/** A signed request as it appears in lists. */
export type TxBrief = Omit<TxRow, 'action'> & {
  /**
   * The action as received, except that lists of orders, cancels, splits and merges have only their
   * first entry. While one of its orders is queued, only its type is shown.
   */
  action: { type: string } & Record<string, unknown>;
  /**
   * The number of entries, which is 1 for an action without a list; null while an order is queued.
   */
  entries: number | null;
};

/** A signed request as received, with its result. */
export type TxDetail = Omit<TxRow, 'action'> & {
  /** The index of the request in its block. */
  index: number;
  signer: string;
  nonce: number;
  vaultAddress: string | null;
  signatureChainId: number | null;
  expiresAfter: number | null;
  /** The complete action as received. While one of its orders is queued, only its type is shown. */
  action: { type: string } & Record<string, unknown>;
  signature: { r: string; s: string; v: number };
  traceId: string | null;
  result: { type: string; statuses: [ActionResultStatus]; orders?: OrderResult[] };
};

export type PortfolioWindow = 'day' | 'week' | 'month' | 'all';

/** An account's value at a given time. The other fields are sums since the start of the window. */
export type PortfolioPoint = {
  time: number;
  accountValue: string;
  pnl: string;
  volume: string;
  fees: string;
  funding: string;
};

/** An account's value over time, as evenly spaced points. The last point is the present. */
export type Portfolio = {
  window: PortfolioWindow;
  /**
   * The deposits within the window, including transfers from other accounts. `withdrawals` includes
   * transfers to other accounts.
   */
  deposits: string;
  withdrawals: string;
  points: PortfolioPoint[];
};

/** The accounts with the highest profit or volume in a window that ends now. */
export type Leaderboard = {
  window: PortfolioWindow;
  sortBy: 'pnl' | 'volume';
  /** The time of the last ranking. Newer accounts are not included. */
  rankedTime: number;
  rows: LeaderboardRow[];
};

/** An account with the figures of its portfolio for the same window. */
export type LeaderboardRow = {
  user: string;
  accountValue: string;
  pnl: string;
  volume: string;
};

/**
 * A withdrawal and its progress. Without a bridge, the fields about the settlement chain are
 * null.
 */
export type Withdrawal = {
  id: number;
  time: number;
  destination: string;
  amount: string;
  fee: string;
  status: 'held' | 'signed' | 'sent' | 'confirmed' | 'returned';
  txHash: string | null;
  error: string | null;
  updateTime: number;
};
