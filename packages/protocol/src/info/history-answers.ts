import type { ActionResultStatus, OrderResult } from './venue-answers.ts';

/** The answers to queries of the history, except rows of orders, fills, funding and the ledger. */

/** A claim of a builder; only executed ones are listed. */
export type BuilderClaim = {
  amount: string;
  asset: 'USDC';
  status: 'success';
  time: number;
  /** The builder. */
  to: string;
  txHash: string;
};

/** The reward of one order for its builder: amounts and sizes are sums over its fills, the price is their average. */
export type BuilderEarning = {
  builderFee: string;
  /** A fraction. */
  builderFeeRate: string;
  /** The `f` of the order, in tenths of a basis point. */
  builderFeeRateF: number;
  instrumentId: number;
  instrumentName: string;
  marketType: 'perps' | 'outcome';
  notional: string;
  orderId: number;
  price: string;
  qty: string;
  /** Of the order's last fill, like `time`, `tradeId` and `txHash`. */
  role: 'Taker' | 'Maker';
  time: number;
  tradeId: number;
  txHash: string;
  /** Masked. */
  user: string;
};

/** A page of a builder's rows; the total counts orders or claims. */
export type BuilderRows<Row> = { items: Row[]; page: number; pageSize: number; total: number };

/** The part of one user or instrument in a builder's fees. */
export type BuilderShare = {
  /** Empty for a user, and for an unknown instrument. */
  instrumentName: string;
  /** A masked address, or the instrument id in decimal. */
  key: string;
  label: string;
  /** A fraction of the window's total. */
  ratio: number;
  /** Fees in USDC. */
  value: string;
};

/** The parts of all users or instruments, the largest first. */
export type BuilderShares = {
  dimension: 'user' | 'instrument';
  items: BuilderShare[];
  metric: 'fee';
  window: '7d' | '30d' | '90d' | 'all';
};

/** The unclaimed rewards of a builder, as of the history. */
export type BuilderClaimable = {
  claimable: string;
  hasAggregate: boolean;
  source: 'aggregate';
  totalClaimed: string;
  totalEarned: string;
  /** Absent before the first fee. */
  asOf?: number;
};

/** A block in lists. */
export type BlockRow = {
  height: number;
  blockTime: number;
  hash: string;
  parentHash: string;
  stateHash: string;
  proposer: string;
  numTxs: number;
};

/** A signed request that a block executed; the error is that of its execution. */
export type TxRow = {
  hash: string;
  time: number;
  user: string;
  action: { type: string };
  block: number;
  error: string | null;
};

export type BlockDetail = BlockRow & { txs: TxRow[] };

/** A request in a list. */
export type TxBrief = Omit<TxRow, 'action'> & {
  /**
   * As received, but only the first entry of orders, cancels, splits and merges; only its type
   * while an order is queued.
   */
  action: { type: string } & Record<string, unknown>;
  /** The number of entries, 1 for actions without a list; null while an order is queued. */
  entries: number | null;
};

/** A transaction as it was received, and its result. */
export type TxDetail = Omit<TxRow, 'action'> & {
  /** Its position in the block. */
  index: number;
  signer: string;
  nonce: number;
  vaultAddress: string | null;
  signatureChainId: number | null;
  expiresAfter: number | null;
  /** Complete, as received; only its type while one of its orders is queued. */
  action: { type: string } & Record<string, unknown>;
  signature: { r: string; s: string; v: number };
  traceId: string | null;
  result: { type: string; statuses: [ActionResultStatus]; orders?: OrderResult[] };
};

export type PortfolioWindow = 'day' | 'week' | 'month' | 'all';

/** The value of an account at a time; the other fields are sums since the start of the window. */
export type PortfolioPoint = {
  time: number;
  accountValue: string;
  pnl: string;
  volume: string;
  fees: string;
  funding: string;
};

/** An account over time: evenly spaced points, the last of which is now. */
export type Portfolio = {
  window: PortfolioWindow;
  /** Within the window, including transfers from and to other accounts. */
  deposits: string;
  withdrawals: string;
  points: PortfolioPoint[];
};

/** The accounts with the highest profit or volume within a window, up to now. */
export type Leaderboard = {
  window: PortfolioWindow;
  sortBy: 'pnl' | 'volume';
  /** The time of the last ranking: newer accounts are missing. */
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

/** A withdrawal and its progress; fields of the settlement chain are null without a bridge. */
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
