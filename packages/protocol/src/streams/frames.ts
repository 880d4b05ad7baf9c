import type { ClearinghouseState, FundingRow, LedgerUpdate } from '../info/account-answers.ts';
import type { TxRow } from '../info/history-answers.ts';
import type { Level } from '../info/market-answers.ts';
import type { StrikeStatus } from '../info/outcome-answers.ts';
import type { Fill, HistOrderRow, Leg, OutcomeTrade, Side, Trade } from '../info/order-answers.ts';

/** The code of an error frame. The connection stays open after every error. */
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
 * The position from which a client resumes after a lost connection: after a frame of the same
 * process, or after a block in any process of the venue.
 */
export type ResumePoint = StreamPlace | { height: number };

/** The subscription in a frame: the channel and its parameters. */
export type SubscriptionFields = { type: string } & Record<string, unknown>;

export type ClientFrame =
  | { method: 'subscribe'; subscription: SubscriptionFields; resumeFrom?: ResumePoint }
  | { method: 'unsubscribe'; subscription: SubscriptionFields }
  | { method: 'ping' };

/**
 * A request for /exchange (`action`) or /info with the same body as over HTTP. It is supported only
 * on /ws.
 */
export type PostFrame = {
  method: 'post';
  /** An id that is unique among the connection's unanswered posts. */
  id: number;
  request: { type: 'action' | 'info'; payload: object };
};

/** The response to a post. */
export type PostAnswerFrame = {
  channel: 'post';
  data: {
    id: number;
    /** The type is `error` if the HTTP status is 400 or higher. */
    response: { type: 'action' | 'info' | 'error'; status: number; payload: object };
    /** How long to wait before another attempt, in seconds. */
    retryAfter?: number;
    rateLimit?: { limit: number; remaining: number; reset: number };
  };
};

/** The response to a subscribe or unsubscribe frame. */
export type SubscriptionResponse = {
  channel: 'subscriptionResponse';
  data: {
    method: 'subscribe' | 'unsubscribe';
    subscription: SubscriptionFields;
    sub: number;
    epoch: string;
    /** The number of the last frame before this subscription. */
    seq: number;
    /**
     * The height after which, on fact channels, the events of all blocks are sent. The name differs
     * from `height`, because this is not a position to resume from.
     */
    fromHeight?: number;
  };
};

/** A frame with data for a subscription. */
export type DataFrame<Data> = {
  channel: string;
  data: Data;
  /** The number of the subscription within its connection. */
  sub: number;
  /** The number of the frame within its stream, which is the same for all connections. */
  seq: number;
  /** The block that the data reflects. Set on fact channels, clearinghouseState and l2Diff. */
  height?: number;
  /** Set for the snapshot of an event channel after a resync. */
  isSnapshot?: true;
};

/**
 * A frame that reports that missed frames are no longer available. The next frame is a new
 * snapshot.
 */
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

/** The best bid and ask of an outcome market. A side is null if the book has no orders on it. */
export type OutcomeBbo = { instrumentId: number; bbo: [Level | null, Level | null] };

/**
 * The best prices of several outcome markets: first of all of them, and then of those that change.
 */
export type OutcomeBbosUpdate = { bbos: OutcomeBbo[] };

/** The trades of several outcome markets. */
export type OutcomeTradesUpdate = { trades: OutcomeTrade[] };

/**
 * One instrument's trades. A snapshot has the newest ones first; later frames have only new ones.
 */
export type RecentTradesUpdate = { coin: string; isSnapshot?: true; trades: Trade[] };

/** A summary of an instrument. Unset values are empty strings. */
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
  /** The difference between `markPx` and `prevDayPx`. */
  change24h: string;
  high24h: string;
  low24h: string;
  /** The rate per hour, as a fraction. */
  funding: string;
  /** The status of the strike; present only for a market in a series. */
  strikeStatus?: StrikeStatus;
  time: number;
  /**
   * Set if the instrument has been settled or delisted. This is then its last row, unless it was
   * requested by id.
   */
  gone?: true;
};

/** The summaries of instruments: first of all requested ones, and then of those that change. */
export type TickersUpdate = { tickers: Ticker[]; isSnapshot?: true };

/** A level of a changed book. Size "0" removes the level. */
export type LevelTuple = [px: string, sz: string, n: number];

/** The changes to a book. The first frame has the whole book. */
export type L2Diff = {
  coin: string;
  instrumentId: number;
  time: number;
  isSnapshot?: true;
  bids: LevelTuple[];
  asks: LevelTuple[];
  /** The CRC-32 of the top of the book after this frame. */
  checksum: number;
};

export type AccountStateUpdate = {
  user: string;
  accountType: 'perp' | 'outcome';
  clearinghouseState: ClearinghouseState;
};

/** The prices and volumes of an instrument. An unknown price is an empty string. */
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
    /** The rate per hour, as a fraction. */
    funding: string;
    premium: string | null;
    impactPxs: [string, string] | null;
    nextFundingTime: number;
  };
};

/** A perp order in an order channel's event. */
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

/**
 * One account's funding payments. A snapshot has the newest ones first; later frames have only new
 * ones.
 */
export type UserFundingsUpdate = { user: string; isSnapshot?: true; fundings: FundingRow[] };

/**
 * One account's ledger rows. A snapshot has the newest ones first; later frames have only new ones.
 */
export type UserLedgerUpdate = {
  user: string;
  isSnapshot?: true;
  nonFundingLedgerUpdates: LedgerUpdate[];
};

/** One account's fills. A snapshot has the newest ones first; later frames have only new ones. */
export type UserFillsUpdate = { user: string; isSnapshot?: true; fills: Fill[] };

/**
 * One account's orders. A snapshot has the most recently changed ones first; later frames have
 * those changed by a block.
 */
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

/** A signed request executed in a block, as in the query for a block. */
export type ExplorerTx = TxRow;

/** An outcome order in an order channel's event. Prices are those of its outcome. */
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

/** An order channel's event. A partial fill is another `open` event with a smaller size. */
export type OrderUpdate<Order = UpdatedOrder> = {
  order: Order;
  status: 'open' | 'filled' | 'cancelled' | 'rejected';
  statusTimestamp: number;
  reason?: string;
};

/** The result of a queued outcome order. Successes are reported only on request. */
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

/**
 * The topics of /ws-rtds and the prices they report. A topic requested under an alias is reported
 * under that alias.
 */
export const RTDS_TOPICS = {
  crypto_prices: 'spot',
  crypto_prices_oracle: 'oracle',
  crypto_prices_chainlink: 'oracle',
  crypto_prices_twap_thirty: 'twap30',
  crypto_prices_twap_sixty: 'twap60',
} as const;

export type RtdsTopic = keyof typeof RTDS_TOPICS;

/**
 * The prices of a topic: those of one source, or their averages over the number of seconds in the
 * name.
 */
export type RtdsSeries = (typeof RTDS_TOPICS)[RtdsTopic];

/** An entry of a subscribe or unsubscribe frame of /ws-rtds. */
export type RtdsSubscription = {
  topic: RtdsTopic;
  type: 'update' | '*';
  /** A JSON string such as `{"symbol":"btc/usd"}`. If empty or absent, all symbols are sent. */
  filters?: string;
};

/** A frame sent by a client. A client may also send the text PING instead. */
export type RtdsClientFrame = {
  action: 'subscribe' | 'unsubscribe';
  subscriptions: RtdsSubscription[];
};

export type RtdsUpdateFrame = {
  topic: RtdsTopic;
  type: 'update';
  /** The time at which the frame was sent. */
  timestamp: number;
  payload: {
    symbol: string;
    /** The time at which the price was observed. */
    timestamp: number;
    value: number;
    /** The value × 10^18, as a decimal integer string. */
    full_accuracy_value: string;
  };
  connection_id: string;
};

/** The prices of the last minute for one symbol, sent after a subscription to that symbol alone. */
export type RtdsDumpFrame = {
  topic: RtdsTopic;
  type: 'subscribe';
  timestamp: number;
  payload: { symbol: string; data: { timestamp: number; value: number }[] };
  connection_id: string;
};

/** The reason a frame or one of its entries was rejected. */
export type RtdsErrorFrame = {
  topic: string;
  type: 'error';
  /**
   * The error; `subscription` is the rejected entry as sent, and absent if the whole frame was
   * rejected.
   */
  payload: { message: string; code?: string; subscription?: object };
};
