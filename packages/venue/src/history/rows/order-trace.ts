import type { BookArrival } from '@oddlot/engine';

/** What became of an order in its book, as far as neither its row nor its fills say it. Prices are the book's own. */

/** Blocks of an order's fills that are remembered; a report shows no more fills than this. */
export const FILL_BLOCKS_MAX = 500;

export type BlockPlace = { readonly height: number; readonly timeMs: number };

/** Levels of an arrival that are noted. */
export const MET_LEVELS_MAX = 50;

export type MetLevel = { readonly price: number; readonly size: number };

/** The book that an order met. */
export type EnteredBook = Pick<BookArrival, 'bestBid' | 'bestAsk' | 'markHalves' | 'oracle'> & {
  /** Levels that it traded with, each with what rested there when it got to it. */
  readonly met: readonly MetLevel[];
};

/** Where an order rests; what is ahead of it is undefined where the queue was too long to count. */
export type Rest = { readonly price: number; readonly aheadAtStart: number | undefined };

/** What an order took, in lots, and at its leg's own price in micro-USDC. */
export type TakerPart = { lots: number; notional: number };

/** An order in the block in which it got its id. All have one shape: they are made as often as orders are. */
export type ArrivalTrace = {
  readonly orderId: number;
  readonly instrumentId: number;
  readonly szDecimals: number;
  /** The command of the block that its action is, below 0 when time alone sent it. */
  readonly commandIndex: number;
  /** The block that received it, of one that has waited in the delay queue. */
  readonly received: BlockPlace | undefined;
  readonly entered: EnteredBook | undefined;
  readonly rest: Rest | undefined;
  readonly taker: TakerPart | undefined;
  readonly hasFills: boolean;
  /** Of one that ended in the same block. */
  readonly ended: TraceEnd | undefined;
  /** The hash of its action, where that is not one of the block, or the block is no longer kept. */
  readonly txHash: string | undefined;
};

/** How an order left. */
export type TraceEnd = {
  /** Undefined when the queue was too long to count, or it never rested. */
  readonly ahead: number | undefined;
  /** Of all its fills, in micro-USDC. */
  readonly builderFee: number;
};

/** What became of an order after that block; only what there is. */
export type LaterTrace = {
  entered?: BlockPlace & { readonly book: EnteredBook };
  /** It came to rest again, or late: this counts from then on. */
  rest?: Rest & { readonly fromMs: number };
  taker?: TakerPart;
  /** Blocks with fills, oldest first, the newest of them: times and heights in turn. */
  fills?: number[];
};

/** An order that ended in a later block than it came in. */
export type OrderEndRecord = {
  readonly orderId: number;
  readonly szDecimals: number;
  readonly trace: LaterTrace;
  readonly end: TraceEnd;
};
