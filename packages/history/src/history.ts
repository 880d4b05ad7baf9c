import type {
  Fill,
  FundingRow,
  HistOrderRow,
  LargestTrade,
  LedgerUpdate,
  Liquidation,
  OpenInterestRow,
  OrderReport,
  PortfolioWindow,
} from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { BuiltTree } from './reserves/build-tree.ts';
import type { ReceiptQuery, ReceiptRow } from './receipt.ts';
import type {
  AccountType,
  AccountValueRecord,
  CandleRecord,
  ClaimRecord,
  EarningRecord,
  RowPosition,
  SettledEventRecord,
  WithdrawalRecord,
} from './rows/block-rows.ts';

/** Questions to the history and their answers, by name. Times are inclusive, in milliseconds. */
type HistoryQuestions = {
  readonly fills: { ask: UserPage & TypeFilter; answer: Page<Fill> };
  readonly orders: { ask: UserPage & TypeFilter; answer: Page<HistOrderRow> };
  readonly ledger: { ask: UserPage & Pick<TypeFilter, 'accountTypes'>; answer: Page<LedgerUpdate> };
  readonly fundings: {
    ask: UserPage & FundingFilter;
    answer: Page<FundingRow> & { total?: number };
  };
  /** Rows of a user in the blocks after one, oldest first, with their blocks; or the number of such blocks. */
  readonly since: { ask: SinceAsk; answer: SinceAnswer };
  readonly earned: { ask: BuilderPage; answer: NumberedPage<EarningRecord> };
  readonly claimed: { ask: BuilderPage; answer: NumberedPage<ClaimRecord> };
  /** Fees by user or instrument since a time, the largest first, and their total. */
  readonly shares: {
    ask: {
      readonly builder: Address;
      readonly dimension: 'user' | 'instrument';
      readonly sinceMs: number;
      readonly limit: number;
    };
    answer: {
      readonly rows: readonly { readonly key: string; readonly feeMicroUsdc: number }[];
      readonly totalMicroUsdc: number;
    };
  };
  readonly claimable: {
    ask: { readonly builder: Address };
    answer: {
      readonly earnedMicroUsdc: number;
      readonly claimedMicroUsdc: number;
      readonly hasAny: boolean;
    };
  };
  /** Execution reports of orders, by id; empty if the user has no such order. */
  readonly executionReport: {
    ask: {
      readonly user: Address;
      readonly by:
        | { readonly orderId: number }
        | { readonly clientOrderId: string }
        | { readonly txHash: string };
    };
    answer: readonly OrderReport[];
  };
  readonly receipt: { ask: ReceiptQuery; answer: ReceiptRow | null };
  /** Newest first, below a height. */
  readonly blocks: {
    ask: { readonly before?: number; readonly limit: number };
    answer: readonly BlockRecord[];
  };
  readonly block: {
    ask: { readonly height: number } | { readonly hash: string };
    answer: (BlockRecord & { readonly txs: readonly TxRecordRow[] }) | null;
  };
  /** The position of a request, and the request itself. */
  readonly tx: {
    ask: { readonly txHash: string };
    answer: (TxRecordRow & { readonly index: number; readonly request: string }) | null;
  };
  /** Requests of one block in order, or the newest of all, with their content. */
  readonly txs: {
    ask: { readonly height?: number; readonly limit: number };
    answer: readonly (TxRecordRow & { readonly request: string })[];
  };
  /** Requests of one account, newest first. Blocks of release 0.2.0 are not found. */
  readonly userTxs: {
    ask: Pick<UserPage, 'user' | 'startTime' | 'endTime' | 'limit' | 'cursor'>;
    answer: Page<TxRecordRow & { readonly index: number; readonly request: string }>;
  };
  /** Bars of a step that start in a time range, oldest first. */
  readonly bars: {
    ask: {
      readonly instrumentId: number;
      readonly stepMs: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly limit: number;
      /** Also returns the last bar before the range, in addition to the limit. */
      readonly withPrevious?: boolean;
    };
    answer: readonly CandleRecord[];
  };
  /** Closed parts of liquidated positions, of one instrument or of all, newest first. */
  readonly liquidations: {
    ask: Omit<UserPage, 'user' | 'offset' | 'asText'> & { readonly instrumentId?: number };
    answer: Page<Liquidation>;
  };
  /** The largest trades of some lists, in periods that start at a time or later, the largest first. */
  readonly largestTrades: {
    ask: { readonly lists: readonly number[]; readonly startMs: number; readonly limit: number };
    answer: readonly LargestTrade[];
  };
  /** Open interest of an instrument, oldest first. */
  readonly openInterest: {
    ask: {
      readonly instrumentId: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly limit: number;
    };
    answer: readonly OpenInterestRow[];
  };
  /** The last value at or before the start, and all after it, oldest first, of a step or coarser. */
  readonly accountValues: {
    ask: {
      readonly user: Address;
      readonly stepMs: number;
      readonly startMs: number;
      readonly endMs: number;
    };
    answer: readonly AccountValueRecord[];
  };
  /** The last value at or before each time, of each user. */
  readonly valuesAt: {
    ask: { readonly users: readonly Address[]; readonly timesMs: readonly number[] };
    answer: readonly (readonly (AccountValueRecord | null)[])[];
  };
  /**
   * Results and volumes of accounts within windows up to now; accounts with neither are omitted. Of some accounts, or
   * of all in portions: `next` is the start of the next portion.
   */
  readonly accountGains: {
    ask: {
      readonly accounts:
        | { readonly users: readonly Address[] }
        | { readonly from: number; readonly limit: number };
      readonly windows: readonly PortfolioWindow[];
    };
    answer: { readonly rows: readonly AccountGains[]; readonly next: number | null };
  };
  /** The current sums of an account: its stored values are as old as the last step. */
  readonly accountSums: { ask: { readonly user: Address }; answer: AccountSums | null };
  /** Builds the reserves tree of the state at the requested block or a later one. */
  readonly reserves: { ask: Record<never, never>; answer: BuiltTree };
  /** Newest first, below an id. */
  readonly withdrawals: {
    ask: { readonly user: Address; readonly before?: number; readonly limit: number };
    answer: readonly WithdrawalRecord[];
  };
  readonly settledEvents: { ask: SettledEventsAsk; answer: readonly SettledEventRecord[] };
  readonly settledMarket: {
    ask:
      | { readonly instrumentId: number }
      | { readonly slug: string }
      | { readonly eventSlug: string };
    answer: SettledEventRecord | null;
  };
};

export type HistoryTopic = keyof HistoryQuestions;
/** Topics that the database answers; current sums and liabilities are only in the indexer's state. */
export type StoreTopic = Exclude<HistoryTopic, 'accountGains' | 'accountSums' | 'reserves'>;
export type Ask<Topic extends HistoryTopic> = HistoryQuestions[Topic]['ask'];
export type Answer<Topic extends HistoryTopic> = HistoryQuestions[Topic]['answer'];

export type UserPage = {
  readonly user: Address;
  readonly startTime?: number;
  readonly endTime?: number;
  readonly limit: number;
  readonly offset?: number;
  /** Continues after a row of an earlier page, in the same order. */
  readonly cursor?: RowPosition;
  /** Default: newest first. */
  readonly order?: 'newestFirst' | 'oldestFirst';
  /** Returns the rows as JSON, made by the thread that reads them, so that the main thread need not convert them. */
  readonly asText?: true;
};

type TypeFilter = {
  readonly accountTypes: readonly AccountType[];
  readonly instrumentId?: number;
};

type FundingFilter = {
  readonly instrumentIds?: readonly number[];
  readonly direction?: 'collected' | 'paid';
};

type SinceAsk = {
  readonly table: WatchedTable;
  readonly user: Address;
  readonly accountTypes: readonly AccountType[];
  readonly after: number;
  readonly upTo: number;
  /** The maximum of rows; of blocks with `counts`, in which case one more is counted if there are more. */
  readonly limit: number;
  readonly cursor?: RowPosition;
  /** Returns the number of blocks with rows, and no rows. */
  readonly counts?: true;
};

/**
 * Rows as they were reported with their block. `gone` if some cannot be returned any more: they are too old, or only
 * the last version is stored.
 */
export type SinceAnswer =
  | 'gone'
  | {
      readonly rows: readonly { readonly height: number; readonly row: unknown }[];
      readonly next: RowPosition | null;
      readonly blocks?: number;
    };

/** `next` is the start of the next page; null if there is none. */
export type Page<Row> = {
  readonly rows: readonly Row[];
  readonly next: RowPosition | null;
  /** Replaces the rows if they were requested as text. */
  readonly text?: RowsText;
};

type RowsText = { readonly json: string; readonly count: number };

export type BuilderPage = {
  readonly builder: Address;
  readonly startTime?: number;
  readonly endTime?: number;
  readonly page: number;
  readonly pageSize: number;
  /** Continues after a row of an earlier page, in the same order; `page` is 0. */
  readonly cursor?: RowPosition;
  /** Default: newest first. */
  readonly order?: 'oldestFirst';
};

/** The total includes all rows, independent of the cursor. */
export type NumberedPage<Row> = Page<Row> & { readonly total: number };

/** The value of an account and its cumulative sums, in micro-USDC. */
export type AccountSums = Pick<
  AccountValueRecord,
  'value' | 'moneyIn' | 'moneyOut' | 'volume' | 'fees' | 'funding'
>;

/** In micro-USDC; one gain per requested window. */
export type AccountGains = {
  readonly user: Address;
  readonly value: number;
  readonly gains: readonly { readonly pnl: number; readonly volume: number }[];
};

export type BlockRecord = {
  readonly height: number;
  readonly timeMs: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly stateHash: string;
  readonly numTxs: number;
};

export type TxRecordRow = {
  readonly txHash: string;
  readonly timeMs: number;
  readonly user: string;
  readonly actionType: string;
  readonly height: number;
  readonly error: string | null;
};

export type SettledEventsAsk = {
  /** By volume, creation, end or start; `zero` is the same key for all. Equal keys are sorted by the event's id. */
  readonly sortBy: 'volume' | 'newest' | 'endingSoon' | 'start' | 'zero';
  readonly order: 'asc' | 'desc';
  /** Only events that were settled at this time or before: the catalogue no longer has them. */
  readonly settledBeforeMs: number;
  readonly tag?: string;
  readonly seriesSlug?: string;
  readonly after?: { readonly key: number; readonly eventId: number };
  readonly limit: number;
};

/** The height of the history at the time of an answer. */
export type AsOf = {
  readonly height: number;
  readonly timeMs: number;
  /** The first block with rows, if the log no longer has earlier blocks. */
  readonly since?: { readonly height: number; readonly timeMs: number };
};

/** Tables whose rows are reported to subscribers. */
export type WatchedTable = 'fills' | 'orders' | 'fundings' | 'ledger';

export type WatchedRows = {
  readonly fills: readonly { readonly accountTypes: readonly AccountType[]; readonly row: Fill }[];
  readonly orders: readonly {
    readonly accountTypes: readonly AccountType[];
    readonly row: HistOrderRow;
  }[];
  readonly fundings: readonly {
    readonly accountTypes: readonly AccountType[];
    readonly row: FundingRow;
  }[];
  readonly ledger: readonly {
    readonly accountTypes: readonly AccountType[];
    readonly row: LedgerUpdate;
  }[];
};

export type Watcher<Table extends WatchedTable> = {
  /** Rows of one block, in order. */
  onRows(height: number, rows: WatchedRows[Table]): void;
};

/** The client of a question: clients take turns, and each pays for its answers. */
export type Asker = {
  /** The client as in its limits. */
  readonly client: string;
  /** Receives the cost of an answer, in milliseconds of the indexer thread. */
  readonly spend: (ms: number) => void;
};

export type AskOptions = {
  readonly minHeight?: number;
  /** Default: the venue itself. */
  readonly asker?: Asker;
};

/**
 * The history as seen by the API. It follows the log and may be behind; an answer contains its height. A question
 * waits, for some seconds, for the newest block that this process has applied, or for the requested one, so that rows
 * of a reported execution are available. Without that block there is no answer, because a page without its newest
 * rows would look complete.
 */
export interface History {
  readonly asOf: AsOf;
  ask<Topic extends HistoryTopic>(
    topic: Topic,
    question: Ask<Topic>,
    options?: AskOptions,
  ): Promise<{ readonly asOf: AsOf; readonly answer: Answer<Topic> }>;
  /**
   * Reports new rows of a user. The answer to a question that is asked after this call, with `asOf` A, contains all
   * rows up to A; the watcher receives all of the blocks after the newest one at the time of the call, so rows up to
   * A may arrive twice and rows after A arrive once. Blocks are reported in order, each before any answer that
   * contains its rows; an answer contains no row of a block after A.
   */
  watch<Table extends WatchedTable>(
    user: Address,
    table: Table,
    watcher: Watcher<Table>,
  ): () => void;
}

/** A query needs a block that the history did not reach in time. */
export class HistoryBehindError extends Error {
  override readonly name = 'HistoryBehindError';
  readonly asOf: AsOf;
  readonly minHeight: number;

  constructor(asOf: AsOf, minHeight: number) {
    super(`the history is at block ${asOf.height}, but block ${minHeight} is needed`);
    this.asOf = asOf;
    this.minHeight = minHeight;
  }
}

/** The store of the history cannot be read now; a later query may succeed. */
export class HistoryAwayError extends Error {
  override readonly name = 'HistoryAwayError';
  /** Its last known height. */
  readonly asOf: AsOf;

  constructor(why: string, asOf: AsOf) {
    super(why);
    this.asOf = asOf;
  }
}

/** The configured database cannot be used for a history. */
export class HistoryUnusableError extends Error {
  override readonly name = 'HistoryUnusableError';

  constructor(why: string) {
    super(`the history cannot be stored in the database: ${why}`);
  }
}

/** The same history for one client. */
export function historyOf(history: History, asker: Asker): History {
  return {
    get asOf() {
      return history.asOf;
    },
    ask: (topic, question, options) => history.ask(topic, question, { ...options, asker }),
    watch: (user, table, watcher) => history.watch(user, table, watcher),
  };
}
