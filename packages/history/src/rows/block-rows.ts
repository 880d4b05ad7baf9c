import type {
  Fill,
  FundingRow,
  HistOrderRow,
  LargestTrade,
  LedgerUpdate,
  Liquidation,
  OpenInterestRow,
} from '@oddlot/protocol';
import type { Address, Hash } from '@oddlot/units';
import type { BlockHead } from '@oddlot/replica/block';
import type { ReceiptRow } from '../receipt.ts';
import type { BookArrival } from '@oddlot/engine';

/**
 * The rows of a block. The key of a row is its height and its index in the list, so rows that are written twice are
 * equal. Texts are those of the wire, so an old row is the same in any release.
 */
export type BlockRows = {
  readonly head: BlockHead & { readonly parentHash: Hash };
  /** The signed requests that the block executed, in order. */
  readonly txs: readonly TxRecord[];
  /** Receipts that the block completed: those of queued actions are completed in a later block. */
  readonly receipts: readonly ReceiptRow[];
  readonly fills: readonly FillRecord[];
  /**
   * Orders after their last change in the block, one row each, in order. Live orders are included if they are
   * reported, or if their row was made anyway; only ended orders are stored.
   */
  readonly orders: readonly OrderRecord[];
  /** Rows of parents of which only children changed: reported but not stored, because queries join them. */
  readonly retold?: readonly OrderRecord[];
  /** Live orders that are neither reported nor stored, but may be queried soon. */
  readonly untold?: readonly UntoldOrder[];
  /** Arrivals of all orders that got their ids in the block. */
  readonly arrivals?: readonly ArrivalTrace[];
  /** Ends of orders that arrived in an earlier block. */
  readonly ends?: readonly OrderEndRecord[];
  readonly fundings: readonly FundingRecord[];
  readonly ledger: readonly LedgerRecord[];
  readonly earnings: readonly EarningRecord[];
  readonly claims: readonly ClaimRecord[];
  readonly withdrawals: readonly WithdrawalRecord[];
  readonly candles: readonly CandleRecord[];
  readonly accountValues: readonly AccountValueRecord[];
  readonly markets: readonly MarketTextRecord[];
  readonly settledEvents: readonly SettledEventRecord[];
  readonly liquidations?: readonly LiquidationRecord[];
  readonly largestTrades?: readonly LargestTradesRecord[];
  readonly openInterest?: readonly OpenInterestRecord[];
};

export type AccountType = 'perp' | 'outcome';

/** The position of a row; newest first is the descending order. */
export type RowPosition = readonly [timeMs: number, height: number, index: number];

export type TxRecord = {
  /** The index of the command in its block. */
  readonly index: number;
  readonly txHash: Hash;
  readonly user: Address;
  readonly actionType: string;
  /** The message of a refusal at execution. */
  readonly error: string | null;
  /** The request as received. */
  readonly request: string;
};

export type FillRecord = {
  readonly user: Address;
  readonly accountType: AccountType;
  readonly instrumentId: number;
  /** Without title and slug, which queries add from the texts of the market. */
  readonly row: Fill;
};

export type OrderRecord = {
  readonly user: Address;
  readonly accountType: AccountType;
  readonly instrumentId: number;
  readonly orderId: number;
  /** Its index among all orders that the block changed, including orders without a row. */
  readonly index: number;
  /** It was placed with another order, whose row contains it. */
  readonly isChild?: true;
  /** Without title and slug. Its time is the `statusTimestamp`. */
  readonly row: HistOrderRow;
};

/** The row of a live order that changed, which is made on demand. */
export type UntoldOrder = Pick<OrderRecord, 'user' | 'accountType' | 'instrumentId'> & {
  readonly index: number;
  readonly row: () => HistOrderRow;
};

/** An open or triggered order can change again. */
export function isLive({ status }: Pick<HistOrderRow, 'status'>): boolean {
  return status === 'open' || status === 'triggered';
}

export type FundingRecord = {
  readonly user: Address;
  readonly instrumentId: number;
  readonly amountMicroUsdc: number;
  readonly row: FundingRow;
};

export type LedgerRecord = {
  readonly user: Address;
  /** Both types if the row belongs to both. */
  readonly accountTypes: readonly AccountType[];
  /** The key of its first version: the row of a withdrawal is replaced when its status changes. */
  readonly first: { readonly height: number; readonly index: number };
  readonly row: LedgerUpdate;
};

/** The earnings of a builder from one order so far. */
export type EarningRecord = {
  readonly builder: Address;
  readonly user: Address;
  readonly orderId: number;
  readonly instrumentId: number;
  readonly instrumentName: string;
  readonly accountType: AccountType;
  readonly feeTenthsBp: number;
  readonly feeMicroUsdc: number;
  /** The part that this block added. */
  readonly addedFeeMicroUsdc: number;
  readonly notionalMicroUsdc: number;
  readonly qty: string;
  readonly price: string;
  /** Of the last fill, like the following fields. */
  readonly role: 'Taker' | 'Maker';
  readonly tradeId: number;
  readonly txHash: Hash;
  readonly timeMs: number;
};

export type ClaimRecord = {
  readonly builder: Address;
  readonly amountMicroUsdc: number;
  readonly txHash: Hash;
  readonly timeMs: number;
};

/** A withdrawal after its last change; a newer version replaces it. */
export type WithdrawalRecord = {
  readonly user: Address;
  readonly withdrawalId: number;
  /** The times of the request and of the last change of its status. */
  readonly timeMs: number;
  readonly updatedMs: number;
  readonly destination: Address;
  readonly amountMicroUsdc: number;
  readonly feeMicroUsdc: number;
  readonly status: 'pending' | 'completed' | 'failed';
  /** The final transaction of the settlement chain, and the reason of a failure. */
  readonly txHash?: Hash;
  readonly error?: string;
};

/** A closed bar of trades; coarser bars are combined from these. */
export type CandleRecord = {
  readonly instrumentId: number;
  readonly stepMs: number;
  readonly startMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly lots: number;
  readonly trades: number;
};

/** The value of an account and its cumulative sums; windows are differences of them. */
export type AccountValueRecord = {
  readonly user: Address;
  /** The coarsest step that ends here: five minutes, an hour or a day. */
  readonly stepMs: number;
  readonly timeMs: number;
  readonly value: number;
  readonly moneyIn: number;
  readonly moneyOut: number;
  readonly volume: number;
  readonly fees: number;
  readonly funding: number;
};

/** The part of a position that a step of a liquidation closed. */
export type LiquidationRecord = { readonly instrumentId: number; readonly row: Liquidation };

/** A trade and the value by which it is ranked, in micro-USDC. */
export type RankedTrade = { readonly value: number; readonly row: LargestTrade };

/** The largest trades of a period so far, the largest first; a newer record replaces it. */
export type LargestTradesRecord = {
  readonly list: number;
  readonly startMs: number;
  /** The first record of its list and period. */
  readonly isFirst?: true;
  readonly trades: readonly RankedTrade[];
};

export type OpenInterestRecord = { readonly instrumentId: number; readonly row: OpenInterestRow };

/** Texts of an outcome market, starting with its listing. */
export type MarketTextRecord = {
  readonly instrumentId: number;
  readonly slug: string;
  readonly title: string;
  readonly eventSlug: string;
};

/**
 * An event whose markets are all paid, with all data that is shown of it. It is replaced if another market joins the
 * event later.
 */
export type SettledEventRecord = {
  readonly eventId: number;
  readonly slug: string;
  readonly seriesSlug: string | null;
  readonly createdMs: number;
  readonly startMs: number;
  readonly endMs: number;
  /** After this time no market can join the event, and all are resolved. */
  readonly settledMs: number;
  readonly volumeMicroUsdc: number;
  readonly tags: readonly string[];
  readonly markets: readonly {
    readonly instrumentId: number;
    readonly slug: string;
    readonly startMs: number;
  }[];
  /** JSON of the catalogue's data. */
  readonly body: string;
};

/** Blocks with fills that are recorded for an order; a report shows at most this many fills. */
export const FILL_BLOCKS_MAX = 500;

export type BlockPlace = { readonly height: number; readonly timeMs: number };

/** Levels that are recorded for an arrival. */
export const MET_LEVELS_MAX = 50;

export type MetLevel = { readonly price: number; readonly size: number };

/** The book at the arrival of an order. Prices are those of the book. */
export type EnteredBook = Pick<BookArrival, 'bestBid' | 'bestAsk' | 'markHalves' | 'oracle'> & {
  /** Levels with which it traded, with their sizes at that moment. */
  readonly met: readonly MetLevel[];
};

/** The resting order; `aheadAtStart` is undefined if the queue was too long to count. */
export type Rest = { readonly price: number; readonly aheadAtStart: number | undefined };

/** The taker part of an order, in lots, and in micro-USDC at the price of its own leg. */
export type TakerPart = { lots: number; notional: number };

/** An order in the block in which it got its id. All have the same shape, because there is one per order. */
export type ArrivalTrace = {
  readonly orderId: number;
  readonly instrumentId: number;
  readonly szDecimals: number;
  /** The index of the command that placed it; negative for orders that the venue placed. */
  readonly commandIndex: number;
  /** The block that received an order that waited in the delay queue. */
  readonly received: BlockPlace | undefined;
  readonly entered: EnteredBook | undefined;
  readonly rest: Rest | undefined;
  readonly taker: TakerPart | undefined;
  readonly hasFills: boolean;
  /** Set if the order ended in the same block. */
  readonly ended: TraceEnd | undefined;
  /** The hash of its action, if that is not in the block, or the block is no longer stored. */
  readonly txHash: string | undefined;
};

export type TraceEnd = {
  /** Undefined if the queue was too long to count, or the order never rested. */
  readonly ahead: number | undefined;
  /** Of all its fills, in micro-USDC. */
  readonly builderFee: number;
};

/** Events of an order after that block; other fields are absent. */
export type LaterTrace = {
  entered?: BlockPlace & { readonly book: EnteredBook };
  /** It rested again, or later: these values are valid since then. */
  rest?: Rest & { readonly fromMs: number };
  taker?: TakerPart;
  /** The newest blocks with fills, oldest first: alternating times and heights. */
  fills?: number[];
};

/** An order that ended in a later block than it arrived in. */
export type OrderEndRecord = {
  readonly orderId: number;
  readonly szDecimals: number;
  readonly trace: LaterTrace;
  readonly end: TraceEnd;
};

/** The row of a live order, which is made on demand. */
export type LiveRow = {
  readonly orderId: number;
  readonly position: RowPosition;
  readonly accountType: AccountType;
  readonly instrumentId: number;
  readonly row: () => HistOrderRow;
};

/** Live orders, from the state of the indexer; the store has the ended ones. */
export type LiveRows = {
  readonly of: (user: Address) => readonly LiveRow[];
  readonly find: (user: Address, orderId: number) => HistOrderRow | undefined;
  /** The trace of a live order since the block of its arrival, and the queue ahead of it now. */
  readonly traceOf: (orderId: number) => Omit<OrderEndRecord, 'orderId'> | undefined;
  /** The live order with a client order id. */
  readonly withClientId: (user: Address, clientOrderId: string) => number | undefined;
  /** Whether an order is live and has not changed since release 0.3.0 opened the folder. */
  readonly isUnchanged: (user: Address, orderId: number) => boolean;
};
