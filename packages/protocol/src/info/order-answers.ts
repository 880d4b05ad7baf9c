/** Orders and fills as queries and streams show them. */

/** The status of an order in lists; `triggered` has fired, its order is not finished. */
export type OrderStatus = 'open' | 'filled' | 'cancelled' | 'rejected' | 'triggered';

/** Bid or ask: the wire's `b`. */
export type Side = 'B' | 'A';

/** A leg of an outcome market. */
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

/** An order as the history shows it. */
export type HistOrder = {
  coin: string;
  symbol: string;
  side: Side;
  limitPx: string;
  /** What remains. */
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

/** An open order. */
export type OpenOrder = Pick<HistOrder, OpenOrderField> & { status: 'open' };

/** An open order on an outcome market. */
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

/** A trade; `side` is the aggressor's. */
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
  /** The venue closed a position that was in danger (R-liquidation); an extension, absent otherwise. */
  liquidation?: true;
};

/** A trade on an outcome market; `px` is the YES price, `price` that of the taker's leg. */
export type OutcomeTrade = Trade & { outcome: Leg; price: string };

/** How the orders of an action, or one of them, were executed. */
export type ExecutionReport = { user: string; orders: OrderReport[] };

/** A block and its time. */
export type ReportedBlock = { time: number; height: number };

/** The book that an order met; prices of an outcome order are its leg's own. */
export type ReportedArrival = {
  /** Null for a side that was empty; without both there is no mid. */
  bestBid: string | null;
  bestAsk: string | null;
  midPx: string | null;
  markPx: string;
  /** The mark on an outcome market: nobody tells the price of a share. */
  oraclePx: string;
  /** Levels that it traded with in the block in which it came, best first, each with what rested there when it got to it; at most 50. */
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

/** One order from the door of the venue to its end. */
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
  /** The block that executed its action; the hash is that of the block for an order that the venue itself sent. */
  received: { time: number; txHash: string; height: number };
  /** When it came to the book: later by the delay queue, or by a trigger. Null when it never did, or nobody noted it. */
  entered: ReportedBlock | null;
  arrival: ReportedArrival | null;
  /** Oldest first, of more than 500 the newest. The sums are those of all. */
  fills: ReportedFill[];
  filledSz: string;
  avgPx: string | null;
  fee: string;
  builderFee: string;
  /** Of what it took, in basis points: positive is worse for its owner than the mid or the mark that it met. */
  slippage: { mid: string | null; mark: string } | null;
  /** Since it last came to rest or was amended; what is ahead is null where the queue is too long to count. */
  resting: {
    from: number;
    to: number | null;
    px: string;
    aheadAtStart: string | null;
    ahead: string | null;
  } | null;
  end: (ReportedBlock & { state: OrderStatus; reason: string | null }) | null;
};
