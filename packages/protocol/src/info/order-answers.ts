/** Orders and fills in queries and streams. */

/** The status of an order in lists; a `triggered` order has fired but is not finished. */
export type OrderStatus = 'open' | 'filled' | 'cancelled' | 'rejected' | 'triggered';

/** Bid or ask: the wire's `b`. */
export type Side = 'B' | 'A';

export type Leg = 'Yes' | 'No';

/** A fill; rows of splits, merges and settlements have order and trade id 0. */
export type Fill = {
  coin: string;
  symbol: string;
  px: string;
  sz: string;
  side: Side;
  time: number;
  startPosition: string;
  dir: string;
  reduceOnly: boolean;
  /** Net of this fill's fee. */
  closedPnl: string;
  hash: string;
  oid: number;
  /** True for the taker. */
  crossed: boolean | null;
  fee: string;
  tid: number;
  feeToken: 'USDC';
  twapId: null;
  tradeSide: 'Taker' | 'Maker' | null;
  marginMode: 'Cross' | 'Isolated';
  leverage: number;
  instrumentId: number;
  instrumentType: 'perps' | 'outcome';
  marketType: 'perps' | 'outcome';
  /** Only on closing fills, like `roe`. */
  entryPrice?: string;
  /** In percent. */
  roe?: string;
  cloid?: string | null;
  builderFee?: string;
  outcome?: Leg;
  title?: string;
  slug?: string;
};

/** An order in the history. */
export type HistOrder = {
  coin: string;
  symbol: string;
  side: Side;
  limitPx: string;
  /** The remaining size. */
  sz: string;
  origSz: string;
  oid: number;
  timestamp: number;
  triggerCondition: string;
  isTrigger: boolean;
  triggerPx: string;
  children: HistOrder[];
  isPositionTpsl: boolean;
  reduceOnly: boolean;
  dir: string;
  orderType: 'Market' | 'Limit';
  tif: 'GTC' | 'GTD' | 'ALO' | 'IOC';
  expireTime?: number;
  cloid: string | null;
  avgFillPrice: string | null;
  positionMode: 'OneWay' | 'Hedge';
  marginMode: 'Cross' | 'Isolated';
  leverage: number;
  fee?: string;
  /** In USDC. */
  filledAmount?: string;
  /** Before fees. */
  pnl?: string;
  entryPrice?: string;
  roe?: string;
  cancelSource?: string;
  cancelReason?: string;
  rejectReason?: string;
  status: OrderStatus;
  instrumentId: number;
  instrumentType: 'perps' | 'outcome';
  marketType: 'perps' | 'outcome';
  outcome?: Leg;
  title?: string;
  slug?: string;
};

/** A row of historicalOrders. */
export type HistOrderRow = { order: HistOrder; status: OrderStatus; statusTimestamp: number };

type OpenOrderField =
  | 'coin'
  | 'symbol'
  | 'side'
  | 'limitPx'
  | 'sz'
  | 'origSz'
  | 'oid'
  | 'timestamp'
  | 'triggerCondition'
  | 'isTrigger'
  | 'triggerPx'
  | 'children'
  | 'isPositionTpsl'
  | 'reduceOnly'
  | 'dir'
  | 'orderType'
  | 'tif'
  | 'expireTime'
  | 'cloid'
  | 'avgFillPrice'
  | 'positionMode'
  | 'marginMode'
  | 'leverage'
  | 'instrumentId'
  | 'instrumentType'
  | 'marketType';

export type OpenOrder = Pick<HistOrder, OpenOrderField> & { status: 'open' };

export type OutcomeOpenOrder = OpenOrder & {
  outcome: Leg;
  title: string;
  slug: string;
  eventSlug: string;
  outcomeNames: [string, string];
};

/** A take-profit or stop-loss that waits for its parent. */
export type TriggerChild = {
  limitPx: string;
  orderType: 'Market' | 'Limit';
  reduceOnly: boolean;
  side: Side;
  sz: string;
  triggerPx: string;
  triggerType: 'tp' | 'sl';
};

/** A trigger order that waits for its price. */
export type TriggerOrder = {
  asset: string;
  coin: string;
  createTime: number;
  leverage: number;
  limitPx: string;
  marginMode: 'Cross' | 'Isolated';
  oid: number;
  orderType: 'Market' | 'Limit';
  positionMode: 'OneWay' | 'Hedge';
  reduceOnly: boolean;
  side: Side;
  sz: string;
  triggerPx: string;
  triggerState: 'Pending' | 'Triggered' | 'Cancelled' | 'Rejected';
  cloid: string | null;
  tpslChildren: TriggerChild[] | null;
};

/** A trade; `side` is the taker's. */
export type Trade = {
  coin: string;
  instrumentId: number;
  side: Side;
  px: string;
  sz: string;
  time: number;
  hash: string;
  tid: number;
  /** Bid side and ask side. */
  users?: [string, string];
  /** The venue liquidated a position (R-liquidation); absent otherwise. */
  liquidation?: true;
};

/** A trade on an outcome market; `px` is the YES price, `price` that of the taker's leg. */
export type OutcomeTrade = Trade & { outcome: Leg; price: string };

/** The execution of an action's orders, or of one of them. */
export type ExecutionReport = { user: string; orders: OrderReport[] };

export type ReportedBlock = { time: number; height: number };

/** The book when an order arrived; prices of an outcome order are those of its leg. */
export type ReportedArrival = {
  /** Null for an empty side; without both there is no mid price. */
  bestBid: string | null;
  bestAsk: string | null;
  midPx: string | null;
  markPx: string;
  /** On an outcome market the mark, because shares have no oracle price. */
  oraclePx: string;
  /**
   * The levels that it traded with in its first block, best first, each with its size when the
   * order reached it; at most 50.
   */
  met: { px: string; sz: string }[];
};

/** A fill of an order. */
export type ReportedFill = ReportedBlock & {
  tid: number;
  px: string;
  sz: string;
  role: 'taker' | 'maker';
  fee: string;
  builderFee: string;
};

/** An order from its arrival at the venue to its end. */
export type OrderReport = {
  oid: number;
  cloid: string | null;
  instrumentId: number;
  coin: string;
  side: Side;
  outcome: Leg | null;
  tif: HistOrder['tif'];
  limitPx: string;
  origSz: string;
  /** The block that executed its action; for an order of the venue itself, the hash is that of the block. */
  received: { time: number; txHash: string; height: number };
  /**
   * When it reached the book: later than received for queued and trigger orders. Null when it never
   * did, or was not recorded.
   */
  entered: ReportedBlock | null;
  arrival: ReportedArrival | null;
  /** Oldest first, at most the newest 500. The sums include all fills. */
  fills: ReportedFill[];
  filledSz: string;
  avgPx: string | null;
  fee: string;
  builderFee: string;
  /** Of its taker fills, in basis points: positive is worse for its owner than the mid or the mark at its arrival. */
  slippage: { mid: string | null; mark: string } | null;
  /** Since it last came to rest or was amended; the size ahead is null if the queue is too long to count. */
  resting: {
    from: number;
    to: number | null;
    px: string;
    aheadAtStart: string | null;
    ahead: string | null;
  } | null;
  end: (ReportedBlock & { state: OrderStatus; reason: string | null }) | null;
};
