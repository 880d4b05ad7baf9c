import type { ClearinghouseState, FundingRow, LedgerUpdate } from '../info/account-answers.ts';
import type { TxRow } from '../info/history-answers.ts';
import type { Level } from '../info/market-answers.ts';
import type { StrikeStatus } from '../info/outcome-answers.ts';
import type { Fill, HistOrderRow, Leg, OutcomeTrade, Side, Trade } from '../info/order-answers.ts';

/** The frames of /ws and /api-ws. */

/** The code of an error frame. The connection stays open after any of them. */
export type StreamErrorCode =
  | 'RISK_RATE_LIMITED'
  | 'INVALID_FRAME'
  | 'UNKNOWN_CHANNEL'
  | 'INVALID_PARAMS'
  | 'ALREADY_SUBSCRIBED'
  | 'NOT_SUBSCRIBED'
  | 'TOO_MANY_SUBSCRIPTIONS'
  | 'INTERNAL';

/** The position of a client in a stream of one process. */
export type StreamPlace = { epoch: string; seq: number };

/**
 * The position to resume from after a lost connection: after a frame, or after a block of the
 * venue, which is independent of the process.
 */
export type ResumePoint = StreamPlace | { height: number };

/** A subscription in frames: the channel and its parameters. */
export type SubscriptionFields = { type: string } & Record<string, unknown>;

export type ClientFrame =
  | { method: 'subscribe'; subscription: SubscriptionFields; resumeFrom?: ResumePoint }
  | { method: 'unsubscribe'; subscription: SubscriptionFields }
  | { method: 'ping' };

/** The answer to a subscribe or unsubscribe. */
export type SubscriptionResponse = {
  channel: 'subscriptionResponse';
  data: {
    method: 'subscribe' | 'unsubscribe';
    subscription: SubscriptionFields;
    sub: number;
    epoch: string;
    /** The last frame sent before this subscription. */
    seq: number;
    /**
     * On channels of facts: events of all later blocks are sent. It is not named `height`, because
     * it is not part of a position.
     */
    fromHeight?: number;
  };
};

/** A data frame. */
export type DataFrame<Data> = {
  channel: string;
  data: Data;
  /** Numbers the subscriptions of a connection. */
  sub: number;
  /** Counts the frames of a stream, the same for all connections. */
  seq: number;
  /** On channels of facts, clearinghouseState and l2Diff: the block that the data reflect. */
  height?: number;
  /** A snapshot of an event channel after a resync. */
  isSnapshot?: true;
};

/** Reports that missed frames are no longer available; a new snapshot follows. */
export type ResyncFrame = {
  channel: 'resync';
  data: {
    sub: number;
    subscription: SubscriptionFields;
    epoch: string;
    seq: number;
    reason: 'epoch' | 'tooOld' | 'ahead';
  };
};

/** Best bid and ask of an outcome market; a side is null when the book is empty there. */
export type OutcomeBbo = { instrumentId: number; bbo: [Level | null, Level | null] };

/** Best prices of a group of outcome markets: first all of them, then those that changed. */
export type OutcomeBbosUpdate = { bbos: OutcomeBbo[] };

/** Trades of a group of outcome markets. */
export type OutcomeTradesUpdate = { trades: OutcomeTrade[] };

/** Trades of one instrument: the newest ones first in a snapshot, later only new ones. */
export type RecentTradesUpdate = { coin: string; isSnapshot?: true; trades: Trade[] };

/** The summary of an instrument; unset values are empty texts. */
export type Ticker = {
  instrumentId: number;
  coin: string;
  lastPx: string;
  markPx: string;
  oraclePx: string;
  openInterest: string;
  dayNtlVlm: string;
  dayBaseVlm: string;
  prevDayPx: string;
  /** `markPx` less `prevDayPx`. */
  change24h: string;
  high24h: string;
  low24h: string;
  /** A fraction per hour. */
  funding: string;
  /** Only for a market of a series. */
  strikeStatus?: StrikeStatus;
  time: number;
  /** Settled or delisted: the last row, unless the market was requested by its id. */
  gone?: true;
};

/** Tickers: first all requested ones, then those that changed. */
export type TickersUpdate = { tickers: Ticker[]; isSnapshot?: true };

/** A level of a book difference; size "0" removes it. */
export type LevelTuple = [px: string, sz: string, n: number];

/** Changes of a book, after a first frame with all of it. */
export type L2Diff = {
  coin: string;
  instrumentId: number;
  time: number;
  isSnapshot?: true;
  bids: LevelTuple[];
  asks: LevelTuple[];
  /** CRC-32 of the top of the book after the frame. */
  checksum: number;
};

export type AccountStateUpdate = {
  user: string;
  accountType: 'perp' | 'outcome';
  clearinghouseState: ClearinghouseState;
};

/** Prices and volumes of an instrument. An unknown price is the empty text. */
export type AssetContext = {
  coin: string;
  instrumentId: number;
  ctx: {
    dayNtlVlm: string;
    dayBaseVlm: string;
    prevDayPx: string;
    markPx: string;
    midPx: string | null;
    oraclePx: string;
    openInterest: string;
    /** A fraction per hour. */
    funding: string;
    premium: string | null;
    impactPxs: [string, string] | null;
    nextFundingTime: number;
  };
};

/** The order in an element of an order channel. */
export type UpdatedOrder = {
  coin: string;
  symbol: string;
  instrumentId: number;
  side: Side;
  limitPx: string;
  sz: string;
  origSz: string;
  filledSz: string;
  avgPx: string | null;
  oid: number;
  timestamp: number;
  reduceOnly: boolean;
  orderType: 'Market' | 'Limit';
  tif: string;
  isTrigger: boolean;
  triggerPx: string;
  cloid: string | null;
};

/** Funding payments of one account: the newest ones first in a snapshot, later only new ones. */
export type UserFundingsUpdate = { user: string; isSnapshot?: true; fundings: FundingRow[] };

/** Ledger rows of one account: the newest ones first in a snapshot, later only new ones. */
export type UserLedgerUpdate = {
  user: string;
  isSnapshot?: true;
  nonFundingLedgerUpdates: LedgerUpdate[];
};

/** Fills of one account: the newest ones first in a snapshot, later only new ones. */
export type UserFillsUpdate = { user: string; isSnapshot?: true; fills: Fill[] };

/** Orders of one account: the last changed first in a snapshot, later those that a block changed. */
export type UserHistoricalOrdersUpdate = {
  user: string;
  isSnapshot?: true;
  orderHistory: HistOrderRow[];
};

/** A block in the explorer. */
export type ExplorerBlock = {
  height: number;
  blockTime: number;
  hash: string;
  proposer: string;
  numTxs: number;
};

/** A signed request that a block executed, as in the query of a block. */
export type ExplorerTx = TxRow;

/** An outcome order in an element of an order channel; prices are those of the leg. */
export type UpdatedOutcomeOrder = {
  oid: number;
  instrumentId: number;
  coin: string;
  outcome: Leg;
  side: Side;
  reduceOnly: boolean;
  limitPx: string;
  sz: string;
  origSz: string;
  filledSz: string;
  avgPx: string | null;
  timestamp: number;
  tif: string;
  expireTime?: number;
  cloid: string | null;
  traceId?: string;
};

/** An element of the two order channels; a partial fill is another `open` with a smaller size. */
export type OrderUpdate<Order = UpdatedOrder> = {
  order: Order;
  status: 'open' | 'filled' | 'cancelled' | 'rejected';
  statusTimestamp: number;
  reason?: string;
};

/** The result of a queued outcome order; successes only on request. */
export type OutcomeOrderRelease = {
  done: true;
  success: boolean;
  traceId: string;
  user: string;
  time: number;
  i: number;
  cloid: string | null;
  oid?: number;
  body: { code: number; message: string; name?: string; details?: object };
};

/** The frames of /ws-rtds, which have a different convention. */

/** The topics with their kinds of prices; an alias is served under the requested name. */
export const RTDS_TOPICS = {
  crypto_prices: 'spot',
  crypto_prices_oracle: 'oracle',
  crypto_prices_chainlink: 'oracle',
  crypto_prices_twap_thirty: 'twap30',
  crypto_prices_twap_sixty: 'twap60',
} as const;

export type RtdsTopic = keyof typeof RTDS_TOPICS;

/** The prices of a topic: one source's prices, or their averages over this many seconds. */
export type RtdsSeries = (typeof RTDS_TOPICS)[RtdsTopic];

/** One entry of a subscribe or unsubscribe frame. */
export type RtdsSubscription = {
  topic: RtdsTopic;
  type: 'update' | '*';
  /** JSON text, `{"symbol":"btc/usd"}`; empty or absent means all symbols. */
  filters?: string;
};

/** A frame of a client, which may also send the bare word PING. */
export type RtdsClientFrame = {
  action: 'subscribe' | 'unsubscribe';
  subscriptions: RtdsSubscription[];
};

export type RtdsUpdateFrame = {
  topic: RtdsTopic;
  type: 'update';
  /** The sending time. */
  timestamp: number;
  payload: {
    symbol: string;
    /** The observation time. */
    timestamp: number;
    value: number;
    /** The value × 10^18, an integer as text. */
    full_accuracy_value: string;
  };
  connection_id: string;
};

/** The last minute of one symbol, for subscriptions to only that symbol. */
export type RtdsDumpFrame = {
  topic: RtdsTopic;
  type: 'subscribe';
  timestamp: number;
  payload: { symbol: string; data: { timestamp: number; value: number }[] };
  connection_id: string;
};

/** The reason why a frame or one of its entries was rejected. */
export type RtdsErrorFrame = {
  topic: string;
  type: 'error';
  payload: { message: string; code?: string };
};
