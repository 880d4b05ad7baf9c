/**
 * An order's status in lists. A `triggered` order has reached its trigger price but is not
 * finished.
 */
export type OrderStatus = 'open' | 'filled' | 'cancelled' | 'rejected' | 'triggered';

/** The side of an order: `B` for a bid, `A` for an ask. */
export type Side = 'B' | 'A';

export type Leg = 'Yes' | 'No';

/** A fill of an order. Rows for splits, merges and settlements have order id and trade id 0. */
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
  /** The realised profit after this fill's fee. */
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
  /** The entry price; like `roe`, it is present only for fills that close a position. */
  entryPrice?: string;
  /** The return on equity in percent. */
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
  /** The filled notional in USDC. */
  filledAmount?: string;
  /** The realised profit before fees. */
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

/** A take-profit or stop-loss waiting for its parent order. */
export type TriggerChild = {
  limitPx: string;
  orderType: 'Market' | 'Limit';
  reduceOnly: boolean;
  side: Side;
  sz: string;
  triggerPx: string;
  triggerType: 'tp' | 'sl';
};

/** A trigger order waiting for its trigger price. */
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

/** A trade in an instrument; `side` is the taker's side. */
export type Trade = {
  coin: string;
  instrumentId: number;
  side: Side;
  px: string;
  sz: string;
  time: number;
  hash: string;
  tid: number;
  /** The addresses of the buyer and the seller. */
  users?: [string, string];
  /** Set if the venue liquidated a position in this trade (R-liquidation). */
  liquidation?: true;
};

/**
 * A trade on an outcome market. `px` is the price of YES, and `price` is the price of the taker's
 * outcome.
 */
export type OutcomeTrade = Trade & { outcome: Leg; price: string };

/** The execution of one order, or of all orders in an action. */
export type ExecutionReport = { user: string; orders: OrderReport[] };

export type ReportedBlock = { time: number; height: number };

/** The book at the time an order arrived. For an outcome order, prices are those of its outcome. */
export type ReportedArrival = {
  /**
   * The best bid; a best price is null if its side is empty, and the mid price is null unless both
   * sides have orders.
   */
  bestBid: string | null;
  bestAsk: string | null;
  midPx: string | null;
  markPx: string;
  /**
   * The oracle price; on an outcome market, this is the mark, because shares have no oracle price.
   */
  oraclePx: string;
  /**
   * The levels that the order traded with in its first block, best first, at most 50, each with its
   * size when the order reached it.
   */
  met: { px: string; sz: string }[];
};

/** A fill of an order in a report. */
export type ReportedFill = ReportedBlock & {
  tid: number;
  px: string;
  sz: string;
  role: 'taker' | 'maker';
  fee: string;
  builderFee: string;
};

/** The execution of an order from its arrival at the venue to its end. */
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
  /**
   * The block that executed the action. For one of the venue's own orders, the hash is the block's.
   */
  received: { time: number; txHash: string; height: number };
  /**
   * The time at which the order reached the book; later than `received` for queued and trigger
   * orders. Null if the order never reached the book or the time was not recorded.
   */
  entered: ReportedBlock | null;
  arrival: ReportedArrival | null;
  /** The newest 500 fills at most, oldest first. The sums below include all fills. */
  fills: ReportedFill[];
  filledSz: string;
  avgPx: string | null;
  fee: string;
  builderFee: string;
  /**
   * The slippage of the taker fills in basis points, against the mid and the mark at arrival. A
   * positive value is worse for the owner.
   */
  slippage: { mid: string | null; mark: string } | null;
  /**
   * The queue position since the order last came to rest or was amended. `ahead` is null if the
   * queue is too long to count.
   */
  resting: {
    from: number;
    to: number | null;
    px: string;
    aheadAtStart: string | null;
    ahead: string | null;
  } | null;
  end: (ReportedBlock & { state: OrderStatus; reason: string | null }) | null;
};
