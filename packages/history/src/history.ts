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

/**
 * The queries answered by the history, by topic. Time ranges are in milliseconds and include both
 * ends.
 */
type HistoryQuestions = {
  readonly fills: { ask: UserPage & TypeFilter; answer: Page<Fill> };
  readonly orders: { ask: UserPage & TypeFilter; answer: Page<HistOrderRow> };
  readonly ledger: { ask: UserPage & Pick<TypeFilter, 'accountTypes'>; answer: Page<LedgerUpdate> };
  readonly fundings: {
    ask: UserPage & FundingFilter;
    answer: Page<FundingRow> & { total?: number };
  };
  /**
   * Returns a user's rows from the blocks after a height, oldest first, or only the number of those
   * blocks.
   */
  readonly since: { ask: SinceAsk; answer: SinceAnswer };
  readonly earned: { ask: BuilderPage; answer: NumberedPage<EarningRecord> };
  readonly claimed: { ask: BuilderPage; answer: NumberedPage<ClaimRecord> };
  /**
   * Returns a builder's largest sources of fees since a time, grouped by user or instrument, and
   * the total of all fees.
   */
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
  /** Returns execution reports by order id. The list is empty if the user has no such order. */
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
  readonly blocks: {
    ask: { readonly before?: number; readonly limit: number };
    answer: readonly BlockRecord[];
  };
  readonly block: {
    ask: { readonly height: number } | { readonly hash: string };
    answer: (BlockRecord & { readonly txs: readonly TxRecordRow[] }) | null;
  };
  /** Returns one request with its content and its index in the block. */
  readonly tx: {
    ask: { readonly txHash: string };
    answer: (TxRecordRow & { readonly index: number; readonly request: string }) | null;
  };
  /** Returns the requests of one block in order, or the newest requests of all blocks. */
  readonly txs: {
    ask: { readonly height?: number; readonly limit: number };
    answer: readonly (TxRecordRow & { readonly request: string })[];
  };
  /**
   * Returns the requests of one account, newest first. Blocks from release 0.2.0 are not indexed by
   * account.
   */
  readonly userTxs: {
    ask: Pick<UserPage, 'user' | 'startTime' | 'endTime' | 'limit' | 'cursor'>;
    answer: Page<TxRecordRow & { readonly index: number; readonly request: string }>;
  };
  /** Returns candles that start within a time range, oldest first. */
  readonly bars: {
    ask: {
      readonly instrumentId: number;
      readonly stepMs: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly limit: number;
      /** Also returns the last candle before the range; it does not count towards the limit. */
      readonly withPrevious?: boolean;
    };
    answer: readonly CandleRecord[];
  };
  readonly liquidations: {
    ask: Omit<UserPage, 'user' | 'offset' | 'asText'> & { readonly instrumentId?: number };
    answer: Page<Liquidation>;
  };
  /** Returns the largest trades in periods that start at `startMs` or later, largest first. */
  readonly largestTrades: {
    ask: { readonly lists: readonly number[]; readonly startMs: number; readonly limit: number };
    answer: readonly LargestTrade[];
  };
  readonly openInterest: {
    ask: {
      readonly instrumentId: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly limit: number;
    };
    answer: readonly OpenInterestRow[];
  };
  /**
   * Returns the last account value at or before the start and all later ones, oldest first.
   * `stepMs` is the shortest interval; older values may exist only at longer intervals.
   */
  readonly accountValues: {
    ask: {
      readonly user: Address;
      readonly stepMs: number;
      readonly startMs: number;
      readonly endMs: number;
    };
    answer: readonly AccountValueRecord[];
  };
  readonly valuesAt: {
    ask: { readonly users: readonly Address[]; readonly timesMs: readonly number[] };
    answer: readonly (readonly (AccountValueRecord | null)[])[];
  };
  /**
   * Returns the profit and volume of accounts within windows that end now, omitting accounts that
   * have neither. A query for all accounts returns them in batches; `next` is the start of the next
   * batch.
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
  /**
   * Returns the current totals of an account. The stored values are only as recent as the last
   * interval.
   */
  readonly accountSums: { ask: { readonly user: Address }; answer: AccountSums | null };
  /** Builds the reserves tree from the state at the requested block or a later one. */
  readonly reserves: { ask: Record<never, never>; answer: BuiltTree };
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
/**
 * Topics that can be answered from the database alone. The others need the indexer's current state.
 */
export type StoreTopic = Exclude<HistoryTopic, 'accountGains' | 'accountSums' | 'reserves'>;
export type Ask<Topic extends HistoryTopic> = HistoryQuestions[Topic]['ask'];
export type Answer<Topic extends HistoryTopic> = HistoryQuestions[Topic]['answer'];

export type UserPage = {
  readonly user: Address;
  readonly startTime?: number;
  readonly endTime?: number;
  readonly limit: number;
  readonly offset?: number;
  /** The position after which the page continues. It must come from a page in the same order. */
  readonly cursor?: RowPosition;
  readonly order?: 'newestFirst' | 'oldestFirst';
  /** Returns the rows as JSON text, so that the main thread need not serialize them. */
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
  /**
   * The maximum number of rows. With `counts`, it limits the number of blocks; if there are more,
   * one extra is counted.
   */
  readonly limit: number;
  readonly cursor?: RowPosition;
  readonly counts?: true;
};

/**
 * The rows as reported with their blocks. The result is `gone` if some of them were deleted or only
 * their latest version is stored.
 */
export type SinceAnswer =
  | 'gone'
  | {
      readonly rows: readonly { readonly height: number; readonly row: unknown }[];
      readonly next: RowPosition | null;
      readonly blocks?: number;
    };

/** A page of rows; `next` is the position of the next page, or null on the last one. */
export type Page<Row> = {
  readonly rows: readonly Row[];
  readonly next: RowPosition | null;
  readonly text?: RowsText;
};

type RowsText = { readonly json: string; readonly count: number };

export type BuilderPage = {
  readonly builder: Address;
  readonly startTime?: number;
  readonly endTime?: number;
  readonly page: number;
  readonly pageSize: number;
  /** The position after which the page continues, in the same order. Requires `page` to be 0. */
  readonly cursor?: RowPosition;
  readonly order?: 'oldestFirst';
};

/** A page with the total number of rows, which does not depend on the cursor. */
export type NumberedPage<Row> = Page<Row> & { readonly total: number };

export type AccountSums = Pick<
  AccountValueRecord,
  'value' | 'moneyIn' | 'moneyOut' | 'volume' | 'fees' | 'funding'
>;

/**
 * Profits and volumes by account. Amounts are in micro-USDC; `gains` has one entry per requested
 * window.
 */
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
  /**
   * The sort key of the events. With `zero`, all keys are equal; events with equal keys are sorted
   * by event id.
   */
  readonly sortBy: 'volume' | 'newest' | 'endingSoon' | 'start' | 'zero';
  readonly order: 'asc' | 'desc';
  /** Excludes events settled after this time, which the catalogue still lists. */
  readonly settledBeforeMs: number;
  readonly tag?: string;
  readonly seriesSlug?: string;
  readonly after?: { readonly key: number; readonly eventId: number };
  readonly limit: number;
};

/** The block up to which a response is complete. */
export type AsOf = {
  readonly height: number;
  readonly timeMs: number;
  /** The first block with rows, if earlier blocks are no longer in the log. */
  readonly since?: { readonly height: number; readonly timeMs: number };
};

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
  onRows(height: number, rows: WatchedRows[Table]): void;
};

/**
 * The client a query is made for. Clients are served in turn, and each is charged for its queries.
 */
export type Requester = {
  /** The key that identifies the client for rate limits. */
  readonly client: string;
  /** Charges the client for a query, in milliseconds of the indexer thread. */
  readonly spend: (ms: number) => void;
};

export type AskOptions = {
  readonly minHeight?: number;
  readonly requester?: Requester;
};

/**
 * The history as the API sees it. The history follows the log and may lag behind; each response
 * states its height. A query waits a few seconds for the requested block, or for the newest block
 * that this process has applied, so that rows of a reported execution are available. If the block
 * does not arrive, the query fails, because a page without its newest rows would look complete.
 */
export interface History {
  readonly asOf: AsOf;
  ask<Topic extends HistoryTopic>(
    topic: Topic,
    question: Ask<Topic>,
    options?: AskOptions,
  ): Promise<{ readonly asOf: AsOf; readonly answer: Answer<Topic> }>;
  /**
   * Reports new rows of a user, block by block in order. Each block is reported before any response
   * that contains its rows. The watcher receives every block after the newest one at the time of
   * the call. A response requested after the call, as of height A, contains all rows up to A and
   * none after it, so rows up to A may arrive twice, and later rows arrive once.
   */
  watch<Table extends WatchedTable>(
    user: Address,
    table: Table,
    watcher: Watcher<Table>,
  ): () => void;
}

/** Thrown if the history does not reach the required block in time. */
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

/** Thrown while the history database cannot be read; a later query may succeed. */
export class HistoryAwayError extends Error {
  override readonly name = 'HistoryAwayError';
  readonly asOf: AsOf;

  constructor(why: string, asOf: AsOf) {
    super(why);
    this.asOf = asOf;
  }
}

/** Thrown if the configured database cannot store this venue's history. */
export class HistoryUnusableError extends Error {
  override readonly name = 'HistoryUnusableError';

  constructor(why: string) {
    super(`the history cannot be stored in the database: ${why}`);
  }
}

/** Returns a view of the history that charges one client for all queries. */
export function historyOf(history: History, requester: Requester): History {
  return {
    get asOf() {
      return history.asOf;
    },
    ask: (topic, question, options) => history.ask(topic, question, { ...options, requester }),
    watch: (user, table, watcher) => history.watch(user, table, watcher),
  };
}
