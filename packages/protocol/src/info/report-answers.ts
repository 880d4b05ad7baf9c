import type { HistOrder, Leg, OrderStatus, Side } from './order-answers.ts';

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
