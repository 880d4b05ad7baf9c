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
 * What a block leaves in the history. The key of a row is the height and its place in the list, so that
 * rows which are written twice are the same rows. Texts are the wire's own words: an old row reads the
 * same whatever the program has become.
 */
export type BlockRows = {
  readonly head: BlockHead & { readonly parentHash: Hash };
  /** The signed requests that the block executed, in order. */
  readonly txs: readonly TxRecord[];
  /** Receipts that were complete with it: those of queued actions come later than their block. */
  readonly receipts: readonly ReceiptRow[];
  readonly fills: readonly FillRecord[];
  /**
   * Orders after their last change in the block, one row each, in order. Those that live on are here for whoever
   * is told of them, or because they were made; stored are those that have ended.
   */
  readonly orders: readonly OrderRecord[];
  /**
   * Rows of parents whose children changed while they did not: told, and not stored, since reads join
   * them. Earlier releases made none.
   */
  readonly retold?: readonly OrderRecord[];
  /** Orders that live on and that nobody was told of: neither stored nor told, but perhaps asked for soon. */
  readonly untold?: readonly UntoldOrder[];
  /** How orders came to their books, of all that got their ids in the block. Earlier releases made none. */
  readonly arrivals?: readonly ArrivalTrace[];
  /** How those fared that ended, as far as that is not all among the arrivals. */
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
  /** What markets are looked at by. Earlier releases made none of them. */
  readonly liquidations?: readonly LiquidationRecord[];
  readonly largestTrades?: readonly LargestTradesRecord[];
  readonly openInterest?: readonly OpenInterestRecord[];
};

export type AccountType = 'perp' | 'outcome';

/** Where a row stands: newest first means these in descending order. */
export type RowPosition = readonly [timeMs: number, height: number, index: number];

export type TxRecord = {
  /** Of the command in its block. */
  readonly index: number;
  readonly txHash: Hash;
  readonly user: Address;
  readonly actionType: string;
  /** The message of a refusal at execution. */
  readonly error: string | null;
  /** As received. */
  readonly request: string;
};

export type FillRecord = {
  readonly user: Address;
  readonly accountType: AccountType;
  readonly instrumentId: number;
  /** Without title and slug: they are added from the market's texts when the row is read. */
  readonly row: Fill;
};

export type OrderRecord = {
  readonly user: Address;
  readonly accountType: AccountType;
  readonly instrumentId: number;
  readonly orderId: number;
  /** Its index among all orders that the block changed, including orders without a row. */
  readonly index: number;
  /** It came with another order, whose row shows it. */
  readonly isChild?: true;
  /** Without title and slug. Its time is the `statusTimestamp`. */
  readonly row: HistOrderRow;
};

/** The row of an order that changed and lives on, which is made when it is wanted. */
export type UntoldOrder = Pick<OrderRecord, 'user' | 'accountType' | 'instrumentId'> & {
  readonly index: number;
  readonly row: () => HistOrderRow;
};

/** An order that is open or has fired changes again; its last row is stored. */
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
  /** Both for a row that is about both. */
  readonly accountTypes: readonly AccountType[];
  /** The key of its first version: a withdrawal's row comes again, whole, when its status changes. */
  readonly first: { readonly height: number; readonly index: number };
  readonly row: LedgerUpdate;
};

/** What an order has earned its builder so far, all fills together. */
export type EarningRecord = {
  readonly builder: Address;
  readonly user: Address;
  readonly orderId: number;
  readonly instrumentId: number;
  readonly instrumentName: string;
  readonly accountType: AccountType;
  readonly feeTenthsBp: number;
  readonly feeMicroUsdc: number;
  /** What this block added to it. */
  readonly addedFeeMicroUsdc: number;
  readonly notionalMicroUsdc: number;
  readonly qty: string;
  readonly price: string;
  /** Of the last fill, like the rest. */
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

/** A withdrawal after its last change, whole: the newer one of an id wins. */
export type WithdrawalRecord = {
  readonly user: Address;
  readonly withdrawalId: number;
  /** When it was asked for, and when its status changed. */
  readonly timeMs: number;
  readonly updatedMs: number;
  readonly destination: Address;
  readonly amountMicroUsdc: number;
  readonly feeMicroUsdc: number;
  readonly status: 'pending' | 'completed' | 'failed';
  /** Of the settlement chain, at its end: the transaction, and why it came back. */
  readonly txHash?: Hash;
  readonly error?: string;
};

/** A closed bar of trades; those of a coarser step are made of it. */
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

/** What an account was worth, and sums since it began: windows are differences of them. */
export type AccountValueRecord = {
  readonly user: Address;
  /** The coarsest step whose border this is: five minutes, an hour, a day. */
  readonly stepMs: number;
  readonly timeMs: number;
  readonly value: number;
  readonly moneyIn: number;
  readonly moneyOut: number;
  readonly volume: number;
  readonly fees: number;
  readonly funding: number;
};

/** What a step of a liquidation closed. */
export type LiquidationRecord = { readonly instrumentId: number; readonly row: Liquidation };

/** A trade and what it is ranked by, in micro-USDC. */
export type RankedTrade = { readonly value: number; readonly row: LargestTrade };

/** The largest trades of a span so far, the largest first: the newer record of a list and a span is right. */
export type LargestTradesRecord = {
  readonly list: number;
  readonly startMs: number;
  /** The first of its list and span. */
  readonly isFirst?: true;
  readonly trades: readonly RankedTrade[];
};

export type OpenInterestRecord = { readonly instrumentId: number; readonly row: OpenInterestRow };

/** Texts of an outcome market, from its listing on. */
export type MarketTextRecord = {
  readonly instrumentId: number;
  readonly slug: string;
  readonly title: string;
  readonly eventSlug: string;
};

/**
 * An event all of whose markets are paid: everything that is ever shown of it. It may come again, whole,
 * when another market has joined it since; the newer one is right.
 */
export type SettledEventRecord = {
  readonly eventId: number;
  readonly slug: string;
  readonly seriesSlug: string | null;
  readonly createdMs: number;
  readonly startMs: number;
  readonly endMs: number;
  /** From when on nothing about it can change: no market can join it any more, and all are resolved. */
  readonly settledMs: number;
  readonly volumeMicroUsdc: number;
  readonly tags: readonly string[];
  readonly markets: readonly {
    readonly instrumentId: number;
    readonly slug: string;
    readonly startMs: number;
  }[];
  /** JSON of what the catalogue held of it. */
  readonly body: string;
};

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

/** The row of an order that lives, which is made when it is wanted. */
export type LiveRow = {
  readonly orderId: number;
  readonly position: RowPosition;
  readonly accountType: AccountType;
  readonly instrumentId: number;
  readonly row: () => HistOrderRow;
};

/** The orders that live, as whoever follows the blocks knows them; the store has those that have ended. */
export type LiveRows = {
  readonly of: (user: Address) => readonly LiveRow[];
  readonly find: (user: Address, orderId: number) => HistOrderRow | undefined;
  /** How one that lives has fared in its book since the block in which it came, and what is ahead of it now. */
  readonly traceOf: (orderId: number) => Omit<OrderEndRecord, 'orderId'> | undefined;
  /** The live order of a client order id. */
  readonly withClientId: (user: Address, clientOrderId: string) => number | undefined;
  /** Whether a row that an earlier release stored of an open order is still its newest. */
  readonly isUnchanged: (user: Address, orderId: number) => boolean;
};
