import type { Leg, Side } from './order-answers.ts';

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
