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
 * The rows of a block. The key of a row is its height and its index in its list, so writing it
 * twice has no effect. Texts are in wire format, so that an old row is the same in every release.
 */
export type BlockRows = {
  readonly head: BlockHead & { readonly parentHash: Hash };
  readonly txs: readonly TxRecord[];
  /**
   * The receipts completed by the block. A queued action is completed in a later block than the one
   * that executed it.
   */
  readonly receipts: readonly ReceiptRow[];
  readonly fills: readonly FillRecord[];
  /**
   * The orders after their last change in the block, one row each, in order. Live orders are
   * included only if they are reported or their row was needed anyway. Only ended orders are
   * stored.
   */
  readonly orders: readonly OrderRecord[];
  /**
   * Parent orders where only children changed. They are reported but not stored, because queries
   * join parents and children.
   */
  readonly updatedParents?: readonly OrderRecord[];
  /** Live orders that are neither reported nor stored but may be queried soon. */
  readonly unstoredOrders?: UnstoredOrders | undefined;
  readonly arrivals?: PackedArrivals | undefined;
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

/** The position of a row. Rows sorted by descending position are newest first. */
export type RowPosition = readonly [timeMs: number, height: number, index: number];

export type TxRecord = {
  readonly index: number;
  readonly txHash: Hash;
  readonly user: Address;
  readonly actionType: string;
  /** The message of the rejection at execution; null if there was none. */
  readonly error: string | null;
  readonly request: string;
};

export type FillRecord = {
  readonly user: Address;
  readonly accountType: AccountType;
  readonly instrumentId: number;
  /** The fill without its title and slug, which queries add from the market's texts. */
  readonly row: Fill;
};

export type OrderRecord = {
  readonly user: Address;
  readonly accountType: AccountType;
  readonly instrumentId: number;
  readonly orderId: number;
  /** The index among all orders that the block changed, including orders without a row. */
  readonly index: number;
  /** Present if the order was placed with a parent order; the parent's row then includes it. */
  readonly isChild?: true;
  /** The order without its title and slug; its time is the `statusTimestamp`. */
  readonly row: HistOrderRow;
};

/** The changed live orders of a block that are neither reported nor stored. Their rows are built on demand. */
export type UnstoredOrders = {
  readonly length: number;
  /** Returns the orders of a user, or all of them. */
  readonly records: (user?: string) => OrderRecord[];
};

/** Returns true if the order is open or triggered and can still change. */
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
  /** The account types the row is listed under. A row can belong to both. */
  readonly accountTypes: readonly AccountType[];
  /**
   * The key of the row's first version. The row of a withdrawal is replaced when its status
   * changes.
   */
  readonly first: { readonly height: number; readonly index: number };
  readonly row: LedgerUpdate;
};

export type EarningRecord = {
  readonly builder: Address;
  readonly user: Address;
  readonly orderId: number;
  readonly instrumentId: number;
  readonly instrumentName: string;
  readonly accountType: AccountType;
  readonly feeTenthsBp: number;
  readonly feeMicroUsdc: number;
  readonly addedFeeMicroUsdc: number;
  readonly notionalMicroUsdc: number;
  readonly qty: string;
  readonly price: string;
  /** The role in the last fill. The following fields refer to that fill too. */
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

/** A withdrawal after its last change. A newer record replaces an older one. */
export type WithdrawalRecord = {
  readonly user: Address;
  readonly withdrawalId: number;
  /** The time of the request; `updatedMs` is the time of the last status change. */
  readonly timeMs: number;
  readonly updatedMs: number;
  readonly destination: Address;
  readonly amountMicroUsdc: number;
  readonly feeMicroUsdc: number;
  readonly status: 'pending' | 'completed' | 'failed';
  /** The final transaction on the settlement chain; `error` is the reason for a failure. */
  readonly txHash?: Hash;
  readonly error?: string;
};

/** A closed candle of trades. Coarser candles are combined from the finest ones. */
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

/**
 * The value of an account and its cumulative totals. The results for a window are differences
 * between totals. Amounts are in micro-USDC.
 */
export type AccountValueRecord = {
  readonly user: Address;
  /** The longest interval that ends at this time: five minutes, an hour or a day. */
  readonly stepMs: number;
  readonly timeMs: number;
  readonly value: number;
  readonly moneyIn: number;
  readonly moneyOut: number;
  readonly volume: number;
  readonly fees: number;
  readonly funding: number;
};

export type LiquidationRecord = { readonly instrumentId: number; readonly row: Liquidation };

export type RankedTrade = { readonly value: number; readonly row: LargestTrade };

/**
 * The largest trades in a period, up to a certain block, largest first. A newer record replaces an
 * older one.
 */
export type LargestTradesRecord = {
  readonly list: number;
  readonly startMs: number;
  readonly isFirst?: true;
  readonly trades: readonly RankedTrade[];
};

export type OpenInterestRecord = { readonly instrumentId: number; readonly row: OpenInterestRow };

/** The texts of an outcome market, recorded when it is listed. */
export type MarketTextRecord = {
  readonly instrumentId: number;
  readonly slug: string;
  readonly title: string;
  readonly eventSlug: string;
};

/**
 * An event whose markets are all paid out, with all the data shown about it. If another market
 * joins the event later, the record is replaced.
 */
export type SettledEventRecord = {
  readonly eventId: number;
  readonly slug: string;
  readonly seriesSlug: string | null;
  readonly createdMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly settledMs: number;
  readonly volumeMicroUsdc: number;
  readonly tags: readonly string[];
  readonly markets: readonly {
    readonly instrumentId: number;
    readonly slug: string;
    readonly startMs: number;
  }[];
  readonly body: string;
};

/**
 * The maximum number of blocks with fills recorded per order, and of fills in an execution report.
 */
export const FILL_BLOCKS_MAX = 500;

export type BlockPlace = { readonly height: number; readonly timeMs: number };

export const MET_LEVELS_MAX = 50;

export type MetLevel = { readonly price: number; readonly size: number };

/** The order book when the order arrived, in the price units of the book. */
export type EnteredBook = Pick<BookArrival, 'bestBid' | 'bestAsk' | 'markHalves' | 'oracle'> & {
  /** The levels the order traded with, and their sizes at the time. */
  readonly met: readonly MetLevel[];
};

/**
 * The price at which the order rested. `aheadAtStart` is the size ahead of it in the queue, or
 * undefined if the queue was too long to count.
 */
export type Rest = { readonly price: number; readonly aheadAtStart: number | undefined };

/**
 * The part of an order that filled as taker, in lots, and in micro-USDC at the price of the order's
 * outcome.
 */
export type TakerPart = { lots: number; notional: number };

/** The traces of the orders that a block accepted, packed at once so that few objects wait. */
export type PackedArrivals = {
  readonly firstOrderId: number;
  readonly count: number;
  readonly body: Uint8Array;
};

/**
 * An order in the block in which it received its id. All fields are always present, so that the
 * many objects have the same shape.
 */
export type ArrivalTrace = {
  readonly orderId: number;
  readonly instrumentId: number;
  readonly szDecimals: number;
  /** The index of the command that placed the order; negative for orders that the venue placed. */
  readonly commandIndex: number;
  /** The block that received the order, if it was in the delay queue. */
  readonly received: BlockPlace | undefined;
  readonly entered: EnteredBook | undefined;
  readonly rest: Rest | undefined;
  readonly taker: TakerPart | undefined;
  readonly hasFills: boolean;
  readonly ended: TraceEnd | undefined;
  /**
   * The hash of the order's action, if the action is in another block or its block is no longer
   * stored.
   */
  readonly txHash: string | undefined;
};

export type TraceEnd = {
  /**
   * The size ahead in the queue; undefined if the queue was too long to count or the order never
   * rested.
   */
  readonly ahead: number | undefined;
  readonly builderFee: number;
};

/**
 * The events of an order after the block of its arrival. A field is absent if its event has not
 * occurred.
 */
export type LaterTrace = {
  entered?: BlockPlace & { readonly book: EnteredBook };
  /** Present if the order rested later or again. The values apply from `fromMs`. */
  rest?: Rest & { readonly fromMs: number };
  taker?: TakerPart;
  /** The times and heights, alternating, of the newest blocks with fills, oldest first. */
  fills?: number[];
};

export type OrderEndRecord = {
  readonly orderId: number;
  readonly szDecimals: number;
  readonly trace: LaterTrace;
  readonly end: TraceEnd;
};

export type LiveRow = {
  readonly orderId: number;
  readonly position: RowPosition;
  readonly accountType: AccountType;
  readonly instrumentId: number;
  readonly row: () => HistOrderRow;
};

/** The live orders in the indexer's state. Ended orders are in the store. */
export type LiveRows = {
  readonly of: (user: Address) => readonly LiveRow[];
  readonly find: (user: Address, orderId: number) => HistOrderRow | undefined;
  /**
   * Returns the events of a live order since the block of its arrival, and the queue ahead of it
   * now.
   */
  readonly traceOf: (orderId: number) => Omit<OrderEndRecord, 'orderId'> | undefined;
  readonly withClientId: (user: Address, clientOrderId: string) => number | undefined;
  /**
   * Returns true if an order is live and has not changed since the folder was opened by release
   * 0.3.0.
   */
  readonly isUnchanged: (user: Address, orderId: number) => boolean;
};
