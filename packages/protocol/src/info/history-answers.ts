import type { ActionResultStatus, OrderResult } from './venue-answers.ts';

/** What the queries on the past answer, beside rows of orders, fills, funding and the ledger. */

/** A claim of a builder; only those that went through are listed. */
export type BuilderClaim = {
  amount: string;
  asset: 'USDC';
  status: 'success';
  time: number;
  /** The builder. */
  to: string;
  txHash: string;
};

/** What one order earned its builder: amounts and sizes of its fills summed, the price is their average. */
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
  /** Empty for a user, and for an instrument that nothing is known of. */
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

/** What a builder can claim, as far as the history has come. */
export type BuilderClaimable = {
  claimable: string;
  hasAggregate: boolean;
  source: 'aggregate';
  totalClaimed: string;
  totalEarned: string;
  /** Absent before the first fee. */
  asOf?: number;
};

/** A block, as lists show it. */
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

/** A block with what it executed. */
export type BlockDetail = BlockRow & { txs: TxRow[] };

/** A request of a list, with what it says. */
export type TxBrief = Omit<TxRow, 'action'> & {
  /** As received, but of orders, cancels, splits and merges the first alone; nothing but its type while an order is queued. */
  action: { type: string } & Record<string, unknown>;
  /** How many of those there are, 1 for what has no list; null while an order is queued. */
  entries: number | null;
};

/** A transaction as it was received, and what became of it. */
export type TxDetail = Omit<TxRow, 'action'> & {
  /** Its place in the block. */
  index: number;
  signer: string;
  nonce: number;
  vaultAddress: string | null;
  signatureChainId: number | null;
  expiresAfter: number | null;
  /** Whole, as received; nothing but its type while an order of it is queued. */
  action: { type: string } & Record<string, unknown>;
  signature: { r: string; s: string; v: number };
  traceId: string | null;
  result: { type: string; statuses: [ActionResultStatus]; orders?: OrderResult[] };
};

/** The window of a portfolio. */
export type PortfolioWindow = 'day' | 'week' | 'month' | 'all';

/** What an account was worth at a time; the rest are sums since the start of the window. */
export type PortfolioPoint = {
  time: number;
  accountValue: string;
  pnl: string;
  volume: string;
  fees: string;
  funding: string;
};

/** An account over time: evenly spaced points, of which the last is now. */
export type Portfolio = {
  window: PortfolioWindow;
  /** Within the window, transfers from and to others included. */
  deposits: string;
  withdrawals: string;
  points: PortfolioPoint[];
};

/** Who gained or traded most within a window, up to now. */
export type Leaderboard = {
  window: PortfolioWindow;
  sortBy: 'pnl' | 'volume';
  /** When all accounts were last compared: who has come up since then is missing. */
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

/** A withdrawal and how far it is; what the settlement chain says of it is null without a bridge. */
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
