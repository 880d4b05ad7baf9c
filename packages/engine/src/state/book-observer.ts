/**
 * Whoever wants to know how orders fare in their books beyond what events say: what an order met when it came, and where
 * it stands in its queue. Only a replica that follows has one: trading pays a look whether it is there. It changes
 * nothing, is no part of the state that is dumped or hashed, and what it is told it must not keep as it is.
 */
export interface BookObserver {
  /** A block begins; orders that come in it have ids from this one on. */
  begins(nextOrderId: number): void;
  /** An order is about to meet its book. One that tries again, or goes in parts, comes here each time. */
  enters(arrival: BookArrival): void;
  /** An order that is matched has come to another price, at which so many lots rest: it trades there, or cancels what it may not trade with. */
  meets(orderId: number, price: number, size: number): void;
  /** An order rests, or its owner has amended it. */
  rests(orderId: number, price: number, ahead: number | undefined): void;
  /** An order is about to leave its book; what is ahead of it is what was not traded before it. */
  leaves(orderId: number, ahead: number | undefined): void;
}

/** A book at the moment when an order meets it. Prices are the book's own: those of YES on an outcome market. */
export type BookArrival = {
  readonly orderId: number;
  readonly instrumentId: number;
  /** 0 for a side that is empty. */
  readonly bestBid: number;
  readonly bestAsk: number;
  /** In half price units, in which the mark of an outcome market is exact. */
  readonly markHalves: number;
  /** 0 on an outcome market: nobody tells the price of a share. */
  readonly oracle: number;
};
