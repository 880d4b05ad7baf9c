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
